import type { InPlaceEdit } from "../../files/index.js";
import { type Advancing, finish } from "../../text/index.js";
import { applyEvent, startedContext } from "../tree/fold.js";
import type { JournalRecord } from "../values/event.js";
import type { ConversationContext } from "../values/node.js";
import { isRefusal } from "../values/refusal.js";
import type { JournalProblem, TimedEvent } from "../values/store.js";
import { findGaps } from "./gaps.js";
import { type Loss, MendingFold } from "./mend.js";

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
 * Folds what could be read of a journal. A damaged journal loses what stood in its damaged lines and
 * nothing else: a placeholder stands in the place of a lost node, all that came after it stays reachable, and
 * the head is where the last record that tells of it says. A lost beginning is no hindrance, since the root
 * bears the session's id.
 *
 * @param records in the order of `seq`; a second one of a number stands behind the first.
 * @param lastSeq the number of the last record that there was, if that is not the last of these.
 */
export function replay(
  sessionId: string,
  records: readonly JournalRecord[],
  lastSeq: number = records.at(-1)?.seq ?? 0,
): Replayed {
  return finish(replayInSteps(sessionId, records, lastSeq));
}

/** The same in steps, counted in records. */
export function* replayInSteps(
  sessionId: string,
  records: readonly JournalRecord[],
  lastSeq: number = records.at(-1)?.seq ?? 0,
): Advancing<Replayed> {
  const whole = lastSeq === records.length ? yield* replayWhole(sessionId, records) : undefined;
  return whole ?? (yield* replayDamaged(sessionId, records, lastSeq));
}

/** Folded in some milliseconds. */
const stepRecords = 256;

/** In place, which is quick; nothing is known to hold once an event was refused half-way. */
function* replayWhole(sessionId: string, records: readonly JournalRecord[]): Advancing<Replayed | undefined> {
  const begun = records[0]?.event;
  if (begun?.type !== "session_started" || begun.sessionId !== sessionId) return undefined;
  const edit: InPlaceEdit = { edit: true };
  let context = startedContext(begun);
  for (const [at, { seq, event }] of records.entries()) {
    if (at % stepRecords === stepRecords - 1) yield { done: at, of: records.length };
    if (seq !== at + 1) return undefined;
    if (event === begun) continue;
    const next = applyEvent(context, event, edit);
    if (isRefusal(next)) return undefined;
    context = next;
  }
  return { context, problems: [], losses: [], events: records };
}

function* replayDamaged(
  sessionId: string,
  records: readonly JournalRecord[],
  lastSeq: number,
): Advancing<Replayed> {
  const fold = new MendingFold(sessionId, records[0]);
  const gaps = findGaps(fold.context.sessionId, records, lastSeq);
  let filled = 0;
  const fillUpTo = (at: number) => {
    for (let gap = gaps[filled]; gap !== undefined && gap.at <= at; gap = gaps[filled]) {
      fold.fill(gap);
      filled += 1;
    }
  };
  for (const [at, record] of records.entries()) {
    if (at % stepRecords === stepRecords - 1) yield { done: at, of: records.length };
    fillUpTo(at);
    if (at === 0 && record.event.type === "session_started") continue;
    fold.take(record, record.seq === records[at - 1]?.seq);
  }
  fillUpTo(records.length);
  const { context, problems, losses, events } = fold;
  return { context, problems, losses, events };
}
