import type { Workspace } from "../../files/index.js";
import type { FileStatus } from "../../files/values/index.js";
import type { PendingRestore, TurnNode } from "../values/node.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { RestoreJournal } from "./restoring.js";

/** What recovery found about a restore that was begun and neither finished nor dropped. */
export type RecoveredRestore =
  | { readonly kind: "nothing_pending" }
  | {
      readonly kind: "restore_happened";
      /** The new head. */
      readonly node: TurnNode;
      /** Files that somebody changed since. */
      readonly changed: readonly string[];
    }
  | { readonly kind: "restore_dropped"; readonly changed: readonly string[] }
  /** The files are neither all as before nor all as after: they stand as they are, and a person should look. */
  | {
      readonly kind: "restore_unclear";
      readonly before: readonly string[];
      readonly after: readonly string[];
      readonly changed: readonly string[];
    };

/**
 * After a kill in the middle of a restore: looks at the disk and makes the conversation agree with it. The
 * change set of the restore is recovered first, so that its files are all as before or all as after; what
 * differs from both was changed by somebody since.
 *
 * @returns `files_refused` where the files cannot be looked at now (somebody holds a lock): try again; what
 *   the journal refuses.
 */
export async function recoverRestore(
  journal: RestoreJournal,
  workspace: Pick<Workspace, "recoveredStates">,
): Promise<RecoveredRestore | ConversationRefusal> {
  const pending = journal.context.pendingRestore;
  if (pending === undefined) return { kind: "nothing_pending" };
  const statuses = await workspace.recoveredStates(pending.files.map(({ path }) => path));
  const busy = statuses.find(({ barred }) => barred?.code === "busy");
  if (busy?.barred !== undefined)
    return refuse("files_refused", `${busy.path} cannot be looked at now: ${busy.barred.message}`);
  const { before, after, changed } = sort(pending, statuses);
  if (after.length > 0 && before.length === 0) return happened(journal, pending, changed);
  const dropped = journal.dropRestore(pending.restoreId);
  const flushed = isRefusal(dropped) ? dropped : await journal.flush();
  if (isRefusal(flushed)) return flushed;
  if (after.length === 0 && before.length > 0) return { kind: "restore_dropped", changed };
  return { kind: "restore_unclear", before, after, changed };
}

async function happened(
  journal: RestoreJournal,
  pending: PendingRestore,
  changed: readonly string[],
): Promise<RecoveredRestore | ConversationRefusal> {
  const node = journal.finishRestore(pending);
  if (isRefusal(node)) return node;
  const flushed = await journal.flush();
  return isRefusal(flushed) ? flushed : { kind: "restore_happened", node, changed };
}

function sort({ files }: PendingRestore, statuses: readonly FileStatus[]) {
  const [before, after, changed]: [string[], string[], string[]] = [[], [], []];
  for (const [at, { path, from, to }] of files.entries()) {
    const now = statuses[at]?.sha256;
    if (now === to) after.push(path);
    else if (now === from) before.push(path);
    else changed.push(path);
  }
  return { before, after, changed };
}
