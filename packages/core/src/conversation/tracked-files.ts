import type { ConversationContext } from "./node.js";
import { upwards } from "./path.js";

/** The files that are tracked on the branch of a node, in the order in which they came to be. */
export function trackedFiles(
  context: ConversationContext,
  nodeId: string = context.currentNodeId,
): readonly string[] {
  const settled = new Set<string>();
  const tracked: string[] = [];
  for (const { payload } of upwards(context, nodeId)) {
    if (payload.kind !== "context_management" || payload.action === "overlay") continue;
    if (settled.has(payload.path)) continue;
    settled.add(payload.path);
    if (payload.action === "track_file") tracked.push(payload.path);
  }
  return tracked.reverse();
}
