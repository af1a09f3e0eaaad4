import type { ConversationEvent, JournalRecord } from "../values/event.js";
import type { LostRecords, TurnPayload } from "../values/payload.js";

/** Where records are missing, and what later ones name of what stood in them. */
export interface Gap {
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
 *
 * @param lastSeq the number of the last record that there was.
 */
export function findGaps(
  sessionId: string,
  records: readonly JournalRecord[],
  lastSeq: number,
): readonly Gap[] {
  const finder = new GapFinder(sessionId, records);
  for (const [at, { seq, event }] of records.entries()) finder.take(at, seq, event);
  return finder.end(records.length, lastSeq);
}

class GapFinder {
  private readonly gaps: Gap[] = [];
  /** Those of them at which numbers are missing. */
  private readonly real: (Gap & { readonly records: LostRecords })[] = [];
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

  take(at: number, seq: number, event: ConversationEvent): void {
    if (seq > this.next) this.open(at, { from: this.next, to: seq - 1 });
    this.next = Math.max(this.next, seq + 1);
    const { nodes, tasks, staged } = namedBy(event);
    for (const id of nodes) this.name(at, id, "node");
    for (const id of tasks) this.name(at, id, "task");
    for (const id of staged) if (!this.staged.has(id)) this.gapOf(at, id).staged.add(id);
    if (event.type === "staged") this.staged.add(event.id);
    for (const id of staged) this.staged.add(id);
    if (event.type === "nodes_added") this.last = event.nodes.at(-1)?.id ?? this.last;
  }

  end(count: number, lastSeq: number): readonly Gap[] {
    if (lastSeq >= this.next) this.open(count, { from: this.next, to: lastSeq });
    return this.gaps.toSorted((one, other) => one.at - other.at);
  }

  private open(at: number, records: LostRecords | undefined): Gap {
    const beside = { at, after: this.last, nodes: new Map(), staged: new Set<string>() };
    if (records === undefined) return this.keep({ ...beside, records });
    const gap = { ...beside, records };
    this.real.push(gap);
    return this.keep(gap);
  }

  private keep(gap: Gap): Gap {
    this.gaps.push(gap);
    return gap;
  }

  private name(at: number, id: string, as: "node" | "task"): void {
    if (this.added.has(id)) return;
    const gap = this.lost.get(id) ?? this.gapOf(at, id);
    this.lost.set(id, gap);
    if (as === "task" || !gap.nodes.has(id)) gap.nodes.set(id, as);
  }

  private gapOf(at: number, id: string): Gap {
    const [, number] = /^lost-(\d+)/.exec(id) ?? [];
    const isHeld = ({ records: { from, to } }: { readonly records: LostRecords }) =>
      from <= Number(number) && Number(number) <= to;
    const held = number === undefined ? undefined : this.real.findLast(isHeld);
    const earlier = this.real.findLast(({ after }) => after.length !== id.length || after < id);
    return held ?? earlier ?? this.real.at(-1) ?? this.open(at, undefined);
  }
}

interface NamedIds {
  readonly nodes: readonly string[];
  readonly tasks: readonly string[];
  readonly staged: readonly string[];
}

/** What an event names that has to be there for it to take effect. */
function namedBy(event: ConversationEvent): NamedIds {
  switch (event.type) {
    case "nodes_added": {
      const nodes = event.nodes.flatMap(({ parentId }) => (parentId === null ? [] : [parentId]));
      const links = event.nodes.map(({ payload }) => linksOf(payload));
      return {
        nodes: [...nodes, ...links.flatMap(({ tip }) => tip), event.head, ...some(event.pruned)],
        tasks: [...links.flatMap(({ task }) => task), ...some(event.task?.id)],
        staged: event.staged ?? [],
      };
    }
    case "head_moved":
      return { nodes: [event.head, ...some(event.pruned)], tasks: some(event.task?.id), staged: [] };
    case "metadata_set":
    case "pruned":
      return { ...nothing, nodes: [event.nodeId] };
    case "unpruned":
      return { ...nothing, nodes: [event.nodeId], tasks: some(event.task?.id) };
    case "expansion_set":
      return { ...nothing, tasks: [event.taskId] };
    case "unstaged":
      return { ...nothing, staged: event.ids };
    case "restore_begun":
      return { ...nothing, nodes: [event.fromId, event.toId], tasks: some(event.cancels) };
    case "session_started":
    case "staged":
    case "renamed":
    case "restore_dropped":
      return nothing;
    default:
      return event satisfies never;
  }
}

const nothing: NamedIds = { nodes: [], tasks: [], staged: [] };

function some(id: string | undefined): readonly string[] {
  return id === undefined ? [] : [id];
}

function linksOf(payload: TurnPayload): {
  readonly task: readonly string[];
  readonly tip: readonly string[];
} {
  if (payload.kind !== "task_summary") return { task: [], tip: [] };
  return { task: [payload.taskId], tip: [payload.tipId] };
}

/** What stands in the place of a lost node. A boundary stays one, so that its task does. */
export function placeholderPayload(as: "node" | "task" | undefined, records: LostRecords): TurnPayload {
  if (as !== "task") return { kind: "lost", records };
  return { kind: "task_boundary", name: "", transformation: { kind: "clone" }, lost: records };
}

/** Where the first record is lost: the root is known without it. */
export function lostBeginning(sessionId: string): Extract<ConversationEvent, { type: "session_started" }> {
  const payload = {
    kind: "task_boundary",
    name: "",
    transformation: { kind: "clear" },
    lost: { from: 1, to: 1 },
  } as const;
  return {
    type: "session_started",
    sessionId,
    root: { id: sessionId, parentId: null, timestamp: 0, payload },
  };
}
