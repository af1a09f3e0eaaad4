import type { ConversationContext } from "../values/node.js";
import { PathFold } from "./path-fold.js";

/** The files that are tracked at a node, in the order in which they came to be; see `trackedFiles`. */
type TrackedFiles = PathFold<readonly string[]>;

/** For the conversation that asks again and again: it pays for what is new only. */
export function foldTrackedFiles(): TrackedFiles {
  return new PathFold<readonly string[]>([], (tracked, { payload }) => {
    if (payload.kind !== "context_management") return tracked;
    if (payload.action !== "track_file" && payload.action !== "untrack_file") return tracked;
    const others = tracked.filter((path) => path !== payload.path);
    return payload.action === "track_file" ? [...others, payload.path] : others;
  });
}

/** The files that are tracked on the branch of a node. */
export function trackedFiles(
  context: ConversationContext,
  nodeId: string = context.currentNodeId,
  fold: TrackedFiles = foldTrackedFiles(),
): readonly string[] {
  return fold.at(context, nodeId);
}
