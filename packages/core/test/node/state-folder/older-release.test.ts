import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { currentBase } from "../../../src/files/values/index.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { openWorkspace, type RecoveredSets } from "../../../src/node/index.js";
import { keyOf } from "../../../src/node/state-folder/locks.js";
import { withCheck } from "../../../src/node/state-folder/operation-segment.js";
import older from "../fixtures/older-release.json" with { type: "json" };
import { freshFolder, must, stagesIn, textAt } from "../support.js";

// The fixture is what a release before the operation log left: it read, wrote `a.txt` twice and undid once, changed `b.txt`,
// `c.txt` and `new/d.txt` as a set, was killed in a write of `x.txt` right after the exchange, and in a set of `y.txt` and
// `z.txt` between its two steps.
let root: string;
let stateDir: string;

beforeEach(() => {
  const top = realpathSync(freshFolder());
  [root, stateDir] = [join(top, "root"), join(top, "state")];
  mkdirSync(stateDir, { mode: 0o700 });
  for (const { names, text, link } of older) {
    const [first = "", ...others] = names.map((name) => join(top, name.replace(/@KEY (.*)@/s, keyHere)));
    for (const path of [first, ...others]) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (link !== undefined) symlinkSync(here(link), first);
    else writeFileSync(first, here(text ?? ""), { mode: 0o600 });
    for (const other of others) linkSync(first, other);
  }
});

const keyHere = (_: string, path: string) => keyOf(join(root, path));
const here = (text: string) =>
  text.replaceAll("@ROOT@", root).replace(/^\["@CHECK@",(.*)\]$/gm, (_, json: string) => withCheck(json));
const historyOf = (path: string) => join(stateDir, "history", `${keyOf(join(root, path))}.jsonl`);
const texts = (...paths: readonly string[]) => paths.map((path) => textAt(join(root, path)));

async function opened() {
  const told: RecoveredSets[] = [];
  const workspace = must(
    await openWorkspace({ roots: [root], stateDir, onRecovered: (sets) => void told.push(sets) }),
  );
  onTestFinished(() => workspace.close());
  const log = async (path: string) => {
    const logged = must(await workspace.log({ path }));
    return logged.entries.map(
      ({ tool, undoes, current }) => `${tool}${undoes ? " back" : ""}${current ? " *" : ""}`,
    );
  };
  return { workspace, log, told };
}

describe("a state folder of a release before the operation log", () => {
  it("is recovered: the write was done, and the set was not", async () => {
    const { log, told } = await opened();
    expect(texts("x.txt", "y.txt", "z.txt")).toEqual(["x 1\n", "y 0\n", "z 0\n"]);
    expect(told).toMatchObject([{ finished: 0, takenBack: 1, leftAlone: [] }]);
    expect([await log("x.txt"), await log("y.txt")]).toEqual([["write_file *"], ["read *"]]);
    expect([
      stagesIn(root),
      ...["intents", "changes"].map((room) => readdirSync(join(stateDir, room))),
    ]).toEqual([[], [], []]);
  });

  it("is the oldest part of the log: undo, restore, sets and conversations go by it", async () => {
    const { workspace, log } = await opened();
    expect(await log("a.txt")).toEqual(["undo_edit back *", "write_file", "write_file *"]);
    const paths = async () => (await workspace.callerWrites("talk")).map(({ path }) => path);
    expect(await paths()).toEqual(["a.txt", "a.txt", "b.txt", "c.txt", "new/d.txt", "x.txt"]);
    const undo = async (path: string) =>
      expect(await workspace.undo({ path })).toMatchObject({ code: "applied" });
    const write = async (path: string, content: string) =>
      expect(
        await workspace.write(
          { path, content, base: currentBase },
          { caller: { conversation: "talk", call: "n5" } },
        ),
      ).toMatchObject({ code: "applied" });
    await write("a.txt", "a 3\n");
    expect((await paths()).filter((path) => path === "a.txt")).toHaveLength(3);
    for (const text of ["a 1\n", "a 0\n"]) {
      await undo("a.txt");
      expect(texts("a.txt")).toEqual([text]);
    }
    expect(await workspace.undo({ path: "a.txt" })).toMatchObject({ code: "nothing_to_undo" });
    expect(await workspace.restore({ path: "a.txt", sha256: sha256(Buffer.from("a 2\n")) })).toMatchObject({
      code: "applied",
    });
    await undo("b.txt");
    expect([texts("b.txt", "c.txt"), readdirSync(root)]).toEqual([
      ["b 0\n", "c 0\n"],
      ["a.txt", "b.txt", "c.txt", "x.txt", "y.txt", "z.txt"],
    ]);
    expect(await workspace.undo({ path: "c.txt" })).toMatchObject({ code: "nothing_to_undo" });
    await undo("x.txt");
    expect(texts("x.txt")).toEqual(["x 0\n"]);
  });

  it("may be at work beside this one: what it adds is in its place in time", async () => {
    const { workspace, log } = await opened();
    const lines = readFileSync(historyOf("a.txt"), "utf8").trimEnd().split("\n");
    const entry: Record<string, unknown> = JSON.parse(lines[0] ?? "")[1];
    await workspace.write({ path: "a.txt", content: "a 3\n", base: currentBase });
    const theirs = { ...entry, id: "theirs", time: Date.now() + 1, tool: "theirs" };
    appendFileSync(historyOf("a.txt"), `${withCheck(JSON.stringify(theirs))}\n`);
    expect((await log("a.txt")).slice(0, 3)).toEqual(["theirs", "write_file *", "undo_edit back"]);
  });

  it("that was killed between two lines of a decided set gets the line that is missing, once", async () => {
    const room = join(stateDir, "changes");
    const [name = ""] = readdirSync(room);
    const record = readFileSync(join(room, name), "utf8");
    const [{ entry }] = JSON.parse(record.split("\n")[0] ?? "")[1].steps;
    for (const stage of stagesIn(root)) if (!stage.endsWith("-swap")) rmSync(join(root, stage));
    writeFileSync(join(root, "z.txt"), "z 1\n");
    writeFileSync(
      join(stateDir, "history", `${keyOf(entry.changeSet)}.set`),
      JSON.stringify([join(root, "y.txt"), join(root, "z.txt")]),
    );
    writeFileSync(historyOf("y.txt"), `${withCheck(JSON.stringify(entry))}\n`);
    appendFileSync(join(room, name), "\ncommitted\n");
    const { workspace, log, told } = await opened();
    expect(told).toMatchObject([{ finished: 1, takenBack: 0 }]);
    expect([await log("y.txt"), await log("z.txt")]).toEqual([["apply_changes *"], ["apply_changes *"]]);
    expect(await workspace.undo({ path: "z.txt" })).toMatchObject({ code: "applied" });
    expect(texts("y.txt", "z.txt")).toEqual(["y 0\n", "z 0\n"]);
    expect(await workspace.undo({ path: "y.txt" })).toMatchObject({ code: "nothing_to_undo" });
  });
});
