import { bareName, type Workspace } from "../../files/index.js";
import type { ApplyChangesOutcome, FileChange } from "../../files/values/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import { unprunedNode } from "../tree/checks.js";
import type { ContextManager } from "../tree/manager.js";
import { answeredBelow, openCalls } from "../tree/path.js";
import type { AnsweredCall, TaskMove } from "../tree/tasks.js";
import type { FileDelta } from "../values/file-facts.js";
import type { ConversationContext, PendingRestore, TurnNode } from "../values/node.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { FileConflict, PlannedFile, RestorePlan } from "./restore-plan.js";

/** The conversation in which a restore is journaled: a `ContextManager`. */
export type RestoreJournal = Pick<
  ContextManager,
  "context" | "beginRestore" | "finishRestore" | "dropRestore" | "flush"
>;

/** The files that a restore moves: a `Workspace`. */
type RestoreWorkspace = Pick<Workspace, "applyChanges">;

/** Under which conditions files are put back. */
export interface RestoreTerms {
  /** A fresh id, by which the restore can be recovered after a kill. */
  readonly restoreId: string;
  /** Paths in conflict that are to be restored all the same; what is on the disk is kept before. */
  readonly consent?: readonly string[];
  /** Whether the other conflicts refuse the whole restore, as they do unless given, or stay as they are. */
  readonly conflicts?: "refuse" | "leave";
  /** For the call that asked for it: its result on the branch that is left, in one event with the move. */
  readonly answering?: (moved: Moved) => AnsweredCall;
  /** The id of the call that asked for it, where `move` answers that. */
  readonly askedBy?: string;
  /** The task that is completed or begun again by the move, in the same event; it answers the call that asked. */
  readonly move?: (moved: Moved) => TaskMove;
  /** The task that is cancelled by the move: its branch is pruned in the same event. */
  readonly cancels?: string;
  /** The tool's name for the history of the files. */
  readonly tool?: string;
}

/** What a move of the head did to files. */
export interface Moved {
  /** What really happened to files. */
  readonly files: readonly FileDelta[];
  /** Conflicts that were left as they are. */
  readonly left: readonly FileConflict[];
}

/** The files and the head were moved, durably. */
export interface Restored extends Moved {
  readonly kind: "restored";
  /** The new head, below the node that was gone to. */
  readonly node: TurnNode;
}

/**
 * Carries a plan out: all of its files through one change set, and the head with them. Nothing happens where
 * any file that is to move is not as the plan found it any more.
 *
 * @returns `restore_pending`; `open_calls`; `files_in_conflict`, naming those that nobody answered for;
 *   `files_refused`, why the change set was refused; what the journal refuses. Nothing has moved then, but
 *   where the journal fails after the files have: the message says so, and `recoverRestore` makes it good.
 * @throws DiskFault as `Workspace.applyChanges` does; `recoverRestore` then finds out what happened.
 */
export async function restoreFiles(
  journal: RestoreJournal,
  workspace: RestoreWorkspace,
  plan: RestorePlan,
  terms: RestoreTerms,
): Promise<Restored | ConversationRefusal> {
  const flaw = refuseRestore(journal.context, plan, terms) ?? refuseConflicts(plan, terms);
  if (flaw !== undefined) return flaw;
  const steps = plan.files.filter((file): file is MovingFile => isMoving(file, terms));
  const left = openConflicts(plan, terms);
  const { fromId, toId, undoes, stateOf } = plan;
  const files = steps.map(({ path, from, to }): FileDelta => ({ path, from, to }));
  const pending: PendingRestore = {
    restoreId: terms.restoreId,
    fromId,
    toId,
    files,
    ...defined({ undoes, stateOf, cancels: terms.cancels }),
  };
  const moved = steps.length === 0 ? files : await moveFiles(journal, workspace, pending, terms);
  if (isRefusal(moved)) return moved;
  return finish(journal, pending, { files: moved, left }, terms);
}

/** A file that is to be restored, in a known state. */
type MovingFile = Exclude<PlannedFile, { kind: "same" }> & { readonly from: string | null };

/** Whether a restore on these terms moves a file. */
export function isMoving(
  file: PlannedFile,
  { consent = [] }: Pick<RestoreTerms, "consent">,
): file is MovingFile {
  if (file.kind !== "conflict") return file.kind !== "same";
  return file.consentable && consent.some((path) => bareName(path) === file.path);
}

function openConflicts({ files }: RestorePlan, terms: RestoreTerms): readonly FileConflict[] {
  return files.filter((file) => file.kind === "conflict").filter((file) => !isMoving(file, terms));
}

/** Why a plan would be refused before anything is begun, but for its conflicts: a restore or calls that are open. */
export function refuseRestore(
  context: ConversationContext,
  { toId }: RestorePlan,
  { answering, askedBy }: RestoreTerms,
): ConversationRefusal | undefined {
  const { pendingRestore, currentNodeId } = context;
  if (pendingRestore !== undefined)
    return refuse(
      "restore_pending",
      `Restore ${pendingRestore.restoreId} was begun and has to be settled first.`,
    );
  const target = unprunedNode(context, toId);
  if (isRefusal(target)) return target;
  const asking = askedBy ?? answering?.({ files: [], left: [] }).callId;
  const waiting = openCalls(context, currentNodeId).filter(({ call }) => call.callId !== asking);
  // The model is asked right after its move, and no person's message ends what stands open there.
  const cut =
    asking === undefined || toId === currentNodeId ? answeredBelow(context, toId) : openCalls(context, toId);
  const [open] = [...waiting, ...cut];
  if (open === undefined) return undefined;
  return refuse(
    "open_calls",
    `The call ${open.call.name} waits for its result ${waiting.length > 0 ? "where the head stands" : `at node ${toId}`}; answer it first, or go to another node.`,
  );
}

/** Why a plan would be refused before anything is begun: conflicts that nobody answered for. */
export function refuseConflicts(
  plan: RestorePlan,
  terms: RestoreTerms,
): ConversationRefusal<"files_in_conflict"> | undefined {
  const open = openConflicts(plan, terms);
  const asked = new Set((terms.consent ?? []).map((path) => bareName(path)));
  const impossible = open.filter(({ path }) => asked.has(path));
  if (impossible.length > 0) return inConflict("With no consent can these be restored", impossible);
  if (terms.conflicts === "leave" || open.length === 0) return undefined;
  return inConflict("Say of each of these whether it is to be overwritten or left as it is", open);
}

function inConflict(head: string, files: readonly FileConflict[]): ConversationRefusal<"files_in_conflict"> {
  const listed = files
    .slice(0, mostListed)
    .map(({ path, message }) => `${escapeForDisplay(path)}: ${message}`);
  const more = files.length > listed.length ? [`and ${files.length - listed.length} more.`] : [];
  const lines = [`Nothing was moved. ${head}:`, ...listed, ...more];
  return refuse("files_in_conflict", lines.join("\n"));
}

const mostListed = 20;

/** The journal says durably what is to come before any file moves. */
async function moveFiles(
  journal: RestoreJournal,
  workspace: RestoreWorkspace,
  pending: PendingRestore,
  { tool = "rewind" }: RestoreTerms,
): Promise<readonly FileDelta[] | ConversationRefusal> {
  const begun = journal.beginRestore(pending);
  if (isRefusal(begun)) return begun;
  const flushed = await journal.flush();
  if (isRefusal(flushed)) return flushed;
  const caller = { conversation: journal.context.sessionId, restore: pending.restoreId };
  const outcome = await workspace.applyChanges({ tool, changes: pending.files.map(changeOf) }, { caller });
  // A file that came to be as wanted by itself in between did not move.
  if (outcome.success) return pending.files.filter((_, at) => outcome.files[at]?.outcome.code === "applied");
  return giveUp(journal, pending, outcome);
}

function changeOf({ path, from, to }: FileDelta): FileChange {
  return { path, content: { kind: "state", from, sha256: to } };
}

async function giveUp(
  journal: RestoreJournal,
  { restoreId }: PendingRestore,
  { code, message }: ApplyChangesOutcome,
): Promise<ConversationRefusal> {
  const dropped = journal.dropRestore(restoreId);
  // Where this cannot be journaled, recovery finds that nothing has moved.
  if (!isRefusal(dropped)) await journal.flush();
  return refuse("files_refused", `No file was moved (${code}). ${message}`);
}

async function finish(
  journal: RestoreJournal,
  pending: PendingRestore,
  moved: Moved,
  { answering, move }: RestoreTerms,
): Promise<Restored | ConversationRefusal> {
  const restore = { ...pending, files: moved.files };
  const node = journal.finishRestore(restore, answering?.(moved), move?.(moved));
  if (isRefusal(node)) return stayedBehind(node, moved);
  const flushed = await journal.flush();
  return isRefusal(flushed) ? stayedBehind(flushed, moved) : { kind: "restored", node, ...moved };
}

function stayedBehind(refusal: ConversationRefusal, { files }: Moved): ConversationRefusal {
  if (files.length === 0) return refusal;
  return refuse(
    refusal.code,
    `The files were moved, but the conversation could not be moved with them; settling the restore does it. ${refusal.message}`,
  );
}
