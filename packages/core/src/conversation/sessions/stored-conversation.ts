import type { Workspace } from "../../files/index.js";
import { defined } from "../../text/index.js";
import type { RestoreDisk } from "../follow/restore-plan.js";
import { type RecoveredRestore, recoverRestore } from "../follow/restore-recovery.js";
import { type DriftedFile, driftedFiles, type SettledWrites, settleWrites } from "../follow/settling.js";
import type { Loss, Replayed } from "../journal/mend.js";
import { replay, replayOn } from "../journal/replay.js";
import { checkEvent } from "../tree/checks.js";
import { firstEvent } from "../tree/fold.js";
import { ContextManager, type ContextManagerOptions } from "../tree/manager.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import type { JournalProblem, OpenSession, SessionStore } from "../values/store.js";

/** A conversation whose journal is in a store. */
export interface StoredConversation {
  readonly kind: "conversation";
  readonly manager: ContextManager;
  readonly session: OpenSession;
  /** What of the journal could not be read, or could not take effect. */
  readonly problems: readonly JournalProblem[];
  /** How the files were found, where it was opened for writing with them. */
  readonly files?: OpenedFiles;
  /** What is lost, and the placeholders that stand there; `describeLosses` says it in words. See `repairSession`. */
  readonly losses: readonly Loss[];
  /** Makes what was done durable and gives the lease back; the refusal is that of the last flush. */
  close(): Promise<{ readonly kind: "closed" } | ConversationRefusal>;
}

/** What was made good of files when a conversation was opened, each part or why it could not be. */
export interface OpenedFiles {
  /** A restore that was begun and not ended. */
  readonly restore: RecoveredRestore | ConversationRefusal;
  /** Writes of calls without a result. */
  readonly writes: SettledWrites | ConversationRefusal;
  /** What is still not as the conversation has it, and who left it so. */
  readonly apart: readonly DriftedFile[];
}

/** The files of a conversation: a `Workspace`. */
export type ConversationFiles = RestoreDisk & Pick<Workspace, "callerWrites" | "recoveredStates">;

type Sources = Pick<ContextManagerOptions, "ids" | "now" | "naming" | "digest" | "metadataKeys">;

/** Begins a conversation in a store; the id of its session is its root's. */
export async function createConversation(
  store: SessionStore,
  options: Omit<ContextManagerOptions, "stored">,
): Promise<StoredConversation | ConversationRefusal> {
  const event = firstEvent(options);
  const flawed = checkEvent(event);
  if (flawed !== undefined) return flawed;
  const session = await store.create(event.sessionId, [{ ts: options.now(), event }]);
  if (isRefusal(session)) return session;
  return conversationOf(session, stateOf(session), options);
}

/**
 * Goes on with a stored conversation; see `SessionStore.open`.
 *
 * @param sources with `files`, what a kill or a late call left is made good before the first turn, and the answer says
 *   what was found (`StoredConversation.files`). Each file that the conversation knows of is hashed for that.
 */
export async function openConversation(
  store: SessionStore,
  id: string,
  mode: "write" | "read",
  { files, ...sources }: Sources & { readonly files?: ConversationFiles },
): Promise<StoredConversation | ConversationRefusal> {
  const opened = await openStored(store, id, mode, sources);
  if (isRefusal(opened) || files === undefined || mode === "read") return opened;
  return { ...opened, files: await settleFiles(opened.manager, files) };
}

async function openStored(
  store: SessionStore,
  id: string,
  mode: "write" | "read",
  sources: Sources,
): Promise<StoredConversation | ConversationRefusal> {
  const session = await store.open(id, mode, "state");
  if (isRefusal(session)) return session;
  if (session.begun === undefined) return conversationOf(session, stateOf(session), sources);
  const context = replayOn(session.begun.context, session.records);
  if (context !== undefined) return conversationOf(session, { context, problems: [], losses: [] }, sources);
  await session.close();
  const whole = await store.open(id, mode, "records");
  return isRefusal(whole) ? whole : conversationOf(whole, stateOf(whole), sources);
}

/** Makes good what was interrupted, and looks at the files. */
async function settleFiles(manager: ContextManager, files: ConversationFiles): Promise<OpenedFiles> {
  const restore = await recoverRestore(manager, files);
  const writes = await settleWrites(manager, files);
  const apart = await driftedFiles(manager.context, files, manager.manifests);
  return { restore, writes, apart };
}

function stateOf({ id, records, lastSeq }: OpenSession): Replayed {
  return replay(id, records, lastSeq);
}

function conversationOf(
  session: OpenSession,
  { context, problems, losses }: Omit<Replayed, "events">,
  { ids, now, naming, digest }: Sources,
): StoredConversation {
  session.letGo?.();
  const isWhole = problems.length === 0 && losses.length === 0;
  const manager = new ContextManager({
    ids,
    now,
    stored: { session, context, isWhole },
    ...defined({ naming, digest }),
  });
  return {
    kind: "conversation",
    manager,
    session,
    problems: [...session.problems, ...problems],
    losses,
    close: async () => {
      const closed = await manager.close();
      return isRefusal(closed) ? closed : { kind: "closed" };
    },
  };
}
