import type { ImportOptions } from "@holdfast/core/conversation/import";
import { foldedText, type ImportProblem, whereOf } from "@holdfast/core/conversation/import";
import type {
  ConversationEvent,
  NewNode,
  TimedEvent,
  TurnMetadata,
  TurnPayload,
} from "@holdfast/core/conversation/values";
import {
  advance,
  awaitedBy,
  type Exchange,
  isOfModel,
  noExchange,
  speaks,
} from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import type { EntryNode, EntryScope, ForeignEntry } from "./foreign-entry.js";
import type { ForeignSession } from "./foreign-session.js";

/** Makes nodes and events of foreign entries, one after the other, parents before their children. */
export class TreeBuilder {
  readonly sessionId: string;
  readonly events: TimedEvent[] = [];
  readonly problems: ImportProblem[] = [];
  nodes = 0;
  private readonly byId = new Map<string, PlacedNode>();
  private readonly idsBySource = new Map<string, { readonly firstId: string; readonly lastId: string }>();
  private readonly lastOfLine = new Map<number, string>();
  /** The tasks that ended. */
  private readonly asides: string[] = [];
  private readonly source: string;
  private batch: NodeBatch | undefined;
  private head: string;
  /** What stands at the beginning hangs on it. */
  private readonly top: string;

  constructor(
    foreign: ForeignSession,
    private readonly options: ImportOptions,
  ) {
    const { format, sourceSessionId: sourceId } = foreign;
    // The time of the import says nothing of the session, and would make another id each time.
    const begunMs = foreign.startedMs === options.now ? 0 : foreign.startedMs;
    const known = sourceId === undefined ? undefined : { format, sourceId, startedMs: begunMs };
    this.sessionId = (known && options.idOf?.(known)) ?? options.newId();
    this.head = this.sessionId;
    this.source = `import:${foreign.format}`;
    const { title, cwd = options.cwd, startedMs } = foreign;
    const payload = {
      kind: "task_boundary",
      name: title ?? "",
      transformation: { kind: "clear" },
    } as const;
    const root: NewNode = { id: this.sessionId, parentId: null, timestamp: startedMs, payload };
    this.remember(root);
    const started: ConversationEvent = {
      type: "session_started",
      sessionId: this.sessionId,
      root,
      ...defined({ title, cwd }),
      origin: { kind: "import", from: options.from, ...defined({ sourceId }) },
    };
    this.record(startedMs, started);
    this.top = this.noteOfFolded(foreign);
  }

  add(entry: ForeignEntry): void {
    const parentId = this.lastNodeOf(entry.parentSourceId);
    const scope = this.scopeOf(entry, parentId);
    // Never within an entry, since an answer is one event.
    if ((this.batch?.nodes.length ?? 0) >= mostInEvent) this.close();
    let lastId = parentId;
    let firstId: string | undefined;
    for (const node of entry.nodes) {
      const id = this.options.newId();
      const made = this.made(entry, node, scope, lastId);
      this.put({ id, parentId: lastId, timestamp: entry.timestamp, ...made });
      firstId ??= id;
      lastId = id;
    }
    if (entry.file === undefined) this.lastOfLine.set(entry.line, lastId);
    this.idsBySource.set(entry.sourceId, { firstId: firstId ?? parentId, lastId });
    if (entry.aside === true && firstId !== undefined) this.asides.push(firstId);
    const event = entry.effect?.(scope);
    if (event === undefined) return;
    this.close();
    this.record(entry.timestamp, event);
  }

  finish(leafLine: number | undefined): void {
    this.close();
    const ts = this.events.at(-1)?.ts ?? this.options.now;
    const head = (leafLine === undefined ? undefined : this.lastOfLine.get(leafLine)) ?? this.head;
    // Each ends at its own last node, which moving the head to where it began could change.
    for (const id of this.asides)
      this.record(ts, { type: "head_moved", head, reason: "task_pop", task: { id, outcome: "complete" } });
    if (head !== this.head && this.asides.length === 0)
      this.record(ts, { type: "head_moved", head, reason: "navigate" });
  }

  /** One note for a person; the id of the node on which the first entries hang. */
  private noteOfFolded({ folded, startedMs }: ForeignSession): string {
    const text = folded === undefined ? undefined : foldedText(folded);
    if (text === undefined) return this.sessionId;
    const id = this.options.newId();
    const payload = { kind: "note", audience: "person", text: `Not in the tree: ${text}.` } as const;
    const metadata = { provenance: { source: this.source } };
    this.put({ id, parentId: this.sessionId, timestamp: startedMs, payload, metadata });
    return id;
  }

  private made(
    entry: ForeignEntry,
    node: EntryNode,
    scope: EntryScope,
    parentId: string,
  ): { payload: TurnPayload; metadata: TurnMetadata } {
    const provenance = { source: this.source, sourceId: entry.sourceId };
    const wanted = typeof node.payload === "function" ? node.payload(scope) : node.payload;
    const payload = this.withSafeCut(wanted, parentId);
    const metadata = { ...node.metadata, provenance };
    return this.isOrphan(entry, payload, parentId)
      ? { payload, metadata: { ...metadata, isHiddenFromLlm: true } }
      : { payload, metadata };
  }

  /** Whether it is a result without a call: kept for people, since no provider takes it. */
  private isOrphan(entry: ForeignEntry, payload: TurnPayload, parentId: string): boolean {
    if (payload.kind !== "tool_result") return false;
    const before = this.byId.get(parentId)?.exchange ?? noExchange;
    if (awaitedBy(before, payload.callId) !== undefined) return false;
    const message = `The result of ${payload.callId} has no open call above it; no model is shown it.`;
    this.report(entry, "broken_pair", message);
    return true;
  }

  /** A compaction tears no call from its result, and no answer apart: it keeps a little more instead. */
  private withSafeCut(payload: TurnPayload, parentId: string): TurnPayload {
    if (payload.kind !== "summary" || payload.of !== "compaction") return payload;
    const wanted = payload.keepFromId;
    const parent = this.byId.get(parentId);
    if (wanted === null && (parent === undefined || parent.exchange.size === 0)) return payload;
    let passed = wanted === null;
    let start: string | undefined;
    for (let node = parent; node !== undefined; node = this.above(node)) {
      passed ||= node.id === wanted;
      start ??= startOf(node);
      if (node.id === start || (passed && this.isSafeStart(node))) return { ...payload, keepFromId: node.id };
    }
    return { ...payload, keepFromId: null };
  }

  /** As `isSafeCut`, of a node that is in no context yet. */
  private isSafeStart(node: PlacedNode): boolean {
    const before = this.above(node)?.exchange ?? noExchange;
    if (before.size > 0 && !advance(before, node).ends) return false;
    if (!isOfModel(node)) return true;
    for (let earlier = this.above(node); earlier !== undefined; earlier = this.above(earlier))
      if (speaks(earlier)) return !(isOfModel(earlier) && earlier.payload.step === node.payload.step);
    return true;
  }

  private above({ parentId }: PlacedNode): PlacedNode | undefined {
    return parentId === null ? undefined : this.byId.get(parentId);
  }

  private put(node: NewNode): void {
    const turn = node.payload.kind === "user_message";
    const follows = this.batch?.nodes.at(-1)?.id === node.parentId;
    if (!follows || turn) this.close();
    this.batch ??= { ts: node.timestamp, turn, nodes: [] };
    this.batch.nodes.push(node);
    this.remember(node);
  }

  private close(): void {
    const { batch } = this;
    this.batch = undefined;
    const head = batch?.nodes.at(-1)?.id;
    if (batch === undefined || head === undefined) return;
    const { nodes, ts } = batch;
    const turn = batch.turn ? { turn: true as const } : {};
    this.record(ts, { type: "nodes_added", nodes, head, ...turn });
    this.head = head;
  }

  /** Never earlier than what was recorded before: a copied entry is older than the file it was copied to. */
  private record(ts: number, event: ConversationEvent): void {
    this.events.push({ ts: Math.max(ts, this.events.at(-1)?.ts ?? ts), event });
  }

  private remember(node: NewNode): void {
    const { id, parentId, payload, metadata = {} } = node;
    const before = (parentId === null ? undefined : this.byId.get(parentId)?.exchange) ?? noExchange;
    const { exchange } = advance(before, { id, payload, metadata });
    this.byId.set(id, { id, parentId, payload, metadata, exchange });
    this.nodes += 1;
  }

  private lastNodeOf(sourceId: string | null): string {
    return (sourceId === null ? undefined : this.idsBySource.get(sourceId)?.lastId) ?? this.top;
  }

  private report(entry: ForeignEntry, what: ImportProblem["what"], said: string): void {
    const { line, file } = entry;
    this.problems.push({ line, what, message: `${whereOf(entry)}: ${said}`, ...defined({ file }) });
  }

  private scopeOf(entry: ForeignEntry, parentId: string): EntryScope {
    const parentOf = (id: string) => this.byId.get(id)?.parentId ?? null;
    const isAbove = (nodeId: string): boolean => {
      for (let id: string | null = parentId; id !== null; id = parentOf(id)) if (id === nodeId) return true;
      return false;
    };
    return {
      parentId,
      isAbove,
      nodesOf: (sourceId) => this.idsBySource.get(sourceId),
      payloadOf: (nodeId) => this.byId.get(nodeId)?.payload,
      branchStart: (nodeId) => {
        const path = new Set<string>();
        for (let id: string | null = parentId; id !== null; id = parentOf(id)) path.add(id);
        let start = nodeId;
        for (let id: string | null = nodeId; id !== null && !path.has(id); id = parentOf(id)) start = id;
        return start;
      },
      report: (message) => this.report(entry, "lost_reference", message),
    };
  }
}

/** More nodes than that are more than one line of a journal should hold. */
const mostInEvent = 200;

interface NodeBatch {
  readonly ts: number;
  readonly turn: boolean;
  readonly nodes: NewNode[];
}

/** A node of the new tree, as far as others are judged by it. */
interface PlacedNode {
  readonly id: string;
  readonly parentId: string | null;
  readonly payload: TurnPayload;
  readonly metadata: TurnMetadata;
  readonly exchange: Exchange;
}

/** Where the prompt of what hangs below a node begins, if the node decides it. */
function startOf({ id, payload }: PlacedNode): string | undefined {
  if (payload.kind === "task_boundary") return id;
  if (payload.kind === "summary" && payload.of === "compaction") return payload.keepFromId ?? id;
  return undefined;
}
