import type { TurnPayload } from "../payload.js";
import type { ForeignEntry } from "./foreign-entry.js";

/**
 * Claude Code writes the blocks of one answer as lines below each other, and hangs the result of each
 * parallel call on the line of its own call: the results then stand beside the path, or, where a call was
 * answered before the next one was written, within it. Here they are put behind the last block of the
 * answer, one below the other, as every provider wants them.
 */
export function behindTheirCalls(entries: readonly ForeignEntry[]): readonly ForeignEntry[] {
  const childrenOf = groupedBy(entries, ({ parentSourceId }) => parentSourceId ?? undefined);
  const parents = new Map(entries.map(({ sourceId, parentSourceId }) => [sourceId, parentSourceId]));
  const answers = groupedBy(entries, stepOf);
  const moved = new Map<string, string | null>();
  for (const lines of answers.values()) moveResults(lines, childrenOf, parents, moved);
  return entries.map((entry) => {
    const parentSourceId = moved.get(entry.sourceId);
    return parentSourceId === undefined ? entry : { ...entry, parentSourceId };
  });
}

function moveResults(
  lines: readonly ForeignEntry[],
  childrenOf: ReadonlyMap<string, readonly ForeignEntry[]>,
  parents: ReadonlyMap<string, string | null>,
  moved: Map<string, string | null>,
): void {
  const last = lines.at(-1);
  const calls = new Set(lines.flatMap((line) => callIdsOf(line, "tool_call")));
  if (last === undefined || calls.size < 2) return;
  const results: ForeignEntry[] = [];
  const batch = [...lines];
  const seen = new Set(batch.map(({ sourceId }) => sourceId));
  for (const inside of batch) {
    for (const child of childrenOf.get(inside.sourceId) ?? []) {
      const answers = callIdsOf(child, "tool_result").some((callId) => calls.has(callId));
      if (!answers || seen.has(child.sourceId)) continue;
      seen.add(child.sourceId);
      results.push(child);
      batch.push(child);
    }
  }
  results.sort((a, b) => a.line - b.line);
  const end = results.at(-1);
  if (end === undefined) return;
  const closed = closeGaps(lines, new Set(results.map(({ sourceId }) => sourceId)), parents);
  for (const [sourceId, above] of closed) moved.set(sourceId, above);
  let parent = last.sourceId;
  for (const { sourceId } of results) {
    moved.set(sourceId, parent);
    parent = sourceId;
  }
  for (const result of results)
    for (const child of childrenOf.get(result.sourceId) ?? [])
      if (!seen.has(child.sourceId) && !closed.has(child.sourceId)) moved.set(child.sourceId, end.sourceId);
}

/** What stands between the blocks of an answer and on one of its results goes on what is above that result. */
function closeGaps(
  lines: readonly ForeignEntry[],
  results: ReadonlySet<string>,
  parents: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string | null> {
  const closed = new Map<string, string | null>();
  const walked = new Set([lines[0]?.sourceId]);
  let below = lines.at(-1)?.sourceId ?? null;
  while (below !== null && !walked.has(below)) {
    walked.add(below);
    let above = parents.get(below) ?? null;
    if (above !== null && results.has(above)) {
      while (above !== null && results.has(above) && !walked.has(above)) {
        walked.add(above);
        above = parents.get(above) ?? null;
      }
      closed.set(below, above);
    }
    below = above;
  }
  return closed;
}

function groupedBy(
  entries: readonly ForeignEntry[],
  keyOf: (entry: ForeignEntry) => string | undefined,
): ReadonlyMap<string, readonly ForeignEntry[]> {
  const groups = new Map<string, ForeignEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

function stepOf(entry: ForeignEntry): string | undefined {
  for (const payload of payloadsOf(entry))
    if (payload.kind === "model_message" || payload.kind === "tool_call") return payload.step;
  return undefined;
}

function callIdsOf(entry: ForeignEntry, kind: "tool_call" | "tool_result"): readonly string[] {
  return payloadsOf(entry).flatMap((payload) =>
    (payload.kind === "tool_call" || payload.kind === "tool_result") && payload.kind === kind
      ? [payload.callId]
      : [],
  );
}

function payloadsOf(entry: ForeignEntry): readonly TurnPayload[] {
  return entry.nodes.flatMap(({ payload }) => (typeof payload === "function" ? [] : [payload]));
}
