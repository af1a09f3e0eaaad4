import type { ModelOrigin, TurnNode } from "../../conversation/values/index.js";
import type { Layout } from "../layout/layout.js";
import { put } from "../layout/list.js";
import type { RenderScope } from "./render-scope.js";

/** Why the thoughts of this node are void in this prompt; undefined where they are valid. */
export function whyLost(
  layout: Layout,
  node: TurnNode,
  from: ModelOrigin | undefined,
  { settings, within }: RenderScope,
): "foreign_thought" | "bound_thought" | undefined {
  const { target, bound } = settings;
  if (target !== undefined && (from?.provider !== target.provider || from.model !== target.model))
    return "foreign_thought";
  if (!bound) return undefined;
  const changed = within !== undefined || node.depth < layout.changedUntil;
  const otherForm = node.timestamp < layout.uriUntil || !sameExpansions(layout, node);
  return changed || otherForm ? "bound_thought" : undefined;
}

/** Whether the tasks that stand in full before the node are those that did when it was made. */
function sameExpansions({ expanded, summaries }: Layout, { metadata }: TurnNode): boolean {
  const then = metadata.provenance?.expanded ?? [];
  const isSummary = (taskId: string) => summaries.get(taskId)?.expanded === false;
  const stillSo = new Set(then.filter((taskId) => expanded.has(taskId))).size;
  return stillSo === expanded.size && !then.some(isSummary);
}

/** Notes a boundary for each task that was expanded when the node was made, and is not any more. */
export function noteEndedExpansions(layout: Layout, { metadata }: TurnNode): Layout {
  let next = layout;
  for (const taskId of metadata.provenance?.expanded ?? []) {
    const entry = next.summaries.get(taskId);
    if (entry === undefined || entry.expanded || entry.ended) continue;
    const { nodeId, firstPart } = entry;
    next = {
      ...next,
      summaries: next.summaries.set(taskId, { ...entry, ended: true }),
      boundaries: put(next.boundaries, { rule: "expansion_ended", nodeId, targetId: nodeId, firstPart }),
    };
  }
  return next;
}
