import { type Advancing, cappedLines, counted, defined } from "../../text/index.js";
import { applyEvent, isPruned, startedContext } from "../tree/fold.js";
import { upwards } from "../tree/path.js";
import type { ConversationEvent, JournalRecord, NewNode } from "../values/event.js";
import { idsIn } from "../values/event-ids.js";
import type { ConversationContext } from "../values/node.js";
import type { LostRecords, TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import type { JournalProblem, TimedEvent } from "../values/store.js";

/** A place at which something of a session is lost, and what stands there now. */
export interface Loss {
  /** The records that are lost, by their numbers; `undefined` where none is missing, and what they name is. */
  readonly records: LostRecords | undefined;
  /** The nodes that stand in their place, under the ids by which others name them, or one of its own id. */
  readonly placeholders: readonly string[];
  /** The node below which they stand: the head was there when the records were lost. */
  readonly parentId: string;
}

/** What a journal adds up to, and what of it could not be followed. */
export interface Replayed {
  readonly context: ConversationContext;
  /** What could not follow on what was there, by the `seq` of its record. */
  readonly problems: readonly JournalProblem[];
  /** Where records are lost, and the placeholders that stand there. */
  readonly losses: readonly Loss[];
  /** What took effect: the events of the journal, and with them those that put the placeholders. */
  readonly events: readonly TimedEvent[];
}

/**
 * The fold of a damaged journal. Where records are lost a placeholder is put, under the id that later records
 * name, below the node at which the head stood; so all that comes later follows on it. Example: of
 *
 *     1 session_started s   2 node a below s   (3 is lost)   4 node c below b
 *
 * it makes s, a, b (lost), c. What it lets take effect is an event each, so that the same events, written down,
 * are the journal of a sound session.
 *
 * @param lastSeq the number of the last record that there was.
 */
export function* mendInSteps(
  sessionId: string,
  records: readonly JournalRecord[],
  lastSeq: number,
): Advancing<Replayed> {
  const fold = new MendingFold(sessionId, records[0]);
  const gaps = findGaps(fold.context.sessionId, records, lastSeq);
  let filled = 0;
  for (let at = 0; at <= records.length; at += 1) {
    if (at % stepRecords === stepRecords - 1) yield { done: at, of: records.length };
    for (let gap = gaps[filled]; gap !== undefined && gap.at <= at; gap = gaps[filled]) {
      fold.fill(gap);
      filled += 1;
    }
    const record = records[at];
    if (record === undefined || (at === 0 && record.event.type === "session_started")) continue;
    fold.take(record, record.seq === records[at - 1]?.seq);
  }
  const { context, problems, losses, events } = fold;
  return { context, problems, losses, events };
}

/**
 * What a session has lost, in words: how many places, and the first 20 of them, a line each.
 *
 * @returns nothing where nothing is lost.
 */
export function describeLosses(losses: readonly Loss[]): readonly string[] {
  return losses.length === 0
    ? []
    : [
        `${counted(losses.length, "place")} of this session cannot be read:`,
        ...cappedLines(losses.map(describeLoss)),
      ];
}

/** One place, as a sentence. */
export function describeLoss({ records, placeholders, parentId }: Loss): string {
  const [first, ...others] = placeholders;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  const what = records === undefined ? `No record holds node ${first}${more}` : `${named(records)} lost`;
  if (placeholders.includes(parentId)) return `${what}: the beginning of the session (its title and folder).`;
  return `${what}: placeholder ${first}${more} below node ${parentId}.`;
}

function named({ from, to }: LostRecords): string {
  return from === to ? `Record ${from} is` : `Records ${from} to ${to} are`;
}

/** So many are folded in some milliseconds. */
export const stepRecords = 256;

class MendingFold {
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
    if (event === begun) return;
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
      (id): NewNode => ({ id, parentId, timestamp: ts, payload: placeholder(named.get(id), records) }),
    );
    if (nodes.length > 0) this.apply({ type: "nodes_added", nodes, head: this.context.currentNodeId });
    if (ids.length + staged.size > 0)
      this.losses.push({ records: gap.records, placeholders: [...staged, ...ids], parentId });
  }

  /** @param isSecond whether a record of the same number stands before it: then only its nodes are kept. */
  take({ seq, ts, event }: JournalRecord, isSecond: boolean): void {
    this.ts = ts;
    if (isSecond) {
      if (this.keepNodes(event)) return;
      const message = `The second record ${seq} was left out: it adds nothing`;
      this.problems.push({ line: seq, what: "second_record", message });
      return;
    }
    const refusal = this.apply(event);
    if (refusal === undefined) return;
    for (const prior of priorsOf(this.context, event)) this.apply(prior);
    const holds = this.apply(restOf(this.context, event)) === undefined;
    const left = holds || this.keepNodes(event) ? "its nodes are kept" : "it was left out";
    const message = `Record ${seq}: ${refusal.message} (${holds ? "its rest holds" : left})`;
    this.problems.push({ line: seq, what: "missing_record", message });
  }

  /** Lets an event take effect, if it can follow. */
  private apply(event: ConversationEvent): ConversationRefusal | undefined {
    const next = applyEvent(this.context, event);
    if (isRefusal(next)) return next;
    this.context = next;
    this.events.push({ ts: this.ts, event });
    return undefined;
  }

  /** Adds what nodes of an event are not there yet; nothing else of it takes effect. @returns whether there are such. */
  private keepNodes(event: ConversationEvent): boolean {
    const { context } = this;
    const nodes = event.type === "nodes_added" ? missingOf(context, event.nodes) : [];
    if (nodes.length === 0) return false;
    // An item that became one of these nodes is staged no longer: its id would be taken for ever.
    const ids = new Set(nodes.map(({ id }) => id));
    const staged = context.stagingArea.map(({ id }) => id).filter((id) => ids.has(id));
    return this.apply({ type: "nodes_added", nodes, head: context.currentNodeId, staged }) === undefined;
  }

  /** What the files were being put back to is where such a node goes; else the head is. */
  private parentFor({ nodes }: Gap): string {
    const { currentNodeId, pendingRestore } = this.context;
    if (pendingRestore === undefined || nodes.size === 0) return currentNodeId;
    return this.context.nodes.has(pendingRestore.toId) ? pendingRestore.toId : currentNodeId;
  }
}

const noRecords: LostRecords = { from: 0, to: 0 };

const lostFirstRecord: JournalProblem = {
  line: 1,
  what: "missing_record",
  message:
    "Record 1: the beginning of the session is lost (its title and folder); the tree stands without it.",
};

/** Where the first record is lost: the root is known without it. */
function lostBeginning(sessionId: string): Extract<ConversationEvent, { type: "session_started" }> {
  const lost = { from: 1, to: 1 };
  const payload: TurnPayload = {
    kind: "task_boundary",
    name: "",
    transformation: { kind: "clear" },
    lost,
  };
  const root = { id: sessionId, parentId: null, timestamp: 0, payload };
  return { type: "session_started", sessionId, root };
}

/** What stands in the place of a lost node. A boundary stays one, so that its task does. */
function placeholder(use: "node" | "task" | undefined, records: LostRecords): TurnPayload {
  if (use !== "task") return { kind: "lost", records };
  return { kind: "task_boundary", name: "", transformation: { kind: "clone" }, lost: records };
}

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

/** What of an event can follow where the whole cannot. */
function restOf(context: ConversationContext, event: ConversationEvent): ConversationEvent {
  const isStaged = (id: string) => context.stagingArea.some((item) => item.id === id);
  if (event.type === "unstaged") {
    const ids = event.ids.filter(isStaged);
    return ids.length === 0 ? event : { ...event, ids };
  }
  if (event.type !== "nodes_added") return event;
  const staged = event.staged?.filter(isStaged);
  return { ...event, nodes: missingOf(context, event.nodes), ...defined({ staged }) };
}

/** The nodes that are not there yet, parents before their children; below the head where the parent is nowhere. */
function missingOf(context: ConversationContext, nodes: readonly NewNode[]): readonly NewNode[] {
  const left = new Map<string, NewNode>();
  for (const node of nodes) if (!context.nodes.has(node.id) && !left.has(node.id)) left.set(node.id, node);
  const missing = new Map<string, NewNode>();
  for (const node of [...left.values()]) {
    const branch: NewNode[] = [];
    // Each is taken once: they may stand in a circle.
    for (let one = left.get(node.id); one !== undefined; one = left.get(one.parentId ?? "")) {
      left.delete(one.id);
      branch.push(one);
    }
    for (const one of branch.reverse()) {
      const { parentId } = one;
      const isBelow = parentId !== null && (context.nodes.has(parentId) || missing.has(parentId));
      missing.set(one.id, isBelow ? one : { ...one, parentId: context.currentNodeId });
    }
  }
  return [...missing.values()];
}

/** Where records are missing, and what later ones name of what stood in them. */
interface Gap {
  /** Their numbers; undefined where none is missing. */
  readonly records: LostRecords | undefined;
  /** Before which record it is, by its place in the list. */
  readonly at: number;
  /** The last node that was added before it. */
  readonly after: string;
  /** By their ids; `task` where it is named as the boundary of one. */
  readonly nodes: Map<string, "node" | "task">;
  /** Items that were staged, by their ids. */
  readonly staged: Set<string>;
}

/**
 * Finds where records are missing, and which lost nodes each of these places held. What a record names and no
 * record holds was in the last gap before it; where ids sort by time they tell of an earlier one.
 */
function findGaps(sessionId: string, records: readonly JournalRecord[], lastSeq: number): readonly Gap[] {
  const finder = new GapFinder(sessionId, records);
  for (const [at, record] of records.entries()) finder.take(at, record);
  finder.missUpTo(lastSeq, records.length);
  return finder.gaps;
}

class GapFinder {
  /** In the order of their places. */
  readonly gaps: Gap[] = [];
  /** Ids that some record adds; one of them is not lost, wherever it stands. */
  private readonly added: ReadonlySet<string>;
  private readonly lost = new Map<string, Gap>();
  private readonly staged = new Set<string>();
  private next = 1;
  private last: string;

  constructor(sessionId: string, records: readonly JournalRecord[]) {
    const nodes = records.flatMap(({ event }) => (event.type === "nodes_added" ? event.nodes : []));
    this.added = new Set([sessionId, ...nodes.map(({ id }) => id)]);
    this.last = sessionId;
  }

  take(at: number, { seq, event }: JournalRecord): void {
    this.missUpTo(seq - 1, at);
    this.next = Math.max(this.next, seq + 1);
    for (const { id, use } of idsIn(event)) {
      if (use === "node" || use === "task") this.name(at, id, use);
      if (use === "staged" && !this.staged.has(id)) this.gapOf(at, id).staged.add(id);
      if (use === "staged" || (use === "own" && event.type === "staged")) this.staged.add(id);
    }
    if (event.type === "nodes_added") this.last = event.nodes.at(-1)?.id ?? this.last;
  }

  missUpTo(seq: number, at: number): void {
    if (seq >= this.next) this.open(at, { from: this.next, to: seq });
  }

  private open(at: number, records: LostRecords | undefined): Gap {
    const gap = { at, records, after: this.last, nodes: new Map(), staged: new Set<string>() };
    this.gaps.push(gap);
    return gap;
  }

  private name(at: number, id: string, use: "node" | "task"): void {
    if (this.added.has(id)) return;
    const gap = this.lost.get(id) ?? this.gapOf(at, id);
    this.lost.set(id, gap);
    if (use === "task" || !gap.nodes.has(id)) gap.nodes.set(id, use);
  }

  private gapOf(at: number, id: string): Gap {
    const [, number] = /^lost-(\d+)/.exec(id) ?? [];
    const holds = ({ from, to }: LostRecords) => from <= Number(number) && Number(number) <= to;
    const { gaps } = this;
    return (
      (number && gaps.findLast(({ records }) => records !== undefined && holds(records))) ||
      gaps.findLast(({ records, after }) => records && (after.length !== id.length || after < id)) ||
      gaps.findLast(({ records }) => records) ||
      this.open(at, undefined)
    );
  }
}
