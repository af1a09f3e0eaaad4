import { defined } from "../../text/index.js";
import type { ConversationEvent } from "../values/event.js";
import type { IdSource } from "../values/ids.js";

/** What a conversation begins with. */
export interface ConversationStart {
  /** Ids of new nodes; see `timeSortedIds`. */
  readonly ids: IdSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly title?: string;
  readonly cwd?: string;
}

/** Where a conversation begins: the event of its journal that makes the root. */
export function firstEvent(
  options: ConversationStart,
): Extract<ConversationEvent, { type: "session_started" }> {
  const id = options.ids();
  const payload = {
    kind: "task_boundary",
    name: options.title ?? "",
    transformation: { kind: "clear" },
  } as const;
  return {
    type: "session_started",
    sessionId: id,
    root: { id, parentId: null, timestamp: options.now(), payload },
    ...defined({ title: options.title, cwd: options.cwd }),
  };
}
