import { activeTasks, downwards, unprunedNode, upwards } from "../../conversation/index.js";
import {
  type ConversationContext,
  type ConversationRefusal,
  type PayloadKind,
  type TurnNode,
  textsOf,
} from "../../conversation/values/index.js";
import { isRefusal, refuse } from "../../files/values/index.js";
import type { OutlineOptions } from "./debug-outline.js";

/** Which part of a history somebody asks to see. */
export interface HistoryFilter {
  /** Only nodes of these kinds. */
  readonly kinds?: readonly PayloadKind[];
  /** Only nodes that hold this text in what they say, in their label or id; upper and lower case are the same. */
  readonly text?: string;
  /** Only the branch of this node: what leads to it and all below it. Its id, or a beginning that is its alone. */
  readonly branch?: string;
  /** Only so many levels of branches: 0 is what goes straight down. */
  readonly depth?: number;
  /** Tasks in which the head does not stand are one line. */
  readonly foldTasks?: boolean;
  /** Chatter is shown node by node. */
  readonly chatter?: boolean;
}

/** A filter as options of the outline; `unknown_node` or `invalid_arguments` for its branch. */
export function historyFilter(
  context: ConversationContext,
  { kinds, text, branch, depth, foldTasks, chatter }: HistoryFilter,
): Pick<OutlineOptions, "filter" | "fold" | "depth" | "chatter"> | ConversationRefusal {
  const at = branch === undefined ? undefined : nodeNamed(context, branch);
  if (at !== undefined && isRefusal(at)) return at;
  const tests: ((node: TurnNode) => boolean)[] = [];
  if (kinds !== undefined) tests.push(({ payload }) => kinds.includes(payload.kind));
  if (text !== undefined) tests.push(nodeHolds(text));
  if (at !== undefined) {
    const shown = branchOf(context, at);
    tests.push(({ id }) => shown.has(id));
  }
  const filters = kinds !== undefined || text !== undefined;
  return {
    ...(tests.length === 0 ? {} : { filter: (node: TurnNode) => tests.every((test) => test(node)) }),
    ...(foldTasks === true ? { fold: foldable(context) } : {}),
    ...(depth === undefined ? {} : { depth }),
    ...(chatter === true || filters ? { chatter: "shown" as const } : {}),
  };
}

/** Whether a node's texts, its label or its id hold this; upper and lower case are the same. */
export function nodeHolds(text: string): (node: TurnNode) => boolean {
  const wanted = text.trim().toLowerCase();
  return ({ id, payload, metadata }) =>
    [id, metadata.label ?? "", ...textsOf(payload)].some((one) => one.toLowerCase().includes(wanted));
}

/**
 * The node of this id, or the only one whose id begins so, or ends so: ids made in one moment have a common beginning,
 * so that a drawn tree shows their ends.
 *
 * @returns `unknown_node`; `invalid_arguments` where several are meant.
 */
export function nodeNamed(context: ConversationContext, id: string): TurnNode | ConversationRefusal {
  const exact = context.nodes.get(id);
  if (exact !== undefined) return exact;
  const nodes = [...context.nodes.values()];
  const begin = nodes.filter((node) => node.id.startsWith(id));
  const meant = begin.length > 0 ? begin : nodes.filter((node) => node.id.endsWith(id));
  const [first] = meant;
  if (first === undefined) return unprunedNode(context, id);
  if (meant.length === 1) return first;
  return refuse("invalid_arguments", `${meant.length} nodes are called ${id}. Give more of the id.`);
}

function branchOf(context: ConversationContext, { id: at }: TurnNode): ReadonlySet<string> {
  return new Set([...upwards(context, at), ...downwards(context, at)].map(({ id }) => id));
}

function foldable(context: ConversationContext): ReadonlySet<string> {
  const active = activeTasks(context);
  return new Set([...context.tasks.keys()].filter((id) => !active.has(id)));
}
