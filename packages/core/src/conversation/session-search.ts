import type { LinePattern } from "../files/index.js";
import type { PayloadKind } from "./payload.js";
import { textsOf } from "./payload-text.js";
import { type ConversationRefusal, isRefusal } from "./refusal.js";
import { loadSession } from "./sessions.js";
import type { SessionFacts, SessionStore } from "./store.js";

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
  /** Sessions in the order of the store, nodes by their time. */
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
 */
export async function searchSessions(
  store: SessionStore,
  sessions: readonly SessionFacts[],
  pattern: LinePattern,
  limit: number,
): Promise<SessionMatches> {
  const matches: SessionMatch[] = [];
  const unread: { id: string; message: string }[] = [];
  let searched = 0;
  for (const { id } of sessions) {
    if (matches.length > limit) break;
    const found = await searchOne(store, id, pattern, limit + 1 - matches.length);
    searched += 1;
    if (isRefusal(found)) unread.push({ id, message: found.message });
    else matches.push(...found.matches);
  }
  const more = matches.length > limit;
  return { kind: "matches", matches: matches.slice(0, limit), more, sessions: searched, unread };
}

async function searchOne(
  store: SessionStore,
  id: string,
  pattern: LinePattern,
  most: number,
): Promise<{ readonly matches: readonly SessionMatch[] } | ConversationRefusal> {
  const loaded = await loadSession(store, id);
  if (isRefusal(loaded)) return loaded;
  const matches: SessionMatch[] = [];
  const nodes = [...loaded.context.nodes.values(), ...loaded.context.orphans.values()];
  nodes.sort((one, other) => one.timestamp - other.timestamp || (one.id < other.id ? -1 : 1));
  for (const { id: nodeId, payload, timestamp } of nodes) {
    if (matches.length >= most) break;
    const snippet = firstMatch(textsOf(payload), pattern);
    if (snippet !== undefined)
      matches.push({ sessionId: id, nodeId, kind: payload.kind, timestamp, snippet });
  }
  return { matches };
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
