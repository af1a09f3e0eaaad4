import {
  applyEvent,
  type ContextManager,
  type ConversationContext,
  type ConversationRefusal,
  type Moved,
  planRestore,
  type RestorePlan,
  type RestoreTerms,
  refuseConflicts,
  refuseRestore,
  restoreFiles,
} from "../../conversation/index.js";
import { isRefusal, refuse, type Workspace } from "../../files/index.js";
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
      const outcome = await workspace.read({ path });
      if (outcome.kind !== "read") return refuse("invalid_arguments", outcome.message);
      return { path: outcome.state.path, after: outcome.state.sha256, by: "seen" };
    },
    plan: (move) => planMove(manager, workspace, move),
    follow: async ({ move, consent, conflicts = "refuse", answering }) => {
      const plan = await planMove(manager, workspace, move);
      if (isRefusal(plan)) return plan;
      const terms = { restoreId: newId(), consent, conflicts };
      const refused = refuseConflicts(plan, terms);
      if (refused !== undefined) return refused;
      const asked = { ...terms, ...termsOf(move, answering) };
      if (move.kind === "go" && move.resumes !== undefined) {
        const taken = takeUp(manager, move.resumes, plan, asked);
        if (isRefusal(taken)) return taken;
      }
      const restored = await restoreFiles(manager, workspace, plan, asked);
      if (isRefusal(restored)) return restored;
      const { files, left, node } = restored;
      const data = {
        ...(plan.stateOf === undefined ? { turn_id: plan.toId } : {}),
        restore_id: node.id,
        ...(move.kind === "task" ? { task_id: node.taskId } : {}),
        files: files.map(({ path, from, to }) => ({ path, from, to })),
        left: left.map(({ path, why }) => ({ path, why })),
      };
      return { kind: "followed", message: `${wordsOf(move)}; ${became(restored)}`, data };
    },
  };
}

type Answering = Parameters<FilesThatFollow["follow"]>[0]["answering"];

function termsOf(move: FileMove, answering: Answering): Omit<RestoreTerms, "restoreId"> {
  if (move.kind === "task")
    return {
      tool: move.tool,
      move: (moved) => move.move(` Of the files: ${became(moved)}`),
      ...defined({ askedBy: answering?.("").callId }),
    };
  const said = (moved: Moved) => `${wordsOf(move)}; ${became(moved)}`;
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
  switch (move.kind) {
    case "go": {
      const there = move.resumes === undefined ? context : reopened(context, move.resumes);
      if (isRefusal(there)) return there;
      return planRestore(there, { fromId, toId: move.toId }, workspace, manifests);
    }
    case "stay":
      return planRestore(context, { fromId, stateOf: move.stateOf }, workspace, manifests);
    case "undo":
      return planRestore(context, { fromId, undoes: move.restoreId }, workspace, manifests);
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
