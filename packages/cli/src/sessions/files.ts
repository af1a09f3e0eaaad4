import {
  type ContextManager,
  dueFact,
  dueLine,
  filesDue,
  openConversation,
} from "@holdfast/core/conversation";
import { type ConversationRefusal, namesFrom, type SessionStore } from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { defined, escapeText } from "@holdfast/core/text";
import { type FileMove, followFiles } from "@holdfast/core/tools";
import { answer } from "../answers/one-answer.js";
import { withWorkspace } from "../answers/open.js";
import { exitCodes } from "../shell/exit-codes.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";
import { findNode } from "./changing.js";
import { newIds, onSession } from "./open-store.js";

/**
 * `holdfast sessions files ID`: what putting the files back to a node would do; with `--restore` does it. The session
 * stays where it stands, but for `--undo`, which takes the move of that restore back, too.
 */
export const filesOfOne = onSession(async (call, store, { id }) => {
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
