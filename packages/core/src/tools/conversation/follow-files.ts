import {
  applyEvent,
  type ContextManager,
  commandWords,
  dueFact,
  filesDue,
  type Moved,
  planRestore,
  type RestorePlan,
  type RestoreTerms,
  refuseConflicts,
  refuseRestore,
  restoreFiles,
} from "../../conversation/index.js";
import type { ConversationContext, ConversationRefusal } from "../../conversation/values/index.js";
import type { Workspace } from "../../files/index.js";
import { isRefusal, refuse } from "../../files/values/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import type { FileMove, FilesThatFollow } from "./conversation-tool.js";

/**
 * Lets the files of a workspace follow the head of a conversation: what the tools that move it do with
 * `files: restore` and `files: preview` (docs/rewind.md).
 *
 * @param newId a fresh id for each restore, by which a kill in between can be settled (`recoverRestore`).
 */
export function followFiles(
  manager: ContextManager,
  workspace: Workspace,
  newId: () => string,
): FilesThatFollow {
  return {
    look: async (path) => {
      const outcome = await workspace.read({ path }, { isSilent: true });
      if (outcome.kind !== "read") return refuse("invalid_arguments", outcome.message);
      return { path: outcome.state.path, after: outcome.state.sha256, by: "seen" };
    },
    plan: (move) => planMove(manager, workspace, move),
    follow: async ({ move, consent, conflicts = "refuse", agreed, answering }) => {
      const plan = await planMove(manager, workspace, move);
      if (isRefusal(plan)) return plan;
      const terms = { restoreId: newId(), consent, conflicts };
      const refused = refuseConflicts(plan, terms);
      if (refused !== undefined) return refused;
      if (agreed !== undefined && factsOf(plan) !== factsOf(agreed)) return notAgreed;
      const asked = { ...terms, ...termsOf(move, plan, answering) };
      const resumed = resumedBy(manager.context, move);
      const taken = resumed === undefined ? undefined : takeUp(manager, resumed, plan, asked);
      if (taken !== undefined && isRefusal(taken)) return taken;
      const restored = await restoreFiles(manager, workspace, plan, asked);
      if (isRefusal(restored)) return letGo(manager, resumed) ?? restored;
      const { files, left, node } = restored;
      const data = {
        ...(plan.stateOf === undefined ? { turn_id: plan.toId } : {}),
        restore_id: node.id,
        ...(move.kind === "task" ? { task_id: node.taskId } : {}),
        files: files.map(({ path, from, to }) => ({ path, from, to })),
        left: left.map(({ path, why }) => ({ path, why })),
      };
      const message = `${wordsOf(move)}; ${became(restored)}${commandWords(plan.commands)}`;
      return { kind: "followed", message, data };
    },
  };
}

const notAgreed = refuse(
  "files_refused",
  "By now other files would change, or in another way, than what was agreed to. No file was moved; ask again.",
);

/** What a plan comes to, to be compared. */
function factsOf(plan: RestorePlan): string {
  return JSON.stringify(filesDue(plan).map(dueFact));
}

type Answering = Parameters<FilesThatFollow["follow"]>[0]["answering"];

function termsOf(
  move: FileMove,
  { commands }: RestorePlan,
  answering: Answering,
): Omit<RestoreTerms, "restoreId"> {
  if (move.kind === "task")
    return {
      tool: move.tool,
      move: (moved) => move.move(` Of the files: ${became(moved)}`),
      ...defined({ askedBy: answering?.("").callId }),
    };
  const said = (moved: Moved) => `${wordsOf(move)}; ${became(moved)}${commandWords(commands)}`;
  const { cancels, tool } = move.kind === "go" ? move : { cancels: undefined, tool: "restore_files" };
  return {
    ...(answering === undefined ? {} : { answering: (moved: Moved) => answering(said(moved)) }),
    ...defined({ cancels, tool }),
  };
}

/** The plan of a move: where it makes nodes or takes a branch up again, as of the tree that it would leave. */
async function planMove(
  manager: ContextManager,
  workspace: Workspace,
  move: FileMove,
): Promise<RestorePlan | ConversationRefusal> {
  const { context, manifests } = manager;
  const { currentNodeId: fromId } = context;
  const resumed = resumedBy(context, move);
  const open = resumed === undefined ? context : reopened(context, resumed);
  if (isRefusal(open)) return open;
  switch (move.kind) {
    case "go":
      return planRestore(open, { fromId, toId: move.toId }, workspace, manifests);
    case "stay":
      return planRestore(open, { fromId, stateOf: move.stateOf }, workspace, manifests);
    case "undo":
      return planRestore(open, { fromId, undoes: move.restoreId }, workspace, manifests);
    case "task": {
      const there = manager.foresee(move.move(""));
      if (isRefusal(there)) return there;
      const { currentNodeId: toId } = there;
      // The node that it makes is not there yet: the files go to those of the one above.
      const since = there.nodes.get(toId)?.parentId ?? fromId;
      const plan = await planRestore(there, { fromId, toId, since }, workspace, manifests);
      return isRefusal(plan) ? plan : { ...plan, toId: since };
    }
    default:
      return move satisfies never;
  }
}

/** The cancelled task that a move takes up again; to take back what cancelled one is to go on in it. */
function resumedBy(context: ConversationContext, move: FileMove): string | undefined {
  if (move.kind === "go") return move.resumes;
  if (move.kind !== "undo") return undefined;
  const payload = context.nodes.get(move.restoreId)?.payload;
  let id: string | null = payload?.kind === "restore" ? payload.fromId : null;
  while (id !== null && !context.pruned.has(id)) id = context.nodes.get(id)?.parentId ?? null;
  return id !== null && context.tasks.get(id)?.outcome === "cancelled" ? id : undefined;
}

function reopened(context: ConversationContext, taskId: string): ConversationContext | ConversationRefusal {
  const task = { id: taskId, outcome: "open" } as const;
  return applyEvent(context, { type: "unpruned", nodeId: taskId, task });
}

/** A cancelled task is open again before the head moves there: not where the move would be refused. */
function takeUp(manager: ContextManager, taskId: string, plan: RestorePlan, terms: RestoreTerms) {
  const there = reopened(manager.context, taskId);
  if (isRefusal(there)) return there;
  return refuseRestore(there, plan, terms) ?? manager.unprune(taskId);
}

/** The task is cancelled as before, unless the restore waits to be settled there. */
function letGo(manager: ContextManager, taskId: string | undefined): ConversationRefusal | undefined {
  if (taskId === undefined || manager.context.pendingRestore !== undefined) return undefined;
  const left = manager.leaveTask(taskId);
  return isRefusal(left) ? left : undefined;
}

function wordsOf(move: FileMove): string {
  switch (move.kind) {
    case "go":
      return move.words;
    case "stay":
      return "The conversation stays where it is";
    case "undo":
      return "The restore was taken back";
    case "task":
      return move.tool === "task_complete" ? "Task completed" : "Task begun again on a new branch";
    default:
      return move satisfies never;
  }
}

function became({ files, left }: Moved): string {
  const back = files.length === 0 ? "no file had to be moved" : `put back: ${names(files)}`;
  const stayed = left.length === 0 ? "" : ` In conflict and left as they are: ${names(left)}.`;
  return `${back}.${stayed}`;
}

function names(files: readonly { readonly path: string }[]): string {
  return files.map(({ path }) => escapeForDisplay(path)).join(", ");
}
