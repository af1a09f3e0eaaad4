import { defined } from "../text/index.js";
import { checkEvent } from "./checks.js";
import { firstEvent } from "./first-event.js";
import { ContextManager, type ContextManagerOptions } from "./manager.js";
import type { Loss } from "./mend.js";
import { type ConversationRefusal, isRefusal } from "./refusal.js";
import { replay } from "./replay.js";
import type { JournalProblem, OpenSession, SessionStore } from "./store.js";

/** A conversation whose journal is in a store. */
export interface StoredConversation {
  readonly kind: "conversation";
  readonly manager: ContextManager;
  readonly session: OpenSession;
  /** What of the journal could not be read, or could not take effect. */
  readonly problems: readonly JournalProblem[];
  /** What is lost, and the placeholders that stand there; `describeLosses` says it in words. See `repairSession`. */
  readonly losses: readonly Loss[];
  /** Makes what was done durable and gives the lease back; the refusal is that of the last flush. */
  close(): Promise<{ readonly kind: "closed" } | ConversationRefusal>;
}

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
  return isRefusal(session) ? session : conversationOf(session, options);
}

/** Goes on with a stored conversation; see `SessionStore.open`. */
export async function openConversation(
  store: SessionStore,
  id: string,
  mode: "write" | "read",
  sources: Sources,
): Promise<StoredConversation | ConversationRefusal> {
  const session = await store.open(id, mode);
  return isRefusal(session) ? session : conversationOf(session, sources);
}

function conversationOf(session: OpenSession, { ids, now, naming, digest }: Sources): StoredConversation {
  const { context, problems, losses } = replay(session.id, session.records, session.lastSeq);
  const manager = new ContextManager({
    ids,
    now,
    stored: { session, context },
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
