import { lstatSync, lutimesSync, readdirSync, readlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { currentBase } from "../../../src/files/values/index.js";
import { collectGarbage, openWorkspace } from "../../../src/node/index.js";
import { noteCallers } from "../../../src/node/state-folder/callers.js";
import { openStateFolder } from "../../../src/node/state-folder/state-folder.js";
import { ground } from "../../support.js";
import { must } from "../support.js";

const dayMs = 24 * 60 * 60 * 1_000;
const longAgo = (Date.now() - 40 * dayMs) / 1_000;

/** What stands in the room of callers: the files of all conversations. */
function noted(stateDir: string): readonly string[] {
  const room = join(stateDir, "callers");
  return readdirSync(room)
    .flatMap((folder) =>
      readdirSync(join(room, folder)).map((name) => readlinkSync(join(room, folder, name))),
    )
    .sort();
}

/** The room, its links and its histories are as if nothing had happened since. */
function growOld(stateDir: string, path: string): void {
  const room = join(stateDir, "callers");
  for (const folder of readdirSync(room))
    for (const name of readdirSync(join(room, folder))) {
      const link = join(room, folder, name);
      if (readlinkSync(link) !== path) continue;
      lutimesSync(link, longAgo, longAgo);
      utimesSync(join(stateDir, "history", `${name}.jsonl`), longAgo, longAgo);
    }
}

it("gc drops what is noted of files whose histories are over, and folders that hold nothing; the rest stays", async () => {
  const { root, stateDir } = await ground({});
  const workspace = must(await openWorkspace({ roots: [root], stateDir }));
  onTestFinished(() => workspace.close());
  const write = (path: string, conversation: string) =>
    workspace.write({ path, content: "x\n", base: currentBase }, { caller: { conversation, call: "1" } });
  expect(await write("idle.txt", "over")).toMatchObject({ code: "applied" });
  expect(await write("idle-too.txt", "goes on")).toMatchObject({ code: "applied" });
  expect(await write("live.txt", "goes on")).toMatchObject({ code: "applied" });
  await workspace.close();
  const [idle, idleToo, live] = ["idle.txt", "idle-too.txt", "live.txt"].map((name) => join(root, name));
  if (idle === undefined || idleToo === undefined || live === undefined) throw new Error("three files");
  growOld(stateDir, idle);
  growOld(stateDir, idleToo);
  must(await collectGarbage({ stateDir, dryRun: true }));
  expect(noted(stateDir)).toEqual([idleToo, idle, live].sort());
  expect(must(await collectGarbage({ stateDir }))).toMatchObject({ removedHistories: 2 });
  expect(noted(stateDir)).toEqual([live]);
  must(await collectGarbage({ stateDir }));
  expect(readdirSync(join(stateDir, "callers"))).toHaveLength(1);
  const later = must(await openWorkspace({ roots: [root], stateDir }));
  onTestFinished(() => later.close());
  expect(await later.callerWrites("goes on")).toMatchObject([{ path: "live.txt" }]);
  expect(await later.callerWrites("over")).toEqual([]);
});

it("gc leaves what was noted for a write whose history is not there yet", async () => {
  const { root, stateDir } = await ground({});
  const state = must(openStateFolder(stateDir));
  const realPath = join(root, "new.txt");
  const entry = {
    id: "1",
    time: Date.now(),
    session: "s",
    tool: "write_file",
    path: "new.txt",
    realPath,
    before: null,
    after: "0".repeat(64),
    caller: { conversation: "c", call: "1", path: "new.txt" },
  };
  noteCallers(state, [entry]);
  must(await collectGarbage({ stateDir }));
  expect(noted(stateDir)).toEqual([realPath]);
  // It never came to a write, and the next one finds the note there.
  const [folder = ""] = readdirSync(join(stateDir, "callers"));
  const [name = ""] = readdirSync(join(stateDir, "callers", folder));
  const link = join(stateDir, "callers", folder, name);
  lutimesSync(link, longAgo, longAgo);
  noteCallers(state, [entry]);
  expect(lstatSync(link).mtimeMs).toBeGreaterThan(Date.now() - dayMs);
  must(await collectGarbage({ stateDir }));
  expect(noted(stateDir)).toEqual([realPath]);
  lutimesSync(link, longAgo, longAgo);
  must(await collectGarbage({ stateDir }));
  expect(noted(stateDir)).toEqual([]);
});
