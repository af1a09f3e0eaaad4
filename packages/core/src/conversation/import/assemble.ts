import { defined } from "../../text/index.js";
import type { ConversationEvent, NewNode } from "../event.js";
import type { Digest } from "../file-content.js";
import type { IdSource } from "../ids.js";
import type { TurnMetadata } from "../node.js";
import type { TurnPayload } from "../payload.js";
import { type ConversationRefusal, refuse } from "../refusal.js";
import type { TimedEvent } from "../store.js";
import type { Draft, Piece, Place } from "./draft.js";
import type { ImportProblem } from "./lines.js";
import { brokenPairs } from "./pairs.js";
import { settle } from "./settle.js";

/** How a foreign session becomes one of ours. */
export interface ImportOptions {
  /** What it was read from, for `origin`. */
  readonly from: string;
  readonly newId: IdSource;
  /** Milliseconds since the epoch, for what bears no time. */
  readonly now: number;
  /** Proves the texts of whole files; without one, no text of a file is believed. */
  readonly digest?: Digest;
  /** Calls without results and results without calls are kept and told, instead of refused. */
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
  readonly drafts: readonly Draft[];
  /** The line of the entry at which the session stood. */
  readonly leafLine: number | undefined;
  readonly problems: readonly ImportProblem[];
}

/** @returns `broken_pairs`, unless they are to be kept. */
export function assemble(
  foreign: ForeignSession,
  options: ImportOptions,
): ImportedSession | ConversationRefusal<"broken_pairs"> {
  const settled = settle(foreign.drafts);
  const tree = new TreeBuilder(foreign, options);
  for (const draft of settled.drafts) tree.add(draft);
  tree.finish(foreign.leafLine);
  const broken = brokenPairs(tree.nodes).map(({ nodeId, message }): ImportProblem => {
    const line = tree.lineOf(nodeId);
    return { line, what: "broken_pair", message: `Line ${line}: ${message}` };
  });
  const [first] = broken;
  if (first !== undefined && options.repair !== true) return refusePairs(first, broken.length);
  const problems = [...foreign.problems, ...settled.problems, ...tree.problems, ...broken];
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

/** More nodes than that are more than one line of a journal should hold. */
const mostInEvent = 200;

interface Batch {
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
  private readonly placed = new Map<string, { readonly firstId: string; readonly lastId: string }>();
  private readonly lastOfLine = new Map<number, string>();
  private readonly asides: { readonly taskId: string; readonly parentId: string; readonly ts: number }[] = [];
  private readonly source: string;
  private batch: Batch | undefined;
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

  add(draft: Draft): void {
    const parentId = this.lastNodeOf(draft.parentSourceId);
    const place = this.placeOf(draft, parentId);
    let lastId = parentId;
    let firstId: string | undefined;
    for (const piece of draft.pieces) {
      const id = this.options.newId();
      this.put(draft, {
        id,
        parentId: lastId,
        timestamp: draft.timestamp,
        ...this.made(draft, piece, place),
      });
      firstId ??= id;
      lastId = id;
    }
    this.lastOfLine.set(draft.line, lastId);
    this.placed.set(draft.sourceId, { firstId: firstId ?? parentId, lastId });
    if (draft.aside === true && firstId !== undefined)
      this.asides.push({ taskId: firstId, parentId, ts: draft.timestamp });
    const event = draft.effect?.(place);
    if (event === undefined) return;
    this.close();
    this.events.push({ ts: draft.timestamp, event });
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

  private made(draft: Draft, piece: Piece, place: Place): { payload: TurnPayload; metadata: TurnMetadata } {
    const provenance = { source: this.source, sourceId: draft.sourceId };
    const payload = typeof piece.payload === "function" ? piece.payload(place) : piece.payload;
    return { payload, metadata: { ...piece.metadata, provenance } };
  }

  private put(draft: Draft, node: NewNode): void {
    const turn = node.payload.kind === "user_message";
    const follows = this.batch?.nodes.at(-1)?.id === node.parentId;
    const full = (this.batch?.nodes.length ?? 0) >= mostInEvent;
    if (!follows || turn || full) this.close();
    this.batch ??= { ts: draft.timestamp, turn, nodes: [] };
    this.batch.nodes.push(node);
    this.remember(node, draft.line);
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
    return (sourceId === null ? undefined : this.placed.get(sourceId)?.lastId) ?? this.sessionId;
  }

  private placeOf({ line }: Draft, parentId: string): Place {
    const parentOf = (id: string) => this.byId.get(id)?.parentId ?? null;
    const isAbove = (nodeId: string): boolean => {
      for (let id: string | null = parentId; id !== null; id = parentOf(id)) if (id === nodeId) return true;
      return false;
    };
    return {
      parentId,
      isAbove,
      nodesOf: (sourceId) => this.placed.get(sourceId),
      payloadOf: (nodeId) => this.byId.get(nodeId)?.payload,
      branchStart: (nodeId) => {
        const path = new Set<string>();
        for (let id: string | null = parentId; id !== null; id = parentOf(id)) path.add(id);
        let start = nodeId;
        for (let id: string | null = nodeId; id !== null && !path.has(id); id = parentOf(id)) start = id;
        return start;
      },
      tell: (message) =>
        this.problems.push({ line, what: "lost_reference", message: `Line ${line}: ${message}` }),
    };
  }
}
