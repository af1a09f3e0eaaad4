import { type ContextManager, type Moved, planRestore, restoreFiles } from "../../conversation/index.js";
import { isRefusal, refuse, type Workspace } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import type { FilesThatFollow } from "./conversation-tool.js";

/**
 * Lets the files of a workspace follow the head of a conversation: what `rewind` and `task_cancel` do with
 * `files: restore` (docs/rewind.md).
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
    follow: async ({ toId, consent, conflicts = "refuse", answering, move }) => {
      const { context, manifests } = manager;
      // The task that is to be cancelled is the one in which it was asked for.
      const { id: fromId, taskId } = manager.getCurrentNode();
      const plan = await planRestore(context, { fromId, toId }, workspace, manifests);
      if (isRefusal(plan)) return plan;
      const restored = await restoreFiles(manager, workspace, plan, {
        restoreId: newId(),
        consent,
        conflicts,
        ...(answering === undefined ? {} : { answering: (moved) => answering(sentence(moved)) }),
        ...(move === "task_cancel" ? { cancels: taskId, tool: move } : {}),
      });
      if (isRefusal(restored)) return restored;
      const { files, node } = restored;
      const data = {
        turn_id: toId,
        restore_id: node.id,
        files: files.map(({ path, from, to }) => ({ path, from, to })),
        left: restored.left.map(({ path, why }) => ({ path, why })),
      };
      return { kind: "followed", message: sentence(restored), data };
    },
  };
}

function sentence({ files, left }: Moved): string {
  const back = files.length === 0 ? "no file had to be moved" : `put back: ${names(files)}`;
  const stayed = left.length === 0 ? "" : ` In conflict and left as they are: ${names(left)}.`;
  return `Went back; ${back}.${stayed}`;
}

function names(files: readonly { readonly path: string }[]): string {
  return files.map(({ path }) => escapeForDisplay(path)).join(", ");
}
