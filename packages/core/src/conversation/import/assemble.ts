import { type Advancing, defined } from "../../text/index.js";
import type { ConversationEvent, NewNode } from "../event.js";
import type { Digest } from "../file-content.js";
import type { IdSource } from "../ids.js";
import type { TurnMetadata } from "../node.js";
import type { TurnPayload } from "../payload.js";
import { type ConversationRefusal, refuse } from "../refusal.js";
import type { TimedEvent } from "../store.js";
import type { EntryNode, EntryScope, ForeignEntry } from "./foreign-entry.js";
import type { ImportProblem } from "./lines.js";
import { OwnResults } from "./own-results.js";
import { brokenPairs } from "./pairs.js";
import { resolveParents } from "./resolve-parents.js";

/** How a foreign session becomes one of ours. */
export interface ImportOptions {
  /** What it was read from, for `origin`. */
  readonly from: string;
  readonly newId: IdSource;
  /** Milliseconds since the epoch, for what bears no time. */
  readonly now: number;
  /** Proves the texts of whole files; without one, no text of a file is believed. */
  readonly digest?: Digest;
  /** Calls without results and results without calls are kept and reported, instead of refused. */
  readonly repair?: boolean;
}

/** A session that was read from a file; nothing is stored yet. */
export interface ImportedSession {
  readonly kind: "imported";
  readonly format: "pi" | "claude" | "holdfast";
  readonly sessionId: string;
  readonly title: string | undefined;
  /** What to create the session with: the first one is `session_started`. */
  readonly events: readonly TimedEvent[];
  readonly nodes: number;
  /** Everything that is not as it was in the file, by line. */
  readonly problems: readonly ImportProblem[];
}

/** A session of another agent, read but not yet a tree. */
export interface ForeignSession {
  readonly format: "pi" | "claude";
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly startedMs: number;
  readonly entries: readonly ForeignEntry[];
  /** The line of the entry at which the session stood. */
  readonly leafLine: number | undefined;
  readonly problems: readonly ImportProblem[];
}

/** @returns `broken_pairs`, unless they are to be kept. */
export function* assemble(
  foreign: ForeignSession,
  options: ImportOptions,
): Advancing<ImportedSession | ConversationRefusal<"broken_pairs">> {
  const of = foreign.entries.length;
  yield { done: 0, of };
  const resolved = resolveParents(foreign.entries);
  yield { done: 0, of };
  const tree = new TreeBuilder(foreign, options);
  const own = new OwnResults(resolved.entries, foreign.format, options.digest);
  for (const [at, entry] of resolved.entries.entries()) {
    tree.add(own.inEntry(entry));
    if (at % stepEntries === stepEntries - 1) yield { done: at + 1, of };
  }
  tree.finish(foreign.leafLine);
  yield { done: of, of };
  const broken = brokenPairs(tree.nodes).map(({ nodeId, message }): ImportProblem => {
    const line = tree.lineOf(nodeId);
    return { line, what: "broken_pair", message: `Line ${line}: ${message}` };
  });
  const [first] = broken;
  if (first !== undefined && options.repair !== true) return refusePairs(first, broken.length);
  const problems = [...foreign.problems, ...resolved.problems, ...tree.problems, ...broken];
  return {
    kind: "imported",
    format: foreign.format,
    sessionId: tree.sessionId,
    title: foreign.title,
    events: tree.events,
    nodes: tree.nodes.length,
    problems: problems.toSorted((a, b) => a.line - b.line),
  };
}

function refusePairs(first: ImportProblem, count: number): ConversationRefusal<"broken_pairs"> {
  const more = count === 1 ? "" : ` ${count - 1} more like this.`;
  return refuse("broken_pairs", `${first.message}${more} Nothing was imported; ask for repair to keep them.`);
}

/** Put into the tree in some milliseconds. */
const stepEntries = 512;

/** More nodes than that are more than one line of a journal should hold. */
const mostInEvent = 200;

interface NodeBatch {
  readonly ts: number;
  readonly turn: boolean;
  readonly nodes: NewNode[];
}

class TreeBuilder {
  readonly sessionId: string;
  readonly events: TimedEvent[] = [];
  readonly nodes: NewNode[] = [];
  readonly problems: ImportProblem[] = [];
  private readonly byId = new Map<string, NewNode>();
  private readonly lines = new Map<string, number>();
  private readonly idsBySource = new Map<string, { readonly firstId: string; readonly lastId: string }>();
  private readonly lastOfLine = new Map<number, string>();
  private readonly asides: { readonly taskId: string; readonly parentId: string; readonly ts: number }[] = [];
  private readonly source: string;
  private batch: NodeBatch | undefined;
  private head: string;

  constructor(
    foreign: ForeignSession,
    private readonly options: ImportOptions,
  ) {
    this.sessionId = options.newId();
    this.head = this.sessionId;
    this.source = `import:${foreign.format}`;
    const { title, cwd, startedMs } = foreign;
    const payload = {
      kind: "task_boundary",
      name: title ?? "",
      transformation: { kind: "clear" },
    } as const;
    const root: NewNode = { id: this.sessionId, parentId: null, timestamp: startedMs, payload };
    this.remember(root, 1);
    const started: ConversationEvent = {
      type: "session_started",
      sessionId: this.sessionId,
      root,
      ...defined({ title, cwd }),
      origin: { kind: "import", from: options.from },
    };
    this.events.push({ ts: startedMs, event: started });
  }

  add(entry: ForeignEntry): void {
    const parentId = this.lastNodeOf(entry.parentSourceId);
    const scope = this.scopeOf(entry, parentId);
    let lastId = parentId;
    let firstId: string | undefined;
    for (const node of entry.nodes) {
      const id = this.options.newId();
      this.put(entry, {
        id,
        parentId: lastId,
        timestamp: entry.timestamp,
        ...this.made(entry, node, scope),
      });
      firstId ??= id;
      lastId = id;
    }
    this.lastOfLine.set(entry.line, lastId);
    this.idsBySource.set(entry.sourceId, { firstId: firstId ?? parentId, lastId });
    if (entry.aside === true && firstId !== undefined)
      this.asides.push({ taskId: firstId, parentId, ts: entry.timestamp });
    const event = entry.effect?.(scope);
    if (event === undefined) return;
    this.close();
    this.events.push({ ts: entry.timestamp, event });
  }

  finish(leafLine: number | undefined): void {
    this.close();
    const ts = this.events.at(-1)?.ts ?? this.options.now;
    for (const { taskId, parentId } of this.asides) {
      const task = { id: taskId, outcome: "complete" } as const;
      this.events.push({ ts, event: { type: "head_moved", head: parentId, reason: "task_pop", task } });
      this.head = parentId;
    }
    const head = (leafLine === undefined ? undefined : this.lastOfLine.get(leafLine)) ?? this.head;
    if (head !== this.head) this.events.push({ ts, event: { type: "head_moved", head, reason: "navigate" } });
  }

  lineOf(nodeId: string): number {
    return this.lines.get(nodeId) ?? 1;
  }

  private made(
    entry: ForeignEntry,
    node: EntryNode,
    scope: EntryScope,
  ): { payload: TurnPayload; metadata: TurnMetadata } {
    const provenance = { source: this.source, sourceId: entry.sourceId };
    const payload = typeof node.payload === "function" ? node.payload(scope) : node.payload;
    return { payload, metadata: { ...node.metadata, provenance } };
  }

  private put(entry: ForeignEntry, node: NewNode): void {
    const turn = node.payload.kind === "user_message";
    const follows = this.batch?.nodes.at(-1)?.id === node.parentId;
    const full = (this.batch?.nodes.length ?? 0) >= mostInEvent;
    if (!follows || turn || full) this.close();
    this.batch ??= { ts: entry.timestamp, turn, nodes: [] };
    this.batch.nodes.push(node);
    this.remember(node, entry.line);
  }

  private close(): void {
    const { batch } = this;
    this.batch = undefined;
    const head = batch?.nodes.at(-1)?.id;
    if (batch === undefined || head === undefined) return;
    const { nodes, ts } = batch;
    const turn = batch.turn ? { turn: true as const } : {};
    this.events.push({ ts, event: { type: "nodes_added", nodes, head, ...turn } });
    this.head = head;
  }

  private remember(node: NewNode, line: number): void {
    this.nodes.push(node);
    this.byId.set(node.id, node);
    this.lines.set(node.id, line);
  }

  private lastNodeOf(sourceId: string | null): string {
    return (sourceId === null ? undefined : this.idsBySource.get(sourceId)?.lastId) ?? this.sessionId;
  }

  private scopeOf({ line }: ForeignEntry, parentId: string): EntryScope {
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
      report: (message) =>
        this.problems.push({ line, what: "lost_reference", message: `Line ${line}: ${message}` }),
    };
  }
}
