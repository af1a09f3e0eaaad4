import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { sha256 } from "../../../src/node/disk/digest.js";
import { namesIn } from "../../../src/node/disk/entries.js";
import { openWorkspace } from "../../../src/node/index.js";
import { hangMs } from "../../support.js";
import { bytesOf, freshFolder, hasStrace, must, stagesIn, startTraced, textAt } from "../support.js";

let top: string;
let root: string;
let stateDir: string;

beforeEach(() => settle(realpathSync(freshFolder())));

function settle(folder: string): void {
  top = folder;
  root = join(top, "root");
  stateDir = join(top, "state");
  mkdirSync(root, { recursive: true });
}

const path = (name: string) => join(root, name);

/** As editors save: another file takes the name. */
function save(text: string): void {
  writeFileSync(path("theirs"), text);
  renameSync(path("theirs"), path("f"));
}

/** Undoes the creation of `f` while strace does this. @returns what it printed */
async function undo(inject: readonly string[], act: () => Promise<void> = async () => {}): Promise<string> {
  const options = [
    "-o",
    join(top, "trace"),
    "-e",
    "trace=rename,unlink,link",
    ...inject.flatMap((each) => ["-e", each]),
  ];
  const child = startTraced(options, "undo.mjs", root, stateDir, "f");
  let printed = "";
  child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
  const closed = once(child, "close");
  await act();
  await closed;
  return printed;
}

/** The how-manyeth calls move the file aside, take it away there, and would link it back; tried in folders of its own. */
async function indexes(): Promise<Readonly<Record<"rename" | "unlink" | "link", number>>> {
  const real = top;
  settle(realpathSync(freshFolder()));
  await undo([]);
  const all = readFileSync(join(top, "trace"), "utf8").split("\n");
  settle(real);
  const moved = all.findIndex((line) => line.includes("rename(") && line.includes("-swap"));
  const taken = all.findIndex((line) => line.includes("unlink(") && line.includes("-swap"));
  // Each thread counts its own.
  const thread = all[moved]?.split(" ")[0] ?? "";
  const own = (call: string, to: number) =>
    all.slice(0, to).filter((line) => line.startsWith(thread) && line.includes(` ${call}(`)).length;
  return { rename: own("rename", moved + 1), unlink: own("unlink", taken + 1), link: own("link", moved) + 1 };
}

async function until(condition: () => boolean): Promise<void> {
  const limit = Date.now() + hangMs;
  while (!condition()) {
    if (Date.now() > limit) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The creation is recorded, and the deletion announced. */
function isAboutToGo(): boolean {
  const room = join(stateDir, "intents");
  try {
    return namesIn(room).some((name) => readlinkSync(join(room, name)).includes(`"after":null`));
  } catch {
    // The record of the creation went meanwhile.
    return false;
  }
}

/** The last look at the file comes between the record and the call that is delayed: a third of the delay is left to it. */
async function untilItIsHeldUp(): Promise<void> {
  await until(isAboutToGo);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

function nothingOfOurs(): void {
  expect(stagesIn(root)).toEqual([]);
  for (const room of ["intents", "locks"]) expect(namesIn(join(stateDir, room))).toEqual([]);
}

describe.skipIf(!hasStrace)("the undo of a creation", () => {
  it("gives a file back that another program saved right before it was taken away", async () => {
    const at = await indexes();
    const inject = [`inject=rename:delay_enter=3000000:when=${at.rename}`];
    const printed = await undo(inject, async () => {
      await untilItIsHeldUp();
      save("theirs");
    });
    expect(JSON.parse(printed)).toMatchObject({ code: "state_mismatch" });
    expect(textAt(path("f"))).toBe("theirs");
    nothingOfOurs();
  });

  it("keeps, and tells of, a save that was moved aside when a later save took its name", async () => {
    const at = await indexes();
    const inject = [
      `inject=rename:delay_enter=3000000:when=${at.rename}`,
      `inject=link:delay_enter=3000000:when=${at.link}`,
    ];
    const printed = await undo(inject, async () => {
      await untilItIsHeldUp();
      save("first");
      await until(() => !existsSync(path("f")));
      save("second");
    });
    const kept = sha256(bytesOf("first"));
    expect(JSON.parse(printed)).toMatchObject({ code: "state_mismatch" });
    expect(printed).toContain(`is kept as state ${kept.slice(0, 12)}`);
    expect(textAt(path("f"))).toBe("second");
    nothingOfOurs();
  });

  it("is over at the next start if it was killed while the file was aside", async () => {
    const inject = [`inject=unlink:signal=KILL:when=${(await indexes()).unlink}`];
    await undo(inject);
    const swapped = stagesIn(root);
    const workspace = must(await openWorkspace({ roots: [root], stateDir }));
    const [last] = await workspace.log({ path: "f" }).then((log) => (log.kind === "log" ? log.entries : []));
    await workspace.close();
    expect([swapped.length, existsSync(path("f")), last?.after]).toEqual([1, false, null]);
    expect(stagesIn(root)).toEqual([]);
  });

  it("gives another program's file its name back at the next start", async () => {
    const inject = [`inject=unlink:signal=KILL:when=${(await indexes()).unlink}`];
    await undo(inject);
    const [name = ""] = stagesIn(root);
    writeFileSync(path(name), "theirs");
    await must(await openWorkspace({ roots: [root], stateDir })).close();
    expect(textAt(path("f"))).toBe("theirs");
    expect(stagesIn(root)).toEqual([]);
  });
});
