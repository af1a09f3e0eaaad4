import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { planRestore, recoverRestore, restoreFiles } from "../../../src/conversation/index.js";
import { must } from "../../conversation/support.js";
import { hasStrace, runTraced } from "../support.js";
import { copyOf, newPlace, open, type Place, treeOf, write } from "./restore-ground.js";

/** The long sweep strikes at every system call; the short one, for CI, at every so-manyeth. */
const { HOLDFAST_SWEEP } = process.env;
const stride = HOLDFAST_SWEEP === "all" ? 1 : 17;

/** Where the conversation began, where it stands, and what somebody else has written since. */
const before = {
  up0: "one\n",
  up1: "one\n",
  "sub/up2": "one\n",
  gone: "one\n",
  theirs: "one\n",
  else: "one\n",
};
const after = {
  up0: "two\n",
  up1: "two\n",
  "sub/up2": "two\n",
  "deep/er/new": "two\n",
  theirs: "others\n",
  else: "one\n",
};

interface Scene extends Place {
  readonly session: string;
  readonly start: string;
  readonly tip: string;
}

let model: Scene | undefined;

beforeAll(async () => {
  const place = await open(newPlace(before));
  const { manager } = place.conversation;
  const start = manager.context.currentNodeId;
  for (const path of ["up0", "up1", "sub/up2", "deep/er/new", "theirs"]) await write(place, path, "two\n");
  await write(place, "gone", null);
  await place.workspace.write({
    path: "theirs",
    content: "others\n",
    base: (await read(place, "theirs")) ?? "",
  });
  const { sessionId, currentNodeId } = manager.context;
  await place.close();
  model = { root: place.root, stateDir: place.stateDir, session: sessionId, start, tip: currentNodeId };
});

async function read(
  { workspace }: Awaited<ReturnType<typeof open>>,
  path: string,
): Promise<string | undefined> {
  const [standing] = await workspace.fileStates([path]);
  return standing?.sha256 ?? undefined;
}

function newTrial(): Scene {
  if (model === undefined) throw new Error("there is no model");
  return { ...model, ...copyOf(model) };
}

/** Node makes calls of its own, not always as many: a fault that hit the start and not us is tried again. */
function run(trial: Scene, options: readonly string[], tries = 4): ReturnType<typeof runTraced> {
  const { root, stateDir, session, start } = trial;
  const done = runTraced(options, "restore.mjs", root, stateDir, session, start, "theirs");
  const isStart = done.status !== 0 && done.signal === null && done.stdout === "";
  return isStart && tries > 1 ? run(trial, options, tries - 1) : done;
}

interface Call {
  readonly name: string;
  /** The how-manyeth call of that name in its thread. */
  readonly count: number;
  readonly text: string;
}

const changing =
  "openat write pwrite64 fsync fdatasync rename renameat2 link unlink rmdir symlink fchmod fchown mkdir close utimensat ftruncate";

/** The calls of the main thread from the marker on. */
function traceOf(): readonly Call[] {
  const trial = newTrial();
  const log = join(trial.root, "..", "trace");
  const traced = run(trial, ["-o", log, "-s", "300", "-e", `trace=access,${changing.replaceAll(" ", ",")}`]);
  expect(JSON.parse(traced.stdout)).toMatchObject({ kind: "restored" });
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
    if (begun && !text.includes("node_modules")) calls.push({ name, count: counts.get(name) ?? 0, text });
    if (line === marker) begun = true;
  }
  return calls;
}

/** Opens what is left, settles it, and holds the files against the conversation; then takes the restore back. */
async function checkAgrees(trial: Scene, where: string): Promise<string> {
  const place = await open(trial, trial.session);
  try {
    const { manager } = place.conversation;
    const settled = must(await recoverRestore(manager, place.workspace));
    const { payload, parentId } = manager.getCurrentNode();
    const isNew = payload.kind === "restore";
    expect(treeOf(trial.root), where).toEqual(isNew ? before : after);
    expect(manager.context.pendingRestore, where).toBeUndefined();
    if (!isNew) {
      expect(manager.context.currentNodeId, where).toBe(trial.tip);
      return settled.kind;
    }
    expect([parentId, payload.files.length], where).toEqual([trial.start, 6]);
    const undoes = manager.context.currentNodeId;
    const way = { fromId: undoes, undoes };
    const plan = must(await planRestore(manager.context, way, place.workspace, manager.manifests));
    must(await restoreFiles(manager, place.workspace, plan, { restoreId: "undo" }));
    expect(treeOf(trial.root), where).toEqual(after);
    return settled.kind === "nothing_pending" ? "recorded" : settled.kind;
  } finally {
    await place.close();
  }
}

/** Where it hurts most always; of the others some, unless all are asked for. */
function someOf(calls: readonly Call[]): readonly Call[] {
  return calls.filter(({ name }, at) => name.startsWith("rename") || at % stride === 0);
}

function remove(trial: Scene): void {
  rmSync(join(trial.root, ".."), { recursive: true, force: true });
}

describe.skipIf(!hasStrace)("a restore of six files under strace", () => {
  it("says durably what is to come before a file moves, and that it came before it answers", () => {
    const calls = traceOf();
    const first = (test: (call: Call) => boolean) => calls.findIndex(test);
    const synced = calls.flatMap(({ name }, at) => (name === "fdatasync" ? [at] : []));
    const begun = first(({ text }) => text.includes("restore_begun"));
    const staged = first(({ name, text }) => name === "openat" && /\.holdfast-.*O_CREAT/.test(text));
    const moved = calls.findLastIndex(
      ({ name, text }) => name.startsWith("rename") && text.includes("/proc/self/fd"),
    );
    const ended = first(({ text }) => text.includes("nodes_added"));
    const answered = first(({ name, text }) => name === "write" && text.includes("restored"));
    const order = [begun, synced[0] ?? -1, staged, moved, ended, synced.at(-1) ?? -1, answered];
    expect(Math.min(...order)).toBeGreaterThanOrEqual(0);
    expect([...order].sort((one, other) => one - other)).toEqual(order);
  });

  it("killed at any system call leaves files and conversation agreed, all old or all new, and can be taken back", async () => {
    const calls = traceOf();
    const struck = someOf(calls);
    const ends: Record<string, number> = {};
    let killed = 0;
    let mixed = 0;
    for (const { name, count, text } of struck) {
      const trial = newTrial();
      const inject = `inject=${name}:signal=KILL:when=${count}`;
      const result = run(trial, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
      if (result.signal === "SIGKILL" || result.status !== 0) killed += 1;
      const tree = treeOf(trial.root);
      if (!isLike(before, tree) && !isLike(after, tree)) mixed += 1;
      const end = await checkAgrees(trial, `killed at ${name}(${text}`);
      ends[end] = (ends[end] ?? 0) + 1;
      remove(trial);
    }
    if (HOLDFAST_SWEEP !== undefined)
      console.log({ calls: calls.length, struck: struck.length, killed, mixed, ...ends });
    expect(calls.length).toBeGreaterThan(150);
    expect(killed).toBeGreaterThan(struck.length * 0.8);
    // Killed before it was begun, before and after the files moved, and after it was recorded.
    const seen = ["nothing_pending", "restore_dropped", "restore_happened", "recorded"];
    expect(Object.keys(ends).sort()).toEqual(seen.sort());
    expect(mixed).toBeGreaterThan(0);
  }, 1_800_000);

  for (const code of ["EIO", "ENOSPC"] as const) {
    it(`whose every system call once fails with ${code} says the truth, and is made good by settling`, async () => {
      const struck = someOf(traceOf().filter(({ name }) => failing.includes(name)));
      const ends: Record<string, number> = {};
      for (const { name, count, text } of struck) {
        const trial = newTrial();
        const inject = `inject=${name}:error=${code}:when=${count}`;
        const result = run(trial, ["-o", "/dev/null", "-e", `trace=${name}`, "-e", inject]);
        const where = `${code} at ${name}(${text}: ${result.stdout}${result.stderr}`;
        expect(result.status, where).toBe(0);
        const told = JSON.parse(result.stdout);
        const moved = told.kind === "restored" || /files were moved/.test(told.message);
        // A file of ours that could not be removed waits for the next start.
        if (told.fault === undefined)
          expect(isLike(moved ? before : after, treeOf(trial.root)), where).toBe(true);
        const end = await checkAgrees(trial, where);
        if (told.kind === "restored") expect(end, where).toBe("recorded");
        if (moved) expect(end, where).not.toBe("restore_dropped");
        const shown = `${told.fault ?? told.code ?? told.kind}: ${end}`;
        ends[shown] = (ends[shown] ?? 0) + 1;
        remove(trial);
      }
      if (HOLDFAST_SWEEP !== undefined) console.log(code, { struck: struck.length, ...ends });
      expect(Object.keys(ends).length).toBeGreaterThan(1);
    }, 1_800_000);
  }
});

/** Which calls are made to fail; `write` is Node waking itself. */
const failing =
  "openat pwrite64 fsync fdatasync rename renameat2 link unlink symlink mkdir rmdir ftruncate".split(" ");

/** The files are as here, whatever else a kill or a failure has left beside them. */
function isLike(whole: Readonly<Record<string, string>>, tree: Readonly<Record<string, string>>): boolean {
  return Object.keys({ ...before, ...after }).every((path) => tree[path] === whole[path]);
}
