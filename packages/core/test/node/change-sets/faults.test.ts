import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HistoryEntry } from "../../../src/files/index.js";
import type { FileChange } from "../../../src/files/values/index.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { openPorts, type RecoveredSets } from "../../../src/node/index.js";
import { type Call, callsIn, endsOf, making, strikesAll, striking, struck, traced } from "../strikes.js";
import { bytesOf, freshFolder, hasStrace, must, runTraced, stagesIn } from "../support.js";

/**
 * Ten files: four updated, two created (one in a new folder), two deleted, one renamed and edited; and two links, one
 * deleted and one renamed. The set is struck
 * where it hurts most; `HOLDFAST_SWEEP=all` strikes at every call, `npm run proof -- faults` at those of a smaller set.
 */
const hunk = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
const old = "a\nb\nc\n";
const next = "a\nB\nc\n";
const base = sha256(bytesOf(old));
type Tree = Readonly<Record<string, string>>;
const before: Tree = {
  up0: old,
  up1: old,
  "sub/up2": old,
  up3: old,
  gone0: old,
  "sub/gone1": old,
  from: old,
  gone2: "-> nowhere",
  link: "-> up0",
};
const after: Tree = {
  up0: next,
  up1: next,
  "sub/up2": next,
  up3: "whole\n",
  new0: "n\n",
  "deep/er/new1": "n\n",
  "sub/to": next,
  "sub/link": "-> up0",
};
const changes: readonly FileChange[] = [
  ...["up0", "up1", "sub/up2"].map(
    (path): FileChange => ({ path, base, content: { kind: "diff", diff: hunk } }),
  ),
  { path: "up3", base, content: { kind: "text", text: "whole\n" } },
  ...["new0", "deep/er/new1"].map((path): FileChange => ({ path, content: { kind: "text", text: "n\n" } })),
  ...["gone0", "sub/gone1"].map((path): FileChange => ({ path, base, content: { kind: "delete" } })),
  { path: "from", base, renameTo: "sub/to", content: { kind: "diff", diff: hunk } },
  { path: "gone2", base: sha256(bytesOf("nowhere")), content: { kind: "delete" } },
  { path: "link", base: sha256(bytesOf("up0")), renameTo: "sub/link", content: { kind: "same" } },
];
const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();

function newTrial() {
  const top = realpathSync(freshFolder("holdfast-sets-"));
  const root = join(top, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  for (const [path, text] of Object.entries(before))
    if (text.startsWith("-> ")) symlinkSync(text.slice(3), join(root, path));
    else writeFileSync(join(root, path), text);
  const request = join(top, "request.json");
  writeFileSync(request, JSON.stringify(changes));
  return { top, root, stateDir: join(top, "state"), request };
}

type Trial = ReturnType<typeof newTrial>;

const run = ({ root, stateDir, request }: Trial, options: readonly string[]) =>
  struck(() => runTraced(options, "change-set.mjs", root, stateDir, request));

function treeOf({ root }: Trial): Tree {
  const shown = (path: string) => {
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const isLink = stat.isSymbolicLink();
    return [[path, isLink ? `-> ${readlinkSync(join(root, path))}` : readFileSync(join(root, path), "utf8")]];
  };
  return Object.fromEntries(paths.flatMap(shown));
}

let calls: readonly Call[] | undefined;

function callsOfSet(): readonly Call[] {
  if (calls !== undefined) return calls;
  const trial = newTrial();
  const log = join(trial.top, "trace");
  expect(JSON.parse(run(trial, ["-o", log, "-e", `trace=${traced}`]).stdout)).toMatchObject({
    code: "applied",
  });
  calls = callsIn(log);
  return calls;
}

/** What the next start finds and leaves: all old or all new, and nothing of ours anywhere. */
async function recovered(trial: Trial, where: string) {
  const told: RecoveredSets[] = [];
  const { root, stateDir } = trial;
  const ports = must(
    await openPorts({ roots: [root], stateDir, onRecovered: (sets) => void told.push(sets) }),
  );
  const entries: HistoryEntry[] = [];
  for (const path of paths) {
    await must(await ports.locks.acquire(join(root, path), 0)).release();
    entries.push(...(await ports.history.entries(join(root, path))));
  }
  await ports.close();
  const folders = ["", "sub", "deep", "deep/er"].map((folder) => join(root, folder)).filter(existsSync);
  const records = ["changes", "intents"].map((room) => join(stateDir, room)).filter(existsSync);
  expect([folders.flatMap(stagesIn), records.flatMap((room) => readdirSync(room))], where).toEqual([[], []]);
  const tree = treeOf(trial);
  const names = Object.keys(tree).map((path) => lstatSync(join(root, path)).nlink);
  expect([told.flatMap(({ leftAlone }) => leftAlone), Math.max(...names)], where).toEqual([[], 1]);
  return { entries, told, tree };
}

async function checkWhole(trial: Trial, where: string): Promise<"old" | "new"> {
  const first = await recovered(trial, where);
  const isNew = first.tree.new0 !== undefined;
  expect(first.tree, where).toEqual(isNew ? after : before);
  expect(first.entries.length, where).toBe(isNew ? paths.length : 0);
  if (!isNew) expect(existsSync(join(trial.root, "deep")), where).toBe(false);
  expect(await recovered(trial, where), where).toEqual({ ...first, told: [] });
  return isNew ? "new" : "old";
}

const isStep = ({ name, text }: Call) =>
  (name === "link" && /\/(new0|new1|to)"\)/.test(text)) ||
  (name === "symlink" && text.includes("/link")) ||
  (name.startsWith("rename") && /\/proc\/self\/fd/.test(text));

describe.skipIf(!hasStrace)("a change set over ten files under strace", () => {
  it("journals before it stages, stages durably before it begins, and decides durably before it answers", () => {
    const indices = (test: (call: Call) => boolean) =>
      callsOfSet().flatMap((call, at) => (test(call) ? [at] : []));
    const journaled = indices(
      ({ name, text }) => name === "openat" && /state\/changes\/.*O_CREAT/.test(text),
    )[0];
    const staged = indices(({ name, text }) => name === "openat" && /\.holdfast-.*O_CREAT/.test(text));
    const steps = indices(isStep);
    const decided = indices(({ name, text }) => name === "pwrite64" && text.includes("committed"))[0];
    const answered = indices(({ name, text }) => name === "write" && text.includes("applied"))[0];
    // Four updates, three new names; what stages nothing: three removals, two of links, a new link.
    expect([staged.length, steps.length]).toEqual([7, 13]);
    const marks = [journaled, staged[0], steps[0], steps.at(-1), decided, answered].map(
      (at) => at ?? Number.NaN,
    );
    expect([...marks].sort((one, other) => one - other)).toEqual(marks);
    const syncs = marks.slice(1).map((to, at) => {
      const from = marks[at] ?? 0;
      return indices(({ name }) => name === "fsync").filter((sync) => sync > from && sync < to).length;
    });
    // The record, its folder and the two above that are new; seven stages and three folders (the new ones
    // twice as they are made); nothing between the steps; three folders; the decision.
    expect(syncs).toEqual([4, 12, 0, 3, 1]);
  });

  it("killed at any system call leaves all files old or all new", async () => {
    const ends = { old: 0, new: 0, mixed: 0 };
    // Between the steps, and before and after the decision.
    const decided = callsOfSet().findIndex(
      ({ name, text }) => name === "pwrite64" && text.includes("committed"),
    );
    const struckAt = endsOf(callsOfSet(), (call) => strikesAll || isStep(call)).concat(
      strikesAll
        ? []
        : endsOf(callsOfSet().slice(decided), ({ name }) => name === "fsync" || name === "unlink"),
    );
    for (const call of struckAt) {
      const trial = newTrial();
      run(trial, striking(call, "signal=KILL"));
      const tree = JSON.stringify(treeOf(trial));
      if (![before, after].some((whole) => tree === JSON.stringify(sorted(whole)))) ends.mixed += 1;
      ends[await checkWhole(trial, `killed at ${call.name}(${call.text}`)] += 1;
    }
    expect(callsOfSet().length).toBeGreaterThan(200);
    expect(Math.min(...Object.values(ends)), JSON.stringify(ends)).toBeGreaterThan(0);
  }, 1_200_000);

  it("in which a system call fails is whole at once, and says the truth", async () => {
    const ends = new Set<string>();
    const isDecision = ({ name, text }: Call) => name === "pwrite64" && text.includes("committed");
    const mayFail = (code: string, call: Call) => {
      if (strikesAll) return making.includes(call.name) || (code === "EIO" && call.name === "statx");
      return code === "EIO" ? isStep(call) : isDecision(call) || call.name === "unlink";
    };
    const strikes = ["EIO", "ENOSPC"].flatMap((code) =>
      endsOf(callsOfSet(), (call) => mayFail(code, call)).map((call) => ({ code, call })),
    );
    for (const { code, call } of strikes) {
      const trial = newTrial();
      const result = run(trial, striking(call, `error=${code}`));
      const where = `${code} at ${call.name}(${call.text}: ${result.stdout}${result.stderr}`;
      expect(result.status, where).toBe(0);
      const answer = JSON.parse(result.stdout);
      const told: string = answer.fault === undefined ? answer.code : `${answer.fault} ${answer.state}`;
      const isNew = told === "applied" || told === "DiskFault visible";
      expect(treeOf(trial), where).toEqual(isNew ? after : before);
      expect(await checkWhole(trial, where)).toBe(isNew ? "new" : "old");
      ends.add(told);
    }
    expect(ends.size, [...ends].join()).toBeGreaterThan(1);
  }, 1_200_000);
});

function sorted(tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).sort(([one], [other]) => (one < other ? -1 : 1)));
}
