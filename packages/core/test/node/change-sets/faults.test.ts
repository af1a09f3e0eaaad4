import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileChange, HistoryEntry } from "../../../src/files/index.js";
import { sha256 } from "../../../src/node/disk/digest.js";
import { openPorts, type RecoveredSets } from "../../../src/node/index.js";
import { bytesOf, freshFolder, hasStrace, must, runTraced, stagesIn } from "../support.js";

/** The long sweep strikes at every system call; the short one, for CI, at every so-manyeth. */
const { HOLDFAST_SWEEP } = process.env;
const stride = HOLDFAST_SWEEP === "all" ? 1 : 47;

const hunk = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
const old = "a\nb\nc\n";
const next = "a\nB\nc\n";
const base = sha256(bytesOf(old));

/** Ten files: four updated, two created (one in a new folder), two deleted, one renamed and edited. */
const before: Readonly<Record<string, string>> = {
  up0: old,
  up1: old,
  "sub/up2": old,
  up3: old,
  gone0: old,
  "sub/gone1": old,
  from: old,
};
const after: Readonly<Record<string, string>> = {
  up0: next,
  up1: next,
  "sub/up2": next,
  up3: "whole\n",
  new0: "n\n",
  "deep/er/new1": "n\n",
  "sub/to": next,
};
const changes: readonly FileChange[] = [
  ...["up0", "up1", "sub/up2"].map(
    (path): FileChange => ({ path, base, content: { kind: "diff", diff: hunk } }),
  ),
  { path: "up3", base, content: { kind: "text", text: "whole\n" } },
  ...["new0", "deep/er/new1"].map((path): FileChange => ({ path, content: { kind: "text", text: "n\n" } })),
  ...["gone0", "sub/gone1"].map((path): FileChange => ({ path, base, content: { kind: "delete" } })),
  { path: "from", base, renameTo: "sub/to", content: { kind: "diff", diff: hunk } },
];
const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();

interface Trial {
  readonly root: string;
  readonly stateDir: string;
  readonly request: string;
}

function newTrial(): Trial {
  const top = realpathSync(freshFolder("holdfast-sets-"));
  const root = join(top, "root");
  mkdirSync(join(root, "sub"), { recursive: true });
  for (const [path, text] of Object.entries(before)) writeFileSync(join(root, path), text);
  const request = join(top, "request.json");
  writeFileSync(request, JSON.stringify(changes));
  return { root, stateDir: join(top, "state"), request };
}

function remove(trial: Trial): void {
  rmSync(join(trial.root, ".."), { recursive: true, force: true });
}

/** Node makes calls of its own, not always as many: a fault that hit the start and not us is tried again. */
function run(trial: Trial, options: readonly string[], tries = 4): ReturnType<typeof runTraced> {
  const done = runTraced(options, "change-set.mjs", trial.root, trial.stateDir, trial.request);
  const isStart = done.status !== 0 && done.signal === null && done.stdout === "";
  return isStart && tries > 1 ? run(trial, options, tries - 1) : done;
}

function treeOf(trial: Trial): Record<string, string> {
  const present = paths.filter((path) => existsSync(join(trial.root, path)));
  return Object.fromEntries(present.map((path) => [path, readFileSync(join(trial.root, path), "utf8")]));
}

interface Call {
  readonly name: string;
  /** The how-manyeth call of that name in its thread. */
  readonly count: number;
  readonly text: string;
}

const changing = [
  "openat",
  "write",
  "pwrite64",
  "fsync",
  "rename",
  "renameat2",
  "link",
  "unlink",
  "rmdir",
  "symlink",
  "fchmod",
  "fchown",
  "mkdir",
  "close",
  "utimensat",
  "ftruncate",
  "statx",
  "readlink",
];

/** The calls of the main thread from the marker on. */
function traceOf(): readonly Call[] {
  const trial = newTrial();
  const log = join(trial.root, "..", "trace");
  const traced = run(trial, ["-o", log, "-e", `trace=access,${changing.join(",")}`]);
  expect(JSON.parse(traced.stdout)).toMatchObject({ code: "applied" });
  const lines = readFileSync(log, "utf8").split("\n");
  const marker = lines.find((line) => line.includes("holdfast-marker"));
  const main = marker?.split(" ")[0];
  const counts = new Map<string, number>();
  const calls: Call[] = [];
  let begun = false;
  for (const line of lines) {
    const [, pid, name, text] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (pid !== main || name === undefined || text === undefined) continue;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (begun && isOurs(text)) calls.push({ name, count: counts.get(name) ?? 0, text });
    if (line === marker) begun = true;
  }
  return calls;
}

/** Not of Node looking for its modules. */
function isOurs(text: string): boolean {
  return !text.includes("node_modules") && !/"\/(etc|sys|usr|lib|proc\/(sys|\d))/.test(text);
}

/** What the next start finds and leaves: all old or all new, and nothing of ours anywhere. */
async function recovered(trial: Trial, where: string) {
  const told: RecoveredSets[] = [];
  const options = {
    roots: [trial.root],
    stateDir: trial.stateDir,
    onRecovered: (sets: RecoveredSets) => void told.push(sets),
  };
  const ports = must(await openPorts(options));
  const entries: HistoryEntry[] = [];
  for (const path of paths) {
    const realPath = join(trial.root, path);
    const lock = must(await ports.locks.acquire(realPath, 0));
    await lock.release();
    entries.push(...(await ports.history.entries(realPath)));
  }
  await ports.close();
  for (const folder of ["", "sub", "deep", "deep/er"]) {
    const path = join(trial.root, folder);
    if (existsSync(path)) expect(stagesIn(path), where).toEqual([]);
  }
  for (const room of ["changes", "intents"]) {
    const path = join(trial.stateDir, room);
    if (existsSync(path)) expect(readdirSync(path), where).toEqual([]);
  }
  expect(
    told.flatMap(({ leftAlone }) => leftAlone),
    where,
  ).toEqual([]);
  for (const path of Object.keys(treeOf(trial)))
    expect(statSync(join(trial.root, path)).nlink, where).toBe(1);
  return { entries, told, tree: treeOf(trial) };
}

async function checkWhole(trial: Trial, where: string): Promise<"old" | "new"> {
  const first = await recovered(trial, where);
  const isNew = first.tree.new0 !== undefined;
  expect(first.tree, where).toEqual(isNew ? after : before);
  expect(first.entries.length, where).toBe(isNew ? paths.length : 0);
  if (!isNew) expect(existsSync(join(trial.root, "deep")), where).toBe(false);
  const second = await recovered(trial, where);
  expect(second, where).toEqual({ ...first, told: [] });
  return isNew ? "new" : "old";
}

/** Where it hurts most always; of the others some, unless all are asked for. */
function someOf(calls: readonly Call[], always: readonly string[]): readonly Call[] {
  return calls.filter(({ name }, at) => always.includes(name) || at % stride === 0);
}

/** Which calls are made to fail. All our writes have a position: `write` is Node waking itself. */
const making = [
  "openat",
  "pwrite64",
  "fsync",
  "rename",
  "renameat2",
  "link",
  "unlink",
  "symlink",
  "mkdir",
  "rmdir",
  "ftruncate",
];
const failing = {
  EIO: [...making, "statx", "readlink", "fchmod", "fchown", "utimensat"],
  ENOSPC: making,
};

describe.skipIf(!hasStrace)("a change set over ten files under strace", () => {
  it("journals before it stages, stages durably before it begins, and decides durably before it answers", () => {
    const calls = traceOf();
    const indices = (test: (call: Call) => boolean) => calls.flatMap((call, at) => (test(call) ? [at] : []));
    const journaled = indices(
      ({ name, text }) => name === "openat" && /state\/changes\/.*O_CREAT/.test(text),
    )[0];
    const staged = indices(({ name, text }) => name === "openat" && /\.holdfast-.*O_CREAT/.test(text));
    const steps = indices(
      ({ name, text }) =>
        (name === "link" && /\/(new0|new1|to)"\)/.test(text)) ||
        (name.startsWith("rename") && /\/proc\/self\/fd/.test(text)),
    );
    const decided = indices(({ name, text }) => name === "pwrite64" && text.includes("committed"))[0];
    const answered = indices(({ name, text }) => name === "write" && text.includes("applied"))[0];
    // Four updates, three new names; three removals, which stage nothing.
    expect([staged.length, steps.length]).toEqual([7, 10]);
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
    const quiet = ["statx", "readlink"];
    const calls = traceOf().filter((call) => !quiet.includes(call.name));
    const struck = someOf(calls, ["rename", "renameat2"]);
    const ends = { old: 0, new: 0 };
    let mixed = 0;
    let killed = 0;
    for (const { name, count, text } of struck) {
      const trial = newTrial();
      const inject = `inject=${name}:signal=KILL:when=${count}`;
      const result = run(trial, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
      if (result.signal === "SIGKILL" || result.status !== 0) killed += 1;
      const tree = JSON.stringify(treeOf(trial));
      if (tree !== JSON.stringify(treeSorted(before)) && tree !== JSON.stringify(treeSorted(after)))
        mixed += 1;
      ends[await checkWhole(trial, `killed at ${name}(${text}`)] += 1;
      remove(trial);
    }
    if (HOLDFAST_SWEEP !== undefined)
      console.log({ calls: calls.length, struck: struck.length, killed, mixed, ...ends });
    expect(calls.length).toBeGreaterThan(200);
    expect(killed).toBeGreaterThan(struck.length * 0.8);
    expect(Math.min(mixed, ends.old, ends.new)).toBeGreaterThan(0);
  }, 1_200_000);

  for (const code of ["EIO", "ENOSPC"] as const) {
    it(`whose every system call once fails with ${code} is whole at once, and says the truth`, async () => {
      const calls = traceOf().filter(({ name }) => failing[code].includes(name));
      const struck = someOf(calls, ["rename", "renameat2"]);
      const ends: Record<string, number> = {};
      for (const { name, count, text } of struck) {
        const trial = newTrial();
        const inject = `inject=${name}:error=${code}:when=${count}`;
        const result = run(trial, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
        const where = `${code} at ${name}(${text}: ${result.stdout}${result.stderr}`;
        expect(result.status, where).toBe(0);
        const answer = JSON.parse(result.stdout);
        const tree = treeOf(trial);
        const told: string = answer.fault === undefined ? answer.code : `${answer.fault} ${answer.state}`;
        ends[told] = (ends[told] ?? 0) + 1;
        if (HOLDFAST_SWEEP !== undefined && !["applied", "DiskFault unchanged"].includes(told))
          console.log(told, where);
        if (told !== "DiskFault divided") {
          const isNew = told === "applied" || told === "DiskFault visible";
          expect(tree, where).toEqual(isNew ? after : before);
          expect(await checkWhole(trial, where)).toBe(isNew ? "new" : "old");
        } else await checkWhole(trial, where);
        remove(trial);
      }
      if (HOLDFAST_SWEEP !== undefined)
        console.log(code, { calls: calls.length, struck: struck.length, ...ends });
      expect(Object.keys(ends).length).toBeGreaterThan(1);
      expect(ends["DiskFault divided"] ?? 0).toBe(0);
    }, 1_200_000);
  }
});

function treeSorted(tree: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).sort(([one], [other]) => (one < other ? -1 : 1)));
}
