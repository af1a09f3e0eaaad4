import {
  type ContextManager,
  isTurnRefusal,
  type Moved,
  planRestore,
  refuseTurn,
  restoreFiles,
} from "../../conversation/index.js";
import type { Workspace } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import type { FilesThatFollow } from "./conversation-tool.js";

/**
 * Lets the files of a workspace follow the head of a conversation: what `rewind` and `task_cancel` do with
 * `files: restore` (docs/rewind.md).
 *
 * @param newId a fresh id for each restore, by which a kill in between can be settled (`settleRestore`).
 */
export function followFiles(
  manager: ContextManager,
  workspace: Workspace,
  newId: () => string,
): FilesThatFollow {
  return {
    look: async (path) => {
      const outcome = await workspace.read({ path });
      if (outcome.kind !== "read") return refuseTurn("invalid_arguments", outcome.message);
      return { path: outcome.state.path, after: outcome.state.sha256, by: "seen" };
    },
    follow: async ({ toId, consent, answering, move }) => {
      const { context, manifests } = manager;
      const plan = await planRestore(context, { fromId: context.currentNodeId, toId }, workspace, manifests);
      if (isTurnRefusal(plan)) return plan;
      const restored = await restoreFiles(manager, workspace, plan, {
        restoreId: newId(),
        consent,
        ...(answering === undefined ? {} : { answering: (moved) => answering(sentence(moved)) }),
        ...(move === "task_cancel" ? { cancels: manager.getCurrentNode().taskId, tool: move } : {}),
      });
      if (isTurnRefusal(restored)) return restored;
      const { files, node } = restored;
      const data = { turn_id: node.id, files: files.map(({ path, from, to }) => ({ path, from, to })) };
      return { kind: "followed", message: sentence(restored), data };
    },
  };
}

function sentence({ files }: Moved): string {
  if (files.length === 0) return "Went back; no file had to be moved.";
  return `Went back; put back: ${files.map(({ path }) => escapeForDisplay(path)).join(", ")}.`;
}
