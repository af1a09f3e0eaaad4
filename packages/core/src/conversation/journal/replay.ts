import type { InPlaceEdit } from "../../files/seen/index.js";
import { type Advancing, finish } from "../../text/index.js";
import { applyEvent, startedContext } from "../tree/fold.js";
import type { JournalRecord } from "../values/event.js";
import type { ConversationContext } from "../values/node.js";
import { isRefusal } from "../values/refusal.js";
import { mendInSteps, type Replayed, stepRecords } from "./mend.js";

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
  const begun = records[0]?.event;
  const isNumbered = lastSeq === records.length && records.every(({ seq }, at) => seq === at + 1);
  if (isNumbered && begun?.type === "session_started" && begun.sessionId === sessionId) {
    // In place, which is quick; nothing is known to hold once an event was refused half-way.
    const context = yield* followInSteps(startedContext(begun), records.slice(1), { edit: true });
    if (context !== undefined) return { context, problems: [], losses: [], events: records };
  }
  return yield* mendInSteps(sessionId, records, lastSeq);
}

/**
 * What a conversation comes to after more records.
 *
 * @returns undefined where one cannot follow: the whole journal has to say what of it is lost.
 */
export function replayOn(
  begun: ConversationContext,
  records: readonly JournalRecord[],
): ConversationContext | undefined {
  return finish(followInSteps(begun, records));
}

function* followInSteps(
  begun: ConversationContext,
  records: readonly JournalRecord[],
  edit?: InPlaceEdit,
): Advancing<ConversationContext | undefined> {
  let context = begun;
  for (const [at, { event }] of records.entries()) {
    if (at % stepRecords === stepRecords - 1) yield { done: at, of: records.length };
    const next = applyEvent(context, event, edit);
    if (isRefusal(next)) return undefined;
    context = next;
  }
  return context;
}
