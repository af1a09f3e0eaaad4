import { applyEvent, isPruned, startedContext } from "../tree/fold.js";
import { upwards } from "../tree/path.js";
import type { ConversationEvent, JournalRecord, NewNode } from "../values/event.js";
import { noExchange } from "../values/exchange.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { LostRecords } from "../values/payload.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import type { JournalProblem, TimedEvent } from "../values/store.js";
import { type Gap, lostBeginning, placeholderPayload } from "./gaps.js";

/** A place at which something of a session is lost, and what stands there now. */
export interface Loss {
  /** The records that are lost, by their numbers; `undefined` where none is missing, and what they name is. */
  readonly records: LostRecords | undefined;
  /** The nodes that stand in their place, under the ids by which others name them, or one of its own id. */
  readonly placeholders: readonly string[];
  /** The node below which they stand: the head was there when the records were lost. */
  readonly parentId: string;
}

/**
 * The fold of a damaged journal. Where records are lost a placeholder is put, under the id that later records
 * name, below the node at which the head stood; so all that comes later follows on it. Example: of
 *
 *     1 session_started s   2 node a below s   (3 is lost)   4 node c below b
 *
 * it makes s, a, b (lost), c. What it lets take effect is an event each, so that the same events, written down,
 * are the journal of a sound session.
 */
export class MendingFold {
  context: ConversationContext;
  /** What took effect, placeholders included, in its order. */
  readonly events: TimedEvent[];
  readonly losses: Loss[] = [];
  readonly problems: JournalProblem[] = [];
  /** When the last record was made. */
  private ts: number;

  constructor(sessionId: string, first: JournalRecord | undefined) {
    const begun = first?.event.type === "session_started" ? first.event : undefined;
    const event = begun ?? lostBeginning(sessionId);
    this.ts = first?.ts ?? 0;
    this.context = startedContext(event);
    this.events = [{ ts: this.ts, event }];
    if (event === first?.event) return;
    this.problems.push(lostFirstRecord);
    this.losses.push({ records: { from: 1, to: 1 }, placeholders: [sessionId], parentId: sessionId });
  }

  /** Puts placeholders where records are missing. */
  fill(gap: Gap): void {
    const { records = noRecords, staged, nodes: named } = gap;
    const { ts } = this;
    for (const id of staged)
      this.apply({ type: "staged", id, timestamp: ts, payload: { kind: "lost", records } });
    const parentId = this.parentFor(gap);
    const ids = named.size > 0 || staged.size > 0 ? [...named.keys()] : ownId(gap, this.context);
    const nodes = ids.map(
      (id): NewNode => ({ id, parentId, timestamp: ts, payload: placeholderPayload(named.get(id), records) }),
    );
    if (nodes.length > 0) this.apply({ type: "nodes_added", nodes, head: this.context.currentNodeId });
    if (ids.length + staged.size > 0)
      this.losses.push({ records: gap.records, placeholders: [...staged, ...ids], parentId });
  }

  /** @param isSecond whether a record of the same number stands before it: then only its nodes are kept. */
  take({ seq, ts, event }: JournalRecord, isSecond: boolean): void {
    this.ts = ts;
    if (isSecond) {
      this.keepBeside(seq, event);
      return;
    }
    const refusal = this.apply(event);
    if (refusal === undefined) return;
    for (const prior of priorsOf(this.context, event)) this.apply(prior);
    const adapted = adaptedTo(this.context, event);
    const fate =
      adapted === undefined
        ? "it was left out"
        : this.apply(adapted) === undefined
          ? "its rest holds"
          : undefined;
    const told = fate ?? this.salvage(event);
    this.problems.push({
      line: seq,
      what: "missing_record",
      message: `Record ${seq}: ${refusal.message} (${told})`,
    });
  }

  /** Lets an event take effect, if it can follow. */
  private apply(event: ConversationEvent): ConversationRefusal | undefined {
    const next = applyEvent(this.context, event);
    if (isRefusal(next)) return next;
    this.context = next;
    this.events.push({ ts: this.ts, event });
    return undefined;
  }

  private keepBeside(seq: number, event: ConversationEvent): void {
    const { context } = this;
    const nodes = event.type === "nodes_added" ? event.nodes.filter(({ id }) => !context.nodes.has(id)) : [];
    // An item that became one of these nodes is staged no longer: its id would be taken for ever.
    const staged = context.stagingArea
      .map(({ id }) => id)
      .filter((id) => nodes.some((node) => node.id === id));
    const refusal =
      nodes.length === 0
        ? "it adds nothing"
        : this.apply({ type: "nodes_added", nodes, head: context.currentNodeId, staged })?.message;
    if (refusal === undefined) return;
    const message = `The second record ${seq} was left out: ${refusal}`;
    this.problems.push({ line: seq, what: "second_record", message });
  }

  /** What the files were being put back to is where such a node goes; else the head is. */
  private parentFor({ nodes }: Gap): string {
    const { currentNodeId, pendingRestore } = this.context;
    if (pendingRestore === undefined || nodes.size === 0) return currentNodeId;
    return this.context.nodes.has(pendingRestore.toId) ? pendingRestore.toId : currentNodeId;
  }

  /** What of an event can be kept although nothing of it can take effect: nodes in a circle. @returns what became of it. */
  private salvage(event: ConversationEvent): string {
    if (event.type !== "nodes_added") return "it was left out";
    let { orphans } = this.context;
    for (const { id, parentId, timestamp, payload, metadata } of event.nodes) {
      if (this.context.nodes.has(id) || orphans.has(id)) continue;
      const elder = parentId === null ? undefined : orphans.get(parentId);
      const orphan: TurnNode = {
        id,
        parentId,
        childIds: [],
        timestamp,
        payload,
        metadata: metadata ?? {},
        taskId: payload.kind === "task_boundary" ? id : (elder?.taskId ?? ""),
        depth: (elder?.depth ?? -1) + 1,
        order: this.context.nodes.size + orphans.size,
        exchange: noExchange,
      };
      orphans = orphans.set(id, orphan);
      if (elder !== undefined)
        orphans = orphans.set(elder.id, { ...elder, childIds: [...elder.childIds, id] });
    }
    this.context = { ...this.context, orphans };
    return "its nodes are kept as orphans";
  }
}

const noRecords: LostRecords = { from: 0, to: 0 };

const lostFirstRecord: JournalProblem = {
  line: 1,
  what: "missing_record",
  message:
    "Record 1: the beginning of the session is lost (its title and folder); the tree stands without it.",
};

/** A placeholder of which nobody knows the id; none where only the beginning is lost, which is the root. */
function ownId({ records }: Gap, context: ConversationContext): readonly string[] {
  if (records === undefined || records.to === 1) return [];
  const name = `lost-${Math.max(records.from, 2)}`;
  let id = name;
  for (let count = 2; context.nodes.has(id); count += 1) id = `${name}-${count}`;
  return [id];
}

/** What must have happened before, since otherwise the event could not have: its own record is lost. */
function priorsOf(context: ConversationContext, event: ConversationEvent): readonly ConversationEvent[] {
  if (event.type === "pruned") {
    const parentId = context.nodes.get(event.nodeId)?.parentId;
    // The head had left the branch.
    return typeof parentId === "string" ? [{ type: "head_moved", head: parentId, reason: "navigate" }] : [];
  }
  if (event.type !== "nodes_added" && event.type !== "head_moved") return [];
  const head = lastKnownAbove(context, event.head, event.type === "nodes_added" ? event.nodes : []);
  if (!context.nodes.has(head) || !isPruned(context, head)) return [];
  return [...upwards(context, head)]
    .filter(({ id }) => context.pruned.has(id))
    .map(({ id }): ConversationEvent => ({ type: "unpruned", nodeId: id }));
}

/** Above a node that is to be added, below others that are to be added with it: the first that is there already. */
function lastKnownAbove(context: ConversationContext, headId: string, added: readonly NewNode[]): string {
  const parents = new Map(added.map(({ id, parentId }) => [id, parentId]));
  let id = headId;
  // As many steps as there are nodes: they may stand in a circle.
  for (let left = added.length; left > 0 && !context.nodes.has(id); left--) id = parents.get(id) ?? id;
  return id;
}

/** What of an event can follow although the whole cannot; undefined where that is nothing. */
function adaptedTo(context: ConversationContext, event: ConversationEvent): ConversationEvent | undefined {
  switch (event.type) {
    case "nodes_added": {
      const nodes = event.nodes.filter(({ id }) => !context.nodes.has(id));
      const staged = event.staged?.filter((id) => context.stagingArea.some((item) => item.id === id));
      return { ...event, nodes, ...(staged === undefined ? {} : { staged }) };
    }
    case "unstaged": {
      const ids = event.ids.filter((id) => context.stagingArea.some((item) => item.id === id));
      return ids.length === 0 ? undefined : { ...event, ids };
    }
    case "head_moved":
    case "pruned":
      return event;
    case "session_started":
    case "staged":
    case "metadata_set":
    case "unpruned":
    case "expansion_set":
    case "renamed":
    case "restore_begun":
    case "restore_dropped":
      return undefined;
    default:
      return event satisfies never;
  }
}
