import { defined, type Pace, takeAtPace } from "../../text/index.js";
import { exportLines } from "../import/own.js";
import { withMediaInline } from "../journal/media.js";
import type { Loss } from "../journal/mend.js";
import { firstRecords } from "../journal/pending-records.js";
import { replayInSteps } from "../journal/replay.js";
import { unprunedNode } from "../tree/checks.js";
import { type ListedTask, listTasks } from "../tree/task-list.js";
import { TreeShape } from "../tree/tree-shape.js";
import type { ConversationEvent, JournalRecord } from "../values/event.js";
import { reidentify } from "../values/event-ids.js";
import type { IdSource } from "../values/ids.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { PayloadKind } from "../values/payload.js";
import { isPlaceholder } from "../values/payload-text.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { JournalProblem, SessionFacts, SessionStore, TimedEvent } from "../values/store.js";

/**
 * Finds the session that is meant by an id or by the beginning of one.
 *
 * @returns `unknown_session`; `invalid_arguments` where several begin so.
 */
export async function findSession(
  store: SessionStore,
  prefix: string,
): Promise<SessionFacts | ConversationRefusal> {
  const meant = prefix === "" ? [] : await store.list({ idPrefix: prefix });
  if (isRefusal(meant)) return meant;
  const exact = meant.find(({ id }) => id === prefix);
  if (exact !== undefined) return exact;
  const [first, ...others] = meant;
  if (first === undefined) return refuse("unknown_session", `There is no session ${prefix}.`);
  if (others.length === 0) return first;
  const some = meant.slice(0, 5).map(({ id }) => id);
  const more = meant.length > some.length ? ` and ${meant.length - some.length} more` : "";
  return refuse(
    "invalid_arguments",
    `${meant.length} sessions begin with ${prefix}: ${some.join(", ")}${more}. Give more of the id.`,
  );
}

/** A stored session, folded. */
export interface LoadedSession {
  readonly kind: "loaded";
  readonly id: string;
  readonly context: ConversationContext;
  readonly records: readonly JournalRecord[];
  /** What could not be read, and what could not follow on what was there. */
  readonly problems: readonly JournalProblem[];
  /** What is lost, and the placeholders that stand there. */
  readonly losses: readonly Loss[];
  /** What took effect: the records, and where some are lost the events that put the placeholders. */
  readonly events: readonly TimedEvent[];
}

/**
 * Reads a session without taking its lease.
 *
 * @param options `media`: `inline` reads the bytes of all media as well and puts them into the records, which
 *   then need nothing beside them. What is lost of them is among the problems. `pace`: asked between two steps,
 *   counted in records.
 * @returns `cancelled` where the pace ended it; what the store refuses.
 */
export async function loadSession(
  store: SessionStore,
  id: string,
  { media, pace = unpaced }: { readonly media?: "inline"; readonly pace?: Pace } = {},
): Promise<LoadedSession | ConversationRefusal> {
  const session = await store.open(id, "read");
  if (isRefusal(session)) return session;
  try {
    const whole =
      media === undefined ? { records: session.records, problems: [] } : await withMediaInline(session);
    if ("code" in whole) return whole;
    const replayed = await takeAtPace(replayInSteps(id, whole.records, session.lastSeq), pace);
    if (replayed === "interrupted") return refuseEnded(id);
    const { context, problems, losses, events } = replayed;
    return {
      kind: "loaded",
      id,
      context,
      records: whole.records,
      problems: [...session.problems, ...whole.problems, ...problems],
      losses,
      events,
    };
  } finally {
    await session.close();
  }
}

const unpaced: Pace = async () => true;

function refuseEnded(id: string): ConversationRefusal {
  return refuse("cancelled", `Session ${id} was not read to its end: that was ended before.`);
}

/** What there is to say about a session at one glance. */
export interface SessionSummary {
  readonly head: TurnNode | undefined;
  readonly nodes: number;
  readonly kinds: readonly (readonly [PayloadKind, number])[];
  /** Branches, pruned ones included; one that was merged counts with the one that it was merged into. */
  readonly branches: number;
  readonly pruned: number;
  readonly staged: number;
  /** The session itself, and the tasks in it. */
  readonly tasks: ListedTask;
  /** Paths that its nodes know a state of. */
  readonly files: readonly string[];
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number };
}

/** Counts what is in a session; in time proportional to its nodes. */
export function summarizeSession(context: ConversationContext): SessionSummary {
  const kinds = new Map<PayloadKind, number>();
  const files = new Set<string>();
  const tokens = { input: 0, cached: 0, output: 0 };
  for (const { payload, metadata } of context.nodes.values()) {
    kinds.set(payload.kind, (kinds.get(payload.kind) ?? 0) + 1);
    if (payload.kind === "file_content") files.add(payload.path);
    if (payload.kind === "tool_result") for (const { path } of payload.files ?? []) files.add(path);
    tokens.input += metadata.usage?.inputTokens ?? 0;
    tokens.cached += metadata.usage?.cachedInputTokens ?? 0;
    tokens.output += metadata.usage?.outputTokens ?? 0;
  }
  return {
    head: context.nodes.get(context.currentNodeId),
    nodes: context.nodes.size,
    kinds: [...kinds].sort((one, other) => other[1] - one[1]),
    branches: new TreeShape(context, { tasksAside: true }).branches(),
    pruned: context.pruned.size,
    staged: context.stagingArea.length,
    tasks: listTasks(context),
    files: [...files].sort(),
    tokens,
  };
}

/** A new session from all that can be read of another one. */
interface ForkedSession {
  readonly kind: "forked";
  readonly id: string;
  readonly nodes: number;
}

/**
 * Makes a session of its own from another, whole: all branches, the staged items, the head.
 *
 * @param options `head`: where the new one stands, unless where the old one does.
 * @returns `unknown_node`, `pruned_node` for the head; what the store refuses.
 */
export async function forkSession(
  store: SessionStore,
  id: string,
  options: {
    readonly newId: IdSource;
    readonly now: number;
    readonly head?: string;
    readonly title?: string;
  },
): Promise<ForkedSession | ConversationRefusal> {
  const loaded = await loadSession(store, id, { media: "inline" });
  if (isRefusal(loaded)) return loaded;
  const { newId, now, head, title } = options;
  const forkId = newId();
  const seq = loaded.records.at(-1)?.seq ?? 0;
  const target = head === undefined ? undefined : unprunedNode(loaded.context, head);
  if (target !== undefined && isRefusal(target))
    return refuse(target.code, `The fork cannot stand there. ${target.message}`);
  const events: TimedEvent[] = loaded.events.map(({ ts, event }) => ({
    // It begins now, with records of then: else it would be as old as what it was made from, and pruned with it.
    ts: event.type === "session_started" ? now : ts,
    event: withOrigin(reidentify(event, id, forkId), id, seq),
  }));
  if (title !== undefined) events.push({ ts: now, event: { type: "renamed", title } });
  if (head !== undefined) {
    const moved: ConversationEvent = {
      type: "head_moved",
      head: head === id ? forkId : head,
      reason: "navigate",
    };
    events.push({ ts: now, event: moved });
  }
  const created = await store.create(forkId, events);
  if (isRefusal(created)) return created;
  await created.close();
  return { kind: "forked", id: forkId, nodes: loaded.context.nodes.size };
}

function withOrigin(event: ConversationEvent, from: string, seq: number): ConversationEvent {
  return event.type === "session_started" ? { ...event, origin: { kind: "fork", from, seq } } : event;
}

/** Gives a session another title. @returns what the store refuses: `busy`, `read_only`, `disk_full` … */
export async function renameSession(
  store: SessionStore,
  id: string,
  title: string,
  now: number,
): Promise<{ readonly kind: "renamed" } | ConversationRefusal> {
  const session = await store.open(id, "write", "state");
  if (isRefusal(session)) return session;
  try {
    if (session.mode === "read")
      return session.readOnlyBecause ?? refuse("read_only", "It opened read-only.");
    session.append({ ts: now, event: { type: "renamed", title } });
    const flushed = await session.flush();
    return isRefusal(flushed) ? flushed : { kind: "renamed" };
  } finally {
    await session.close();
  }
}

/** A session as one text of JSON Lines that needs nothing beside it; see `readExport`. Refuses as `loadSession` does. */
export async function exportSession(
  store: SessionStore,
  id: string,
  pace?: Pace,
): Promise<ExportedSession | ConversationRefusal> {
  const loaded = await loadSession(store, id, { media: "inline", ...defined({ pace }) });
  if (isRefusal(loaded)) return loaded;
  const { events, problems, losses } = loaded;
  const records = firstRecords(events);
  return { kind: "export", lines: exportLines(id, records), problems, losses, count: records.length + 2 };
}

/** The lines of an export, made one by one, and what of the session could not be read. */
export interface ExportedSession {
  readonly kind: "export";
  readonly lines: Iterable<string>;
  readonly problems: readonly JournalProblem[];
  /** What is lost of it: in the export placeholders stand there. */
  readonly losses: readonly Loss[];
  /** How many lines there are. */
  readonly count: number;
}

/** What was found wrong in a session, and in how much. */
export interface VerifiedSession {
  readonly kind: "verified";
  readonly records: number;
  readonly nodes: number;
  /** Ends of branches that were rendered. */
  readonly rendered: number;
  readonly problems: readonly JournalProblem[];
  /** What is lost now; of a session that was repaired, nothing. */
  readonly losses: readonly Loss[];
  /** Nodes that stand in the place of what is lost, or was before a repair. */
  readonly placeholders: number;
  /** What a rendering had to repair or could not keep to, by the end of the branch. */
  readonly findings: readonly { readonly nodeId: string; readonly message: string }[];
}

/**
 * Reads every record of a session, folds it, and renders every branch that stands.
 *
 * @param check what is wrong with the rendering of this state; none where it is as every provider wants it.
 * @param pace counted in records first, then in branches.
 * @returns `cancelled` where the pace ended it; what the store refuses.
 */
export async function verifySession(
  store: SessionStore,
  id: string,
  check: (context: ConversationContext) => readonly string[],
  pace = unpaced,
): Promise<VerifiedSession | ConversationRefusal> {
  const loaded = await loadSession(store, id, { media: "inline", pace });
  if (isRefusal(loaded)) return loaded;
  const { context, records, problems, losses } = loaded;
  const ends = new TreeShape(context, { tasksAside: true }).ends().map((node) => node.id);
  const findings: { readonly nodeId: string; readonly message: string }[] = [];
  for (const [at, nodeId] of ends.entries()) {
    if (!(await pace({ done: at, of: ends.length }))) return refuseEnded(id);
    for (const message of check({ ...context, currentNodeId: nodeId })) findings.push({ nodeId, message });
  }
  return {
    kind: "verified",
    records: records.length,
    nodes: context.nodes.size,
    rendered: ends.length,
    problems,
    losses,
    placeholders: [...context.nodes.values()].filter(({ payload }) => isPlaceholder(payload)).length,
    findings,
  };
}
