import type { JournalRecord } from "../values/event.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import type { OpenSession, RecordPage, RecordQuery, SessionFacts, SessionQuery } from "../values/store.js";

/**
 * What of all sessions a query asks for. For stores that have all facts in memory anyway; a server does the same.
 *
 * @param all the last changed first.
 */
export function sessionsWithin(
  all: readonly SessionFacts[],
  query: SessionQuery = {},
): readonly SessionFacts[] {
  const { limit = all.length, after, changedBefore, changedSince, title, idPrefix } = query;
  const sought = title?.toLowerCase();
  const found: SessionFacts[] = [];
  for (const facts of all) {
    if (found.length >= limit) break;
    if (after !== undefined && !isBehind(facts, after)) continue;
    if (changedBefore !== undefined && facts.modifiedMs >= changedBefore) continue;
    if (changedSince !== undefined && facts.modifiedMs < changedSince) continue;
    if (idPrefix !== undefined && !facts.id.startsWith(idPrefix)) continue;
    if (sought !== undefined && facts.title?.toLowerCase().includes(sought) !== true) continue;
    found.push(facts);
  }
  return found;
}

type Place = NonNullable<SessionQuery["after"]>;

/** In the order of a list: the last changed first, by id where they changed at the same moment. */
function isBehind(facts: Place, place: Place): boolean {
  return (
    facts.modifiedMs < place.modifiedMs || (facts.modifiedMs === place.modifiedMs && facts.id > place.id)
  );
}

/** Where a list goes on behind this session, as one word to be given back; read by `readPlace`. */
export function placeOf({ modifiedMs, id }: Place): string {
  return `${modifiedMs}_${id}`;
}

/** Reads a place that `placeOf` has written. @returns undefined where it has not. */
export function readPlace(word: string): Place | undefined {
  const [, modified, id] = /^(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)_([a-z0-9][a-z0-9_-]{0,127})$/u.exec(word) ?? [];
  return modified === undefined || id === undefined ? undefined : { modifiedMs: Number(modified), id };
}

/** Whether a session still stands as it was listed. */
export function isUnchangedSince(now: Listed, listed: Listed): boolean {
  return now.modifiedMs === listed.modifiedMs && now.sizeBytes === listed.sizeBytes;
}

type Listed = Pick<SessionFacts, "modifiedMs" | "sizeBytes">;

/**
 * A page of the records of several sessions, of a store that reads a session as a whole: each page is the rest of
 * one session. Which texts are sought is not looked at, as the port allows.
 */
export async function recordsOfNext(
  { sessions, after }: RecordQuery,
  open: (id: string) => Promise<OpenSession | ConversationRefusal>,
): Promise<RecordPage> {
  const at = after === undefined ? 0 : sessions.indexOf(after.sessionId) + (after.seq === lastSeq ? 1 : 0);
  const id = sessions[at];
  if (id === undefined) return { kind: "page", records: [], unread: [] };
  const next = at + 1 < sessions.length ? { next: { sessionId: id, seq: lastSeq } } : {};
  const session = await open(id);
  if (isRefusal(session))
    return { kind: "page", records: [], unread: [{ id, message: session.message }], ...next };
  const from = after?.sessionId === id ? after.seq : 0;
  const records = session.records.filter(hasNodes).filter(({ seq }) => seq > from);
  await session.close();
  return { kind: "page", records: records.map((record) => ({ sessionId: id, record })), unread: [], ...next };
}

/** Behind every record of a session. */
const lastSeq = Number.MAX_SAFE_INTEGER;

function hasNodes({ event }: JournalRecord): boolean {
  return event.type === "session_started" || event.type === "nodes_added";
}
