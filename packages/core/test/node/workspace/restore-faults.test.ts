import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { planRestore, recoverRestore, restoreFiles } from "../../../src/conversation/index.js";
import { must } from "../../conversation/support.js";
import {
  type Call,
  callsIn,
  endsOf,
  making,
  strikesAll,
  striking as strikingAt,
  struck,
  traced,
} from "../strikes.js";
import { hasStrace, runTraced } from "../support.js";
import { copyOf, newPlace, open, type Place, treeOf, write } from "./restore-ground.js";

/**
 * Where the conversation began, where it stands, and what somebody else has written since. The restore is struck where
 * it hurts most; `HOLDFAST_SWEEP=all` strikes at every call, `npm run proof -- store` kills it at any moment.
 */
const one = "one\n";
const before = { up0: one, up1: one, "sub/up2": one, gone: one, theirs: one, else: one };
const two = "two\n";
const after = { up0: two, up1: two, "sub/up2": two, "deep/er/new": two, theirs: "others\n", else: one };

interface Scene extends Place {
  readonly session: string;
  readonly start: string;
  readonly tip: string;
}

let model: Scene;
let calls: readonly Call[];

beforeAll(async () => {
  const place = await open(newPlace(before));
  const { manager } = place.conversation;
  const start = manager.context.currentNodeId;
  for (const path of ["up0", "up1", "sub/up2", "deep/er/new", "theirs"]) await write(place, path, two);
  await write(place, "gone", null);
  const [{ sha256: base } = {}] = await place.workspace.fileStates(["theirs"]);
  await place.workspace.write({ path: "theirs", content: "others\n", base: base ?? "" });
  const { sessionId, currentNodeId } = manager.context;
  await place.close();
  model = { root: place.root, stateDir: place.stateDir, session: sessionId, start, tip: currentNodeId };
  if (!hasStrace) return;
  const trial = newTrial();
  const log = join(trial.root, "..", "trace");
  const told = run(trial, ["-o", log, "-s", "300", "-e", `trace=${traced}`]).stdout;
  expect(JSON.parse(told)).toMatchObject({ kind: "restored" });
  calls = callsIn(log);
});

/** A trial is a copy, of which no write is recorded: what stands in its place is not ours without consent. */
const consent = ["theirs", "up0", "up1", "sub/up2", "deep/er/new"];

const newTrial = (): Scene => ({ ...model, ...copyOf(model) });
const run = ({ root, stateDir, session, start }: Scene, options: readonly string[]) =>
  struck(() => runTraced(options, "restore.mjs", root, stateDir, session, start, ...consent));

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
    const plan = must(
      await planRestore(manager.context, { fromId: undoes, undoes }, place.workspace, manager.manifests),
    );
    must(await restoreFiles(manager, place.workspace, plan, { restoreId: "undo" }));
    expect(treeOf(trial.root), where).toEqual(after);
    return settled.kind === "nothing_pending" ? "recorded" : settled.kind;
  } finally {
    await place.close();
  }
}

/** A write to the journal is counted in the journal: Node wakes itself by `write`, not always as many times. */
function striking(trial: Scene, call: Call, fault: string): readonly string[] {
  if (!isRecord(call)) return strikingAt(call, fault);
  const count = calls.filter(isRecord).indexOf(call) + 1;
  const journal = join(trial.stateDir, "conversations", `${trial.session}.jsonl`);
  return ["-P", journal, ...strikingAt({ name: call.name, count }, fault)];
}
const isRecord = ({ name, text }: Call) => name === "write" && text.includes('{\\"v\\":1');

const movesFile = ({ name, text }: Call) => name.startsWith("rename") && text.includes("/proc/self/fd");

describe.skipIf(!hasStrace)("a restore of six files under strace", () => {
  it("says durably what is to come before a file moves, and that it came before it answers", () => {
    const first = (test: (call: Call) => boolean) => calls.findIndex(test);
    const synced = calls.flatMap(({ name }, at) => (name === "fdatasync" ? [at] : []));
    const order = [
      first(({ text }) => text.includes("restore_begun")),
      synced[0] ?? -1,
      first(({ name, text }) => name === "openat" && /\.holdfast-.*O_CREAT/.test(text)),
      calls.findLastIndex(movesFile),
      first(({ text }) => text.includes("nodes_added")),
      synced.at(-1) ?? -1,
      first(({ name, text }) => name === "write" && text.includes("restored")),
    ];
    expect(Math.min(...order)).toBeGreaterThanOrEqual(0);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });

  it("killed at any system call leaves files and conversation agreed, all old or all new, and can be taken back", async () => {
    const ends = new Set<string>();
    const hard = [
      ...endsOf(calls, ({ text }) => text.includes("restore_begun")).slice(0, 1),
      ...endsOf(calls, movesFile),
      ...endsOf(calls, ({ text }) => text.includes("nodes_added")).slice(0, 1),
      ...calls.filter(({ name }) => name === "close").slice(-1),
    ];
    for (const call of strikesAll ? calls : hard) {
      const trial = newTrial();
      run(trial, striking(trial, call, "signal=KILL"));
      ends.add(await checkAgrees(trial, `killed at ${call.name}(${call.text}`));
    }
    // Killed before it was begun, before and after the files moved, and after it was recorded.
    expect([...ends].sort()).toEqual(["nothing_pending", "recorded", "restore_dropped", "restore_happened"]);
  }, 1_800_000);

  it("in which a system call fails says the truth, and is made good by settling", async () => {
    const ends = new Set<string>();
    const strikes = ["EIO", "ENOSPC"].flatMap((code) =>
      endsOf(calls, (call) =>
        strikesAll
          ? making.includes(call.name)
          : code === "EIO"
            ? movesFile(call)
            : call.name === "fdatasync",
      ).map((call) => ({ code, call })),
    );
    for (const { code, call } of strikes) {
      const trial = newTrial();
      const result = run(trial, striking(trial, call, `error=${code}`));
      const where = `${code} at ${call.name}(${call.text}: ${result.stdout}${result.stderr}`;
      expect(result.status, where).toBe(0);
      const told = JSON.parse(result.stdout);
      const moved = told.kind === "restored" || /files were moved/.test(told.message);
      // A file of ours that could not be removed waits for the next start.
      if (told.fault === undefined)
        expect(isLike(moved ? before : after, treeOf(trial.root)), where).toBe(true);
      const end = await checkAgrees(trial, where);
      if (told.kind === "restored") expect(end, where).toBe("recorded");
      if (moved) expect(end, where).not.toBe("restore_dropped");
      ends.add(`${told.fault ?? told.code ?? told.kind}: ${end}`);
    }
    expect(ends.size).toBeGreaterThan(1);
  }, 1_800_000);
});

/** The files are as here, whatever else a kill or a failure has left beside them. */
function isLike(whole: Readonly<Record<string, string>>, tree: Readonly<Record<string, string>>): boolean {
  return Object.keys({ ...before, ...after }).every((path) => tree[path] === whole[path]);
}
