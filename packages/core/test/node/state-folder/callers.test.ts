import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { currentBase } from "../../../src/files/values/index.js";
import { collectGarbage, openWorkspace } from "../../../src/node/index.js";
import { keyOf } from "../../../src/node/state-folder/locks.js";
import { withCheck } from "../../../src/node/state-folder/operation-segment.js";
import { ground } from "../../support.js";
import { must } from "../support.js";

const dayMs = 24 * 60 * 60 * 1_000;
const longAgo = (Date.now() - 40 * dayMs) / 1_000;

async function opened(root: string, stateDir: string) {
  const workspace = must(await openWorkspace({ roots: [root], stateDir }));
  onTestFinished(() => workspace.close());
  const write = async (path: string, conversation: string) =>
    expect(
      await workspace.write(
        { path, content: "x\n", base: currentBase },
        { caller: { conversation, call: "1" } },
      ),
    ).toMatchObject({ code: "applied" });
  return { workspace, write };
}

it("gc drops the days of the log that are over, and what was done for conversations then; the rest stays", async () => {
  const { root, stateDir } = await ground({});
  const first = await opened(root, stateDir);
  await first.write("idle.txt", "over");
  await first.write("idle-too.txt", "goes on");
  await first.workspace.close();
  const room = join(stateDir, "operations");
  const [today = ""] = readdirSync(room);
  const day = join(room, "2020-01-01.jsonl");
  renameSync(join(room, today), day);
  utimesSync(day, longAgo, longAgo);
  const later = await opened(root, stateDir);
  await later.write("live.txt", "goes on");
  const written = async (conversation: string) => {
    const { workspace } = await opened(root, stateDir);
    return (await workspace.callerWrites(conversation)).map(({ path }) => path);
  };
  expect([await written("over"), await written("goes on")]).toEqual([
    ["idle.txt"],
    ["idle-too.txt", "live.txt"],
  ]);
  expect(must(await collectGarbage({ stateDir, dryRun: true }))).toMatchObject({ removedHistories: 1 });
  expect(existsSync(day)).toBe(true);
  expect(must(await collectGarbage({ stateDir }))).toMatchObject({ removedHistories: 1 });
  expect([await written("over"), await written("goes on")]).toEqual([[], ["live.txt"]]);
});

it("gc drops what an earlier release noted for conversations with the last of its histories", async () => {
  const { root, stateDir } = await ground({});
  const note = (path: string, conversation: string, seconds: number) => {
    const realPath = join(root, path);
    const write = {
      id: path,
      time: 1,
      session: "s",
      tool: "write_file",
      before: null,
      after: "0".repeat(64),
    };
    const entry = { ...write, realPath, caller: { conversation, call: "1", path } };
    const folder = join(stateDir, "callers", keyOf(conversation));
    const history = join(stateDir, "history", `${keyOf(realPath)}.jsonl`);
    for (const made of [folder, join(stateDir, "history")]) mkdirSync(made, { recursive: true, mode: 0o700 });
    writeFileSync(history, `${withCheck(JSON.stringify(entry))}\n`);
    utimesSync(history, seconds, seconds);
    symlinkSync(realPath, join(folder, keyOf(realPath)));
    lutimesSync(join(folder, keyOf(realPath)), seconds, seconds);
  };
  note("idle.txt", "over", longAgo);
  note("idle-too.txt", "goes on", longAgo);
  note("live.txt", "goes on", Date.now() / 1_000);
  const { workspace } = await opened(root, stateDir);
  const written = async (conversation: string) =>
    (await workspace.callerWrites(conversation)).map(({ path }) => path);
  expect([await written("over"), await written("goes on")]).toEqual([
    ["idle.txt"],
    ["idle-too.txt", "live.txt"],
  ]);
  await workspace.close();
  must(await collectGarbage({ stateDir, dryRun: true }));
  expect(must(await collectGarbage({ stateDir }))).toMatchObject({ removedHistories: 2 });
  const later = (await opened(root, stateDir)).workspace;
  expect(await later.callerWrites("goes on")).toMatchObject([{ path: "live.txt" }]);
  expect(await later.callerWrites("over")).toEqual([]);
  await later.close();
  for (const name of readdirSync(join(stateDir, "history")))
    utimesSync(join(stateDir, "history", name), longAgo, longAgo);
  expect(must(await collectGarbage({ stateDir }))).toMatchObject({ removedHistories: 1 });
  expect(existsSync(join(stateDir, "callers"))).toBe(false);
});
