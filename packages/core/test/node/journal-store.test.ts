import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { isTurnRefusal, type SessionStore } from "../../src/conversation/index.js";
import { openJournalStore } from "../../src/node/journal-store.js";
import { describeStore } from "../conversation/store-conformance.js";
import { freshFolder } from "./support.js";

function storeAt(stateDir: string): SessionStore {
  const store = openJournalStore({ stateDir });
  if (isTurnRefusal(store)) throw new Error(store.message);
  return store;
}

/** From here on no file of this process may grow: every write is refused, as by a disk that fails. */
function limitFileSize(bytes: number | "unlimited"): void {
  execFileSync("prlimit", [`--pid=${process.pid}`, `--fsize=${bytes}:`]);
}

describe("journal files", () => {
  // The system sends it before it refuses the write.
  const ignore = () => {};
  beforeAll(() => void process.on("SIGXFSZ", ignore));
  afterAll(() => void process.off("SIGXFSZ", ignore));
  describeStore("journal files", async () => {
    const stateDir = join(freshFolder(), "state");
    return {
      store: storeAt(stateDir),
      reopen: async () => storeAt(stateDir),
      breakGround: () => limitFileSize(1),
      mendGround: () => limitFileSize("unlimited"),
      dispose: () => limitFileSize("unlimited"),
    };
  });
});
