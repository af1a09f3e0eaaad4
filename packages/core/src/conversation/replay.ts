import type { InPlaceEdit } from "../files/index.js";
import { type Advancing, finish } from "../text/index.js";
import type { ConversationEvent, JournalRecord } from "./event.js";
import { noExchange } from "./exchange.js";
import { applyEvent, startedContext } from "./fold.js";
import type { ConversationContext, TurnNode } from "./node.js";
import { isRefusal } from "./refusal.js";
import type { JournalProblem } from "./store.js";

/** What a journal adds up to, and what of it could not be followed. */
export interface Replayed {
  readonly context: ConversationContext;
  /** What could not follow on what was there, by the `seq` of its record. */
  readonly problems: readonly JournalProblem[];
}

/**
 * Folds what could be read of a journal. A damaged journal loses what stood in its damaged lines and
 * nothing else: nodes whose parent is lost become orphans, and the head stays at the last node that can
 * be reached. A lost beginning is no hindrance, since the root bears the session's id.
 */
export function replay(sessionId: string, records: readonly JournalRecord[]): Replayed {
  return finish(replayInSteps(sessionId, records));
}

/** The same in steps, counted in records. */
export function* replayInSteps(sessionId: string, records: readonly JournalRecord[]): Advancing<Replayed> {
  return (yield* replayWhole(sessionId, records)) ?? (yield* replayDamaged(sessionId, records));
}

/** Folded in some milliseconds. */
const stepRecords = 256;

/** In place, which is quick; nothing is known to hold once an event was refused half-way. */
function* replayWhole(sessionId: string, records: readonly JournalRecord[]): Advancing<Replayed | undefined> {
  const [first] = records;
  if (first?.event.type !== "session_started" || first.event.sessionId !== sessionId) return undefined;
  const edit: InPlaceEdit = { edit: true };
  let context = startedContext(first.event);
  for (const [at, { event }] of records.entries()) {
    if (at % stepRecords === stepRecords - 1) yield { done: at, of: records.length };
    if (event === first.event) continue;
    const next = applyEvent(context, event, edit);
    if (isRefusal(next)) return undefined;
    context = next;
  }
  return { context, problems: [] };
}

function* replayDamaged(sessionId: string, records: readonly JournalRecord[]): Advancing<Replayed> {
  const problems: JournalProblem[] = [];
  const [first] = records;
  const begun = first?.event.type === "session_started" ? first.event : lostBeginning(sessionId);
  if (first?.event !== begun) problems.push(lostFirstRecord);
  let context = startedContext(begun);
  for (const [at, { seq, event }] of records.entries()) {
    if (at % stepRecords === stepRecords - 1) yield { done: at, of: records.length };
    if (event === begun) continue;
    const next = applyEvent(context, event);
    if (!isRefusal(next)) {
      context = next;
      continue;
    }
    const salvaged = salvage(context, event);
    context = salvaged ?? context;
    const fate = salvaged === undefined ? "it was left out" : "its nodes are kept as orphans";
    problems.push({ line: seq, what: "missing_record", message: `Record ${seq}: ${next.message} (${fate})` });
  }
  return { context, problems };
}

function lostBeginning(sessionId: string): Extract<ConversationEvent, { type: "session_started" }> {
  const payload = { kind: "task_boundary", name: "", transformation: { kind: "clear" } } as const;
  return {
    type: "session_started",
    sessionId,
    root: { id: sessionId, parentId: null, timestamp: 0, payload },
  };
}

const lostFirstRecord: JournalProblem = {
  line: 1,
  what: "missing_record",
  message:
    "Record 1: the beginning of the session is lost (its title and folder); the tree stands without it.",
};

/** What of an event can be kept although it cannot take effect as a whole. */
function salvage(context: ConversationContext, event: ConversationEvent): ConversationContext | undefined {
  if (event.type !== "nodes_added") return undefined;
  let orphans = context.orphans;
  for (const { id, parentId, timestamp, payload, metadata } of event.nodes) {
    if (context.nodes.has(id) || orphans.has(id)) continue;
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
      exchange: noExchange,
    };
    orphans = orphans.set(id, orphan);
    if (elder !== undefined) orphans = orphans.set(elder.id, { ...elder, childIds: [...elder.childIds, id] });
  }
  return { ...context, orphans };
}
