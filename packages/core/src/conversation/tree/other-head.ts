import type { ConversationEvent } from "../values/event.js";
import type { ConversationContext } from "../values/node.js";
import { type ConversationRefusal, refuse } from "../values/refusal.js";
import type { JournaledContext } from "./journaled-context.js";

/** What a `ContextManager` changes: a conversation with one head. */
export type HeadedContext = Pick<
  JournaledContext,
  "current" | "readOnly" | "subscribe" | "change" | "flush" | "close"
>;

/**
 * A second head over the same tree and journal. What it adds is journaled with the first head where that one stands, so
 * that a replay ends with the first. The first head moves on only if something is added right below it, such as the summary
 * of a task that ends there.
 */
export class OtherHead implements HeadedContext {
  private value: ConversationContext;
  private from: ConversationContext;

  constructor(
    private readonly first: HeadedContext,
    private head = first.current.currentNodeId,
  ) {
    this.from = first.current;
    this.value = { ...this.from, currentNodeId: head };
  }

  get current(): ConversationContext {
    const { current } = this.first;
    if (this.from === current && this.value.currentNodeId === this.head) return this.value;
    this.from = current;
    this.value = { ...current, currentNodeId: this.head };
    return this.value;
  }

  get readOnly(): ConversationRefusal | undefined {
    const isThere = this.first.current.nodes.has(this.head);
    const lost = isThere ? undefined : refuse("read_only", "This branch could not be kept and is gone.");
    return this.first.readOnly ?? lost;
  }

  subscribe: HeadedContext["subscribe"] = (listener) => this.first.subscribe(listener);

  change: HeadedContext["change"] = ({ event, checked }, answer) => {
    const { readOnly } = this;
    if (readOnly !== undefined) return readOnly;
    const head = "head" in event ? event.head : this.head;
    return this.first.change({ event: this.besideFirst(event), checked }, () => {
      this.head = head;
      return answer();
    });
  };

  flush: HeadedContext["flush"] = () => this.first.flush();

  /** The conversation is closed where it was opened. */
  close: HeadedContext["close"] = async () => undefined;

  private besideFirst(event: ConversationEvent): ConversationEvent {
    if (!("head" in event)) return event;
    const { currentNodeId } = this.first.current;
    const nodes = event.type === "nodes_added" ? event.nodes : [];
    const below = nodes.find(
      ({ parentId, payload }) => parentId === currentNodeId && payload.kind !== "task_boundary",
    );
    return { ...event, head: below?.id ?? currentNodeId };
  }
}
