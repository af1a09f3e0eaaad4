import {
  type ContextManager,
  dueFact,
  dueLine,
  filesDue,
  openConversation,
  type PrunedSessions,
  pruneSessions,
} from "@holdfast/core/conversation";
import { describeLosses, repairSession, type SessionRepair } from "@holdfast/core/conversation/journal";
import {
  type ConversationRefusal,
  namesFrom,
  type SessionFacts,
  type SessionStore,
} from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { cappedLines, counted, defined, escapeForPeople, escapeText } from "@holdfast/core/text";
import { type FileMove, followFiles } from "@holdfast/core/tools";
import { localTime, readableSize } from "../answers/amounts.js";
import { answer, jsonLine } from "../answers/one-answer.js";
import { withWorkspace } from "../answers/open.js";
import { findNode, forkOne, removeOne, renameOne } from "../sessions/changing.js";
import { newIds, onSession, onStore } from "../sessions/open-store.js";
import { listSessions, searchInSessions, showSession, verifySessions } from "../sessions/read-only.js";
import { exportOne, importOne } from "../sessions/transfer.js";
import { exitCodes } from "../shell/exit-codes.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";

/**
 * `holdfast sessions files ID`: what putting the files back to a node would do; with `--restore` does it. The session
 * stays where it stands, but for `--undo`, which takes the move of that restore back, too.
 */
const filesOfOne = onSession(async (call, store, { id }) => {
  const { flags, misuse } = call;
  if (flags.node !== undefined && flags.undo !== undefined) return misuse("give --node or --undo, not both");
  if (flags.restore !== true && (flags.consent !== undefined || flags.leave === true))
    return misuse("--consent and --leave go with --restore");
  const named = flags.undo ?? flags.node;
  const node = named === undefined ? undefined : await findNode(store, id, named);
  if (node !== undefined && typeof node !== "string") return node;
  let refused: ConversationRefusal | undefined;
  const exitCode = await withWorkspace(call, async (workspace) => {
    const done = await withConversation(call, { store, id, workspace }, (manager) => {
      const stateOf = node ?? manager.context.currentNodeId;
      const move: FileMove =
        flags.undo === undefined ? { kind: "stay", stateOf } : { kind: "undo", restoreId: stateOf };
      return flags.restore === true
        ? restore(call, workspace, manager, move)
        : preview(call, workspace, manager, move);
    });
    if (typeof done === "number") return done;
    refused = done;
    return exitCodes.change;
  });
  return refused ?? exitCode;
});

interface Place {
  readonly store: SessionStore;
  readonly id: string;
  readonly workspace: Workspace;
}

/** Only who puts files back needs the lease; writes of interrupted calls are told of first. */
async function withConversation(
  { flags, terminal }: Invocation,
  { store, id, workspace }: Place,
  work: (manager: ContextManager) => Promise<number | ConversationRefusal>,
): Promise<number | ConversationRefusal> {
  const naming = namesFrom(...workspace.roots);
  const sources = { ids: newIds(), now: () => Date.now(), naming, files: workspace };
  const opened = await openConversation(store, id, flags.restore === true ? "write" : "read", sources);
  if (isRefusal(opened)) return opened;
  const { manager, files } = opened;
  try {
    if (files !== undefined && !isRefusal(files.writes) && files.writes.nodes.length > 0)
      terminal.err("Work of interrupted calls was found and told of in the session.\n");
    return await work(manager);
  } finally {
    await opened.close();
  }
}

async function preview(
  call: Invocation,
  workspace: Workspace,
  manager: ContextManager,
  move: FileMove,
): Promise<number | ConversationRefusal> {
  const plan = await followFiles(manager, workspace, newIds()).plan(move);
  if (isRefusal(plan)) return plan;
  const due = filesDue(plan);
  const lines = due.map((file) => `\n${escapeText(dueLine(file))}`).join("");
  const head = due.length === 0 ? "No file would be put back." : "With --restore:";
  const object = { success: true, files: due.map(dueFact), unknown: plan.unknown };
  return answer(call, object, `${head}${lines}`);
}

async function restore(
  call: Invocation,
  workspace: Workspace,
  manager: ContextManager,
  move: FileMove,
): Promise<number | ConversationRefusal> {
  const { consent = [], leave = false } = call.flags;
  const conflicts = leave ? "leave" : "refuse";
  const done = await finishOnceBegun(() =>
    followFiles(manager, workspace, newIds()).follow({ move, consent, conflicts, answering: undefined }),
  );
  if (isRefusal(done)) return done;
  return answer(call, { success: true, ...defined({ ...done.data }) }, escapeText(done.message));
}

/** `holdfast sessions prune`: old sessions, for good and in batches, so it wants `--yes`; `--dry-run` shows them. */
const pruneStored = onStore(async (call, store) => {
  const { flags, settings, terminal, misuse } = call;
  const { olderThan: changedBefore, keep, dryRun = false } = flags;
  if (changedBefore === undefined && keep === undefined)
    return misuse(
      "prune what? --older-than 30d, --keep 100, or both: then what is old and not among those kept",
    );
  if (!dryRun && flags.yes !== true) {
    const message = "Sessions are deleted for good: look with --dry-run first, then say --yes.";
    if (settings.json) return refuse("invalid_arguments", message);
    terminal.err(`${message}\n`);
    return exitCodes.change;
  }
  const retention = { dryRun, ...defined({ changedBefore, keep }) };
  const pruned = await atPersonsPace(call, { doing: "Pruning" }, (pace) =>
    pruneSessions(store, retention, pace),
  );
  if (isRefusal(pruned)) return pruned;
  await report(call, pruned, dryRun);
  return pruned.isWhole ? exitCodes.success : exitCodes.cancelled;
});

async function report(
  { settings, terminal }: Invocation,
  { removed, kept, isWhole }: PrunedSessions,
  dryRun: boolean,
): Promise<void> {
  const bytes = removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (settings.json) {
    const ids = (facts: readonly SessionFacts[]) => facts.map(({ id }) => id);
    const outcome = { success: isWhole, dry_run: dryRun, removed: ids(removed), kept: ids(kept), bytes };
    await terminal.out(jsonLine(isWhole ? outcome : { ...outcome, code: "cancelled" }));
    return;
  }
  if (dryRun) for (const facts of removed.slice(0, mostShown)) await terminal.out(`${lineOf(facts)}\n`);
  if (dryRun && removed.length > mostShown) terminal.err(`… ${removed.length - mostShown} more\n`);
  const done = dryRun ? "Would delete" : "Deleted";
  await terminal.out(`${done} ${counted(removed.length, "session")}, ${readableSize(bytes)}.\n`);
  for (const { id, heldBy, problem } of kept.slice(0, mostShown)) {
    const why = heldBy === undefined ? (problem ?? "it has changed meanwhile") : `in use by ${heldBy}`;
    terminal.err(`Kept: ${escapeForPeople(id)}: ${escapeForPeople(why)}\n`);
  }
  if (kept.length > mostShown) terminal.err(`… ${kept.length - mostShown} more kept\n`);
  if (!isWhole) terminal.err("Interrupted: what was deleted is gone, all others stand.\n");
}

function lineOf({ id, title, modifiedMs, sizeBytes }: SessionFacts): string {
  return [
    escapeForPeople(id),
    localTime(modifiedMs),
    readableSize(sizeBytes).padStart(10),
    escapeForPeople(title ?? "untitled"),
  ].join("  ");
}

const mostShown = 20;

/** `holdfast sessions repair ID`: shows what it would do; with `--apply` it does it, and keeps what was there. */
const repairOne = onSession(async (call, store, { id }) => {
  const apply = call.flags.apply === true;
  const work = () => repairSession(store, id, { apply });
  const repair = await (apply ? finishOnceBegun(work) : work());
  if (isRefusal(repair)) return repair;
  const { kind, problems, losses, records, written, backup = null } = repair;
  const object = { success: true, id, state: kind, problems, losses, records, written, backup };
  return answer(call, object, linesOf(repair).map(escapeForPeople).join("\n"));
});

function linesOf(repair: SessionRepair): readonly string[] {
  const { kind, id, problems, losses, records, written, backup } = repair;
  if (kind === "sound") return [`${id} is sound: ${counted(records, "record")}, nothing to repair.`];
  const found = [
    `${id} is damaged: ${counted(problems.length, "problem")}, ${counted(losses.length, "lost place")}.`,
    ...cappedLines(problems.map(({ message }) => message)).map(indented),
    ...describeLosses(losses).slice(1).map(indented),
  ];
  const what = `${counted(written, "record")}: what can be read of ${counted(records, "record")}, and placeholders for what is lost`;
  if (kind === "planned")
    return [
      ...found,
      `A repair writes ${what}.`,
      "What is there now is kept beside it. Nothing was changed.",
      `To do it: holdfast sessions repair ${id} --apply`,
    ];
  return [
    ...found,
    backup === undefined ? "It was repaired when it was opened." : `Repaired: it has ${what}.`,
    ...(backup === undefined ? [] : [`What was there is kept in ${backup}`]),
  ];
}

function indented(line: string): string {
  return `  ${line}`;
}

/** `holdfast sessions ACTION`: the stored conversations. */
export const sessionActions = {
  list: listSessions,
  show: showSession,
  search: searchInSessions,
  fork: forkOne,
  files: filesOfOne,
  rename: renameOne,
  rm: removeOne,
  export: exportOne,
  import: importOne,
  prune: pruneStored,
  verify: verifySessions,
  repair: repairOne,
};
