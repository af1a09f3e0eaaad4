import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { HistoryEntry } from "../../../src/files/index.js";
import { currentBase } from "../../../src/files/values/index.js";
import { collectGarbage } from "../../../src/node/index.js";
import { openPorts } from "../../../src/node/workspace/open.js";
import { ground, sha } from "../../support.js";
import { must } from "../support.js";

const weekMs = 7 * 24 * 60 * 60 * 1_000;
const caller = { conversation: "talk", call: "n1" };

async function portsOn(root: string, stateDir: string) {
  const ports = must(await openPorts({ roots: [root], stateDir }));
  onTestFinished(() => ports.close());
  return ports;
}

function entry(realPath: string, id: string): HistoryEntry {
  return { id, realPath, time: 1, session: "s", tool: "t", before: null, after: sha("x") };
}

it("a write, a change set and their undos are operations, each once, in the order of time", async () => {
  const { root, stateDir, workspace } = await ground({ "a.txt": "a\n", "b.txt": "b\n" });
  await workspace.write({ path: "a.txt", content: "a 1\n", base: currentBase }, { caller });
  const changes = ["a.txt", "b.txt"].map((path) => ({
    path,
    base: sha(path === "a.txt" ? "a 1\n" : "b\n"),
    content: { kind: "delete" } as const,
  }));
  await workspace.applyChanges(
    { changes: [...changes, { path: "new/c.txt", content: { kind: "text", text: "c\n" } }] },
    { caller },
  );
  await workspace.undo({ path: "b.txt" });
  await workspace.undo({ path: "a.txt" });
  const operations = (await (await portsOn(root, stateDir)).history.since?.(0)) ?? [];
  const done = operations.filter(({ tool }) => tool !== "read");
  const [write, set, setBack, back] = done;
  expect(done.map(({ files }) => files.map(({ path, before, after }) => [path, before, after]))).toEqual([
    [["a.txt", sha("a\n"), sha("a 1\n")]],
    [
      ["a.txt", sha("a 1\n"), null],
      ["b.txt", sha("b\n"), null],
      ["new/c.txt", null, sha("c\n")],
    ],
    [
      [undefined, sha("c\n"), null],
      [undefined, null, sha("b\n")],
      [undefined, null, sha("a 1\n")],
    ],
    [[undefined, sha("a 1\n"), sha("a\n")]],
  ]);
  expect([write?.caller, set?.caller, back?.caller]).toEqual([caller, caller, undefined]);
  expect([setBack?.undoes, back?.undoes, set?.changeSet]).toEqual([set?.id, write?.id, set?.id]);
  expect(set?.files[2]?.folders).toEqual([join(root, "new")]);
  expect(operations.map(({ time }) => time)).toEqual(
    operations.map(({ time }) => time).sort((one, other) => one - other),
  );
  const { history } = await portsOn(root, stateDir);
  expect(await history.since?.(Date.now() + weekMs)).toEqual([]);
});

it("a set is in the log whole or not at all, whichever byte of its line is cut, and the next line is whole", async () => {
  const { root, stateDir, workspace } = await ground({});
  const changes = ["a", "b"].map((path) => ({ path, content: { kind: "text", text: `${path}\n` } as const }));
  expect(await workspace.applyChanges({ changes })).toMatchObject({ code: "applied" });
  const [name = ""] = readdirSync(join(stateDir, "operations"));
  const log = join(stateDir, "operations", name);
  const line =
    readFileSync(log, "utf8")
      .split("\n")
      .find((one) => one.includes("changeSet")) ?? "";
  for (let length = 0; length <= line.length; length += 13) {
    writeFileSync(log, `\n${line.slice(0, length)}`);
    const { history } = await portsOn(root, stateDir);
    await history.record(entry(join(root, "b"), "next"));
    const found = await Promise.all(["a", "b"].map((path) => history.entries(join(root, path))));
    expect(found.map((entries) => entries.map(({ id }) => id))).toEqual([[], ["next"]]);
  }
});

it("a line that is longer than all keys together is no other line's end, be it garbage or a huge operation", async () => {
  const { root, stateDir } = await ground({});
  const [reader, writer] = [await portsOn(root, stateDir), await portsOn(root, stateDir)];
  const idsOf = async ({ history }: typeof reader) => (await history.entries("/p")).map(({ id }) => id);
  await writer.history.record(entry("/p", "1"));
  expect(await idsOf(reader)).toEqual(["1"]);
  const [name = ""] = readdirSync(join(stateDir, "operations"));
  const log = join(stateDir, "operations", name);
  appendFileSync(log, "x".repeat(20 << 20));
  expect(await idsOf(reader)).toEqual(["1"]);
  appendFileSync(log, "xx\n");
  await writer.history.record({ ...entry("/p", "2"), tool: "t".repeat(9 << 20) });
  await writer.history.record(entry("/p", "3"));
  for (const ports of [reader, writer, await portsOn(root, stateDir)])
    expect(await idsOf(ports)).toEqual(["1", "2", "3"]);
});

it("no line goes before one that is there, though the clock was put back or another process began a new week", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const { root, stateDir } = await ground({});
  const [one, other] = [await portsOn(root, stateDir), await portsOn(root, stateDir)];
  const now = Date.now();
  const ids: string[] = [];
  for (const [at, moment] of [now, now + weekMs, now, now + 3 * weekMs, now + 2 * weekMs, now].entries()) {
    vi.setSystemTime(moment);
    ids.push(`${at}`);
    await (at % 2 === 0 ? one : other).history.record(entry("/p", `${at}`));
    for (const { history } of [one, other, await portsOn(root, stateDir)])
      expect((await history.entries("/p")).map(({ id }) => id)).toEqual(ids);
  }
  expect(readdirSync(join(stateDir, "operations"))).toHaveLength(3);
});

it("what is added to the week before is seen by one who reads the next one already", async () => {
  const { root, stateDir } = await ground({});
  const [reader, writer] = [await portsOn(root, stateDir), await portsOn(root, stateDir)];
  await writer.history.record(entry("/p", "1"));
  const folder = join(stateDir, "operations");
  const [name = ""] = readdirSync(folder);
  const late = readFileSync(join(folder, name), "utf8");
  renameSync(join(folder, name), join(folder, "2020-01-02.jsonl"));
  await writer.history.record(entry("/p", "2"));
  expect((await reader.history.entries("/p")).map(({ id }) => id)).toEqual(["1", "2"]);
  writeFileSync(join(folder, "2020-01-02.jsonl"), late + late);
  expect((await reader.history.entries("/p")).map(({ id }) => id)).toEqual(["1", "1", "2"]);
});

it("gc leaves the week to which somebody may add, however little is to be kept", async () => {
  const { root, stateDir } = await ground({});
  const ports = await portsOn(root, stateDir);
  await ports.history.record(entry("/p", "1"));
  await ports.close();
  expect(must(await collectGarbage({ stateDir, maxAgeMs: 0 }))).toMatchObject({ removedHistories: 0 });
  expect(await (await portsOn(root, stateDir)).history.entries("/p")).toHaveLength(1);
  mkdirSync(join(stateDir, "operations", "not a week"));
  must(await collectGarbage({ stateDir, maxAgeMs: 0 }));
});
