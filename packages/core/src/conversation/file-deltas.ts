import type { ConversationContext } from "./node.js";
import { upwards } from "./path.js";
import type { FileDelta } from "./payload.js";

/** What became of files between a node and one below it, by path: only what is other than it was. */
export function filesChanged(
  context: ConversationContext,
  fromId: string,
  toId: string,
): readonly FileDelta[] {
  const found = new Map<string, { from: string | null | undefined; to: string | null }>();
  for (const { id, payload } of upwards(context, toId)) {
    if (id === fromId) break;
    if (payload.kind !== "tool_result") continue;
    for (const { path, before, after } of (payload.files ?? []).toReversed()) {
      const known = found.get(path);
      found.set(path, { from: before ?? known?.from, to: known?.to ?? after });
    }
  }
  return [...found]
    .map(([path, { from, to }]) => ({ path, from: from ?? null, to }))
    .filter(({ from, to }) => from !== to)
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
