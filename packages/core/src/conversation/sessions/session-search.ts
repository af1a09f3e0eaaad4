import type { LinePattern } from "../../files/index.js";
import { defined } from "../../text/index.js";
import type { JournalRecord } from "../values/event.js";
import type { PayloadKind } from "../values/payload.js";
import { textsOf } from "../values/payload-text.js";
import { isRefusal } from "../values/refusal.js";
import type { RecordPlace, RecordQuery, SessionFacts, SessionStore } from "../values/store.js";

/** One node of a stored session whose text matches. */
export interface SessionMatch {
  readonly sessionId: string;
  readonly nodeId: string;
  readonly kind: PayloadKind;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** The line that matches, or what of it stands around the match. */
  readonly snippet: string;
}

/** What a search over stored sessions found. */
export interface SessionMatches {
  readonly kind: "matches";
  /** Sessions in the order of the store, nodes in the order in which they came. */
  readonly matches: readonly SessionMatch[];
  /** Whether there are more than were asked for. */
  readonly more: boolean;
  readonly sessions: number;
  /** Sessions that could not be searched, and why. */
  readonly unread: readonly { readonly id: string; readonly message: string }[];
}

/**
 * Looks through the texts of all nodes, line by line: the first line of a node that matches is its match.
 *
 * @param pattern of `compilePattern`, so no pattern makes it hang.
 * @param sought texts of which a matching line holds one (`requiredLiterals`): a store that can seeks them first.
 */
export async function searchSessions(
  store: SessionStore,
  sessions: readonly Pick<SessionFacts, "id">[],
  pattern: LinePattern,
  limit: number,
  sought: Pick<RecordQuery, "anyOf" | "ignoreCase"> = {},
): Promise<SessionMatches> {
  const matches: SessionMatch[] = [];
  const unread: { id: string; message: string }[] = [];
  const batches = batchesOf(sessions.map(({ id }) => id));
  let searched = 0;
  for (const batch of batches) {
    if (matches.length > limit) break;
    const found = await searchBatch(store, batch, { pattern, most: limit + 1 - matches.length, sought });
    searched += batch.length;
    for (const match of found.matches) matches.push(match);
    for (const one of found.unread) unread.push(one);
  }
  const more = matches.length > limit;
  return { kind: "matches", matches: matches.slice(0, limit), more, sessions: searched, unread };
}

/** So many sessions are one question to a server. */
const batchSessions = 64;
const pageRecords = 200;

function batchesOf(ids: readonly string[]): readonly (readonly string[])[] {
  const starts = Array.from({ length: Math.ceil(ids.length / batchSessions) }, (_, at) => at * batchSessions);
  return starts.map((at) => ids.slice(at, at + batchSessions));
}

interface Sought {
  readonly pattern: LinePattern;
  readonly most: number;
  readonly sought: Pick<RecordQuery, "anyOf" | "ignoreCase">;
}

async function searchBatch(
  store: SessionStore,
  sessions: readonly string[],
  { pattern, most, sought }: Sought,
): Promise<Pick<SessionMatches, "matches" | "unread">> {
  const matches: SessionMatch[] = [];
  const unread: { id: string; message: string }[] = [];
  for (let after: RecordPlace | undefined; ; ) {
    const page = await store.recordsHolding({
      sessions,
      limit: pageRecords,
      ...sought,
      ...defined({ after }),
    });
    if (isRefusal(page)) return { matches, unread: sessions.map((id) => ({ id, message: page.message })) };
    for (const one of page.unread) unread.push(one);
    for (const { sessionId, record } of page.records)
      for (const match of matchesIn(sessionId, record, pattern)) matches.push(match);
    if (page.next === undefined || matches.length >= most) return { matches, unread };
    after = page.next;
  }
}

function matchesIn(
  sessionId: string,
  { event }: JournalRecord,
  pattern: LinePattern,
): readonly SessionMatch[] {
  const nodes =
    event.type === "session_started" ? [event.root] : event.type === "nodes_added" ? event.nodes : [];
  return nodes.flatMap(({ id: nodeId, payload, timestamp }) => {
    const snippet = firstMatch(textsOf(payload), pattern);
    return snippet === undefined ? [] : [{ sessionId, nodeId, kind: payload.kind, timestamp, snippet }];
  });
}

function firstMatch(texts: readonly string[], pattern: LinePattern): string | undefined {
  for (const text of texts) {
    for (const line of text.split(/\r?\n/)) {
      const reached = line.slice(0, pattern.reachUnits);
      if (pattern.matches(reached)) return around(reached, pattern.position(reached));
    }
  }
  return undefined;
}

function around(line: string, at: number): string {
  const from = Math.max(0, at - 60);
  const to = Math.min(line.length, from + 160);
  return `${from > 0 ? "…" : ""}${line.slice(from, to)}${to < line.length ? "…" : ""}`;
}
