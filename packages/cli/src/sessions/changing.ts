import { consents } from "@holdfast/agent/ui";
import { nodeNamed } from "@holdfast/core/context";
import { forkSession, loadSession, renameSession } from "@holdfast/core/conversation";
import type { ConversationRefusal, SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal, refuse } from "@holdfast/core/files/values";
import { counted, defined, escapeForPeople } from "@holdfast/core/text";
import { answer } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import { finishOnceBegun } from "../shell/interrupt.js";
import { newIds, onSession } from "./open-store.js";

/** `holdfast sessions fork ID`: a session of its own, with all branches. */
export const forkOne = onSession(async (call, store, { id }) => {
  const { title, head: named } = call.flags;
  const head = named === undefined ? undefined : await findNode(store, id, named);
  if (head !== undefined && typeof head !== "string") return head;
  const forked = await finishOnceBegun(() =>
    forkSession(store, id, {
      newId: newIds(),
      now: Date.now(),
      ...defined({ head, title }),
    }),
  );
  if (isRefusal(forked)) return forked;
  const { nodes } = forked;
  const text = `Forked: ${forked.id} (${counted(nodes, "node")} of ${escapeForPeople(id)}).`;
  return answer(call, { success: true, id: forked.id, from: id, nodes }, text);
});

/** The node that is meant by an id, or by its beginning or end, and that a head can stand at. */
export async function findNode(
  store: SessionStore,
  sessionId: string,
  prefix: string,
): Promise<string | ConversationRefusal> {
  const loaded = await loadSession(store, sessionId);
  if (isRefusal(loaded)) return loaded;
  const node = nodeNamed(loaded.context, prefix);
  return isRefusal(node) ? node : node.id;
}

/** `holdfast sessions rename ID TITLE`. */
export const renameOne = onSession(async (call, store, { id }) => {
  const title = call.args[2];
  if (title === undefined || title.trim() === "")
    return call.misuse("rename takes a session and its new title");
  const renamed = await finishOnceBegun(() => renameSession(store, id, title, Date.now()));
  if (isRefusal(renamed)) return renamed;
  const text = `Renamed: ${escapeForPeople(id)} is now ${escapeForPeople(title)}.`;
  return answer(call, { success: true, id, title }, text);
});

/** `holdfast sessions rm ID`: for good, so it asks. */
export const removeOne = onSession(async (call, store, { id, title }) => {
  const name = `${escapeForPeople(id)} (${escapeForPeople(title ?? "untitled")})`;
  const isAsked = call.flags.yes !== true;
  if (isAsked && call.settings.json)
    return refuse("invalid_arguments", "A session is deleted for good: say --yes.");
  if (isAsked && !(await consents(`Delete ${name} for good? [y/N] `))) {
    call.terminal.err(`Nothing was deleted. To delete ${name} for good: --yes\n`);
    return exitCodes.change;
  }
  const removed = await finishOnceBegun(() => store.remove(id));
  if (isRefusal(removed)) return removed;
  return answer(call, { success: true, id }, `Deleted ${name}.`);
});
