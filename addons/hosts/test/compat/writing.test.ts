import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { openPorts, openWorkspace } from "@holdfast/core/node";
import type { ServedWorkspace } from "@holdfast/mcp";
import { expect, onTestFinished, test } from "vitest";
import { turnsDuring } from "../../../../packages/core/test/turns.js";
import { makeGround } from "../../../../packages/mcp/test/support.js";
import { roomWithin } from "../../src/compat/fit.js";
import { listDirectory } from "../../src/compat/listing.js";
import { readTextFile } from "../../src/compat/reading.js";
import { type CompatAnswer, type CompatCall, compatWords, shownIn } from "../../src/compat/session.js";
import { editFile, moveFile, writeFile } from "../../src/compat/writing.js";

const manyLines = Array.from({ length: 150_000 }, (_, at) => `line ${at} of the file\n`).join("");

/** Longer than there is room for, from the first line to the last one. */
const farEdits = ["line 0 of", "line 149999 of"].map((oldText) => ({
  oldText,
  newText: `${"more\n".repeat(500)}${oldText}`,
}));

/** The workspace, and when its answer to a change is there. */
async function openTold(root: string, stateDir: string) {
  const workspace = await openWorkspace({ roots: [root], stateDir });
  if (isRefusal(workspace)) throw new Error(workspace.message);
  onTestFinished(() => workspace.close());
  let tell = () => {};
  const answered = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const told = async <Outcome>(outcome: Promise<Outcome>) => {
    await outcome;
    tell();
    return outcome;
  };
  const watched: ServedWorkspace = {
    roots: workspace.roots,
    begin: () => workspace.begin(),
    list: (...of) => workspace.list(...of),
    makeFolder: (...of) => workspace.makeFolder(...of),
    info: (...of) => workspace.info(...of),
    readBytes: (...of) => workspace.readBytes(...of),
    run: (...of) => told(workspace.run(...of)),
    preview: (...of) => told(workspace.preview(...of)),
  };
  return { workspace, watched, answered };
}

test("others have their turns while a difference is shown", async () => {
  const { root, stateDir, put } = await makeGround();
  await put("a.txt", manyLines);
  const { workspace, watched, answered } = await openTold(root, stateDir);
  const knowledge = workspace.begin();
  await workspace.run({ kind: "read", path: "a.txt" }, { knowledge });
  const room = roomWithin({ budgetChars: 2_000 });
  const call = { workspace: watched, knowledge, words: compatWords(false), room };
  const answer = editFile(call, { path: "a.txt", edits: farEdits });
  await answered;
  const { result, turns } = await turnsDuring(() => answer);
  expect(result).toMatchObject({ kind: "text" });
  expect(result.kind === "text" && result.text).toContain("more lines of the difference");
  expect(turns).toBeGreaterThanOrEqual(3);
});

test("what another program wrote into a replaced file is told behind the official server's words", async () => {
  const { root, stateDir, put } = await makeGround();
  const names = ["a.txt", "b.txt", "c.txt"];
  for (const name of names) await put(name, "one\n");
  const { workspace, watched } = await openTold(root, stateDir);
  const asCall = async (work: (call: CompatCall) => Promise<CompatAnswer>) => {
    const knowledge = workspace.begin();
    const room = roomWithin({ budgetChars: 2_000 });
    const answer = await work({ workspace: watched, knowledge, words: compatWords(false), room });
    knowledge.end(shownIn(answer));
    return answer;
  };
  const read = (path: string) => asCall((call) => readTextFile(call, { path }));
  for (const name of names) await read(name);
  const late = openSync(join(root, "a.txt"), "a");
  await asCall((call) => writeFile(call, { path: "a.txt", content: "two\n" }));

  const tells = async (line: string, change: (call: CompatCall) => Promise<CompatAnswer>) => {
    // So that the next call looks again.
    await new Promise((next) => setTimeout(next, 60));
    writeSync(late, line);
    expect(await read("a.txt")).toMatchObject({ text: "two\n" });
    const text = expect.stringContaining("A displaced write was found");
    expect(await asCall(change)).toMatchObject({ kind: "text", text });
  };
  await tells("late\n", (call) => writeFile(call, { path: "b.txt", content: "two\n" }));
  const edits = [{ oldText: "one", newText: "two" }];
  await tells("later\n", (call) => editFile(call, { path: "c.txt", edits }));
  await tells("later still\n", (call) => moveFile(call, { source: "c.txt", destination: "d.txt" }));
  closeSync(late);
});

test("a listing that ran out of time says so, and speaks of no number of entries", async () => {
  const { root, stateDir, put } = await makeGround();
  await put("a.txt", "");
  let now = 0;
  const ports = await openPorts({ roots: [root], stateDir, clock: { now: () => (now += 10_000) } });
  if (isRefusal(ports)) throw new Error(ports.message);
  onTestFinished(() => ports.close());
  const workspace = new Workspace(ports);
  const room = roomWithin({ budgetChars: 2_000 });
  const call = { workspace, knowledge: workspace.begin(), words: compatWords(false), room };
  const said = JSON.stringify(await listDirectory(call, { path: "." }));
  expect(said).toContain("The time was up before all was listed: name a deeper folder.");
});
