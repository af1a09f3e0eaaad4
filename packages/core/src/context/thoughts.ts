import type { ModelOrigin, TurnNode } from "../conversation/index.js";
import type { Layout } from "./layout.js";
import { put } from "./list.js";
import type { Scene } from "./scene.js";

/** Why what the model thought at this node means nothing in this prompt; undefined where it does. */
export function whyLost(
  layout: Layout,
  node: TurnNode,
  from: ModelOrigin | undefined,
  { settings, within }: Scene,
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
  return expanded.every((taskId) => then.includes(taskId)) && !then.some(isSummary);
}

/** A node that was made while a task was expanded which is not any more tells of a boundary. */
export function noteEndedExpansions(layout: Layout, { metadata }: TurnNode): Layout {
  let next = layout;
  for (const taskId of metadata.provenance?.expanded ?? []) {
    const place = next.summaries.get(taskId);
    if (place === undefined || place.expanded || place.ended) continue;
    const { nodeId, firstPart } = place;
    next = {
      ...next,
      summaries: next.summaries.set(taskId, { ...place, ended: true }),
      boundaries: put(next.boundaries, { rule: "expansion_ended", nodeId, targetId: nodeId, firstPart }),
    };
  }
  return next;
}
