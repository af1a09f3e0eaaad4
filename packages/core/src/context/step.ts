import {
  type Advance,
  advance,
  type Choices,
  choose,
  firstChoices,
  isOfModel,
  type Summary,
  speaks,
  type TaskBoundary,
  type TaskSummary,
  type TurnNode,
  Walk,
} from "../conversation/index.js";
import { drop, dropHeld, type Layout, mark, type Piece } from "./layout.js";
import { put, sizeOf } from "./list.js";
import { closeCalls, hiddenCall, hiddenResult, toolCall, toolResult } from "./rule-calls.js";
import { fileContent } from "./rule-files.js";
import { modelMessage, saidText, sayAll, userMessage } from "./rule-messages.js";
import { followers, type Ground, groundOf, type Scene } from "./scene.js";
import {
  branchSummaryText,
  compactionText,
  restoreText,
  sessionText,
  taskSummaryText,
  taskText,
} from "./texts.js";
import { noteEndedExpansions } from "./thoughts.js";

/** What one more node of the path makes of a layout. Pure; its cost does not grow with the layout. */
export function step(before: Layout, node: TurnNode, scene: Scene): Layout {
  const noted = scene.within === undefined ? noteEndedExpansions(before, node) : before;
  const moved = advance(noted.exchange, node);
  const closed = moved.ends ? closeCalls(noted) : noted;
  const ground = groundOf(closed, node, scene);
  const told = tell({ ...closed, exchange: moved.exchange }, node, ground, moved, scene);
  const settled = moved.settles ? closeCalls(told) : told;
  return remember(settled, node);
}

/** The text of a compaction, which stands before everything that it keeps. */
export function openWith(layout: Layout, node: TurnNode, payload: Summary, scene: Scene): Layout {
  if (payload.of !== "compaction") return layout;
  const ground: Ground = { ...groundOf(layout, node, scene), cut: false };
  return isHiddenBy(ground)
    ? hide(layout, ground)
    : sayText(layout, compactionText(payload), "compaction", ground);
}

function tell(layout: Layout, node: TurnNode, ground: Ground, moved: Advance, scene: Scene): Layout {
  const { payload } = node;
  if (node.metadata.isHiddenFromLlm === true) return tellHidden(layout, node, moved, scene);
  if (isHiddenBy(ground)) return tellHiddenBy(layout, node, ground, scene);
  switch (payload.kind) {
    case "user_message":
      return userMessage(layout, payload, ground);
    case "model_message":
      return modelMessage(layout, node, payload, ground, scene);
    case "tool_call":
      return toolCall(layout, node, payload, ground, scene);
    case "tool_result":
      return toolResult(layout, payload, ground, moved.answers);
    case "file_content": {
      if (ground.choice?.form.form === "replaced") return sayText(layout, "", "file_inline", ground);
      const told = fileContent(layout, payload, ground, scene);
      return say(told.layout, told.pieces, ground);
    }
    case "task_boundary":
      return taskBoundary(layout, node, payload, ground, scene);
    case "task_summary":
      return taskSummary(layout, node, payload, ground, scene);
    case "summary":
      // The text of a compaction stands at the front, or is not in force.
      return payload.of === "compaction"
        ? layout
        : sayText(layout, branchSummaryText(payload.text), "branch_summary", ground);
    case "restore":
      return sayText(layout, restoreText(payload), "restore", ground);
    case "note":
      return payload.audience === "person" ? layout : sayText(layout, payload.text, "note", ground);
    case "context_management":
    case "unknown":
      return layout;
    default:
      return payload satisfies never;
  }
}

function isHiddenBy({ choice }: Ground): boolean {
  return choice?.form.form === "hidden";
}

function tellHidden(layout: Layout, node: TurnNode, moved: Advance, { within }: Scene): Layout {
  const { payload } = node;
  if (payload.kind === "tool_result") return hiddenResult(layout, node.id, moved.answers);
  if (payload.kind === "tool_call") return drop(hiddenCall(layout, node, payload, within), node.id, "hidden");
  return speaks({ ...node, metadata: {} }) ? drop(layout, node.id, "hidden") : layout;
}

function tellHiddenBy(layout: Layout, node: TurnNode, ground: Ground, { within }: Scene): Layout {
  const { payload } = node;
  if (payload.kind === "tool_call") return hide(hiddenCall(layout, node, payload, within), ground);
  return speaks(node) ? hide(layout, ground) : layout;
}

function hide(layout: Layout, { nodeId, choice }: Ground): Layout {
  const dropped = drop(layout, nodeId, "hidden_by_overlay");
  return choice === undefined ? dropped : mark(dropped, nodeId, choice);
}

/** Who spoke last. */
function remember(layout: Layout, node: TurnNode): Layout {
  if (!speaks(node)) return layout;
  return { ...layout, speaker: isOfModel(node) ? { step: node.payload.step } : undefined };
}

function sayText(layout: Layout, text: string, rule: Piece["rule"], ground: Ground): Layout {
  const said = saidText(layout, text, rule, ground);
  return say(said.layout, said.pieces, ground);
}

/** Between calls and their results nothing may stand: it waits until these are there. */
function say(layout: Layout, pieces: readonly Piece[], ground: Ground): Layout {
  if (layout.exchange.calls.length === 0 || pieces.length === 0) return sayAll(layout, pieces, ground);
  const deferred = followers(pieces).reduce((list, piece) => put(list, piece), layout.deferred);
  return { ...layout, deferred };
}

function taskBoundary(
  layout: Layout,
  node: TurnNode,
  payload: TaskBoundary,
  ground: Ground,
  scene: Scene,
): Layout {
  const { transformation } = payload;
  const summary = transformation.kind === "compress" ? transformation.summary : undefined;
  if (node.depth === 0)
    return summary === undefined ? layout : sayText(layout, sessionText(summary), "compress", ground);
  if (scene.within !== undefined || transformation.kind === "clone")
    return sayText(layout, taskText(payload, undefined), "task", ground);
  const rule = transformation.kind === "clear" ? "task" : "compress";
  return sayText(layout, taskText(payload, summary), rule, ground);
}

function taskSummary(
  layout: Layout,
  node: TurnNode,
  payload: TaskSummary,
  ground: Ground,
  scene: Scene,
): Layout {
  const { taskId } = payload;
  const firstPart = sizeOf(layout.parts);
  const asked = scene.settings.expand.has(taskId);
  const branch = asked && !scene.around.includes(taskId) ? branchOf(payload, scene) : undefined;
  const place = { nodeId: node.id, firstPart, asked, expanded: branch !== undefined, ended: false };
  const askedFor = asked ? [...layout.asked, taskId] : layout.asked;
  const placed = { ...layout, summaries: layout.summaries.set(taskId, place), asked: askedFor };
  if (branch !== undefined) return expand(placed, node, ground, branch, scene);
  const missing = { nodeId: node.id, targetId: taskId, reason: "unknown_branch" } as const;
  const told = asked ? { ...placed, ignored: put(placed.ignored, missing) } : placed;
  return sayText(told, taskSummaryText(payload), "task_summary", ground);
}

interface Branch {
  readonly taskId: string;
  readonly walk: Walk;
  readonly floor: number;
}

/** The branch that a summary stands for, if it is what it says. */
function branchOf({ taskId, tipId }: TaskSummary, { context, walk }: Scene): Branch | undefined {
  const boundary = context.nodes.get(taskId);
  if (boundary === undefined || boundary.payload.kind !== "task_boundary") return undefined;
  if (boundary.depth === 0 || walk.find(taskId) !== undefined || !context.nodes.has(tipId)) return undefined;
  const branch = Walk.to(context, tipId);
  return branch.find(taskId) === undefined ? undefined : { taskId, walk: branch, floor: boundary.depth };
}

function expand(layout: Layout, node: TurnNode, ground: Ground, branch: Branch, outer: Scene): Layout {
  const { walk, floor, taskId } = branch;
  const choices = choicesOf(walk, floor);
  const around = [...outer.around, taskId];
  const scene: Scene = { ...outer, walk, choices, within: outer.within ?? node.id, around };
  const firstPart = sizeOf(layout.parts);
  const boundary = { rule: "expansion", nodeId: node.id, targetId: node.id, firstPart } as const;
  let next = ground.choice === undefined ? layout : mark(layout, node.id, ground.choice);
  next = { ...next, boundaries: put(next.boundaries, boundary), expanded: [...next.expanded, taskId] };
  for (let depth = floor; depth <= walk.tip.depth; depth += 1) next = step(next, walk.nodeAt(depth), scene);
  next = dropHeld(closeCalls(next));
  // Whatever the model says next is no part of what it said last in there.
  const answer = next.answer === undefined ? undefined : { step: `\0${node.id}` };
  return { ...next, answer, speaker: undefined };
}

function choicesOf(walk: Walk, floor: number): Choices {
  let choices = firstChoices(walk.nodeAt(floor));
  for (let depth = floor; depth <= walk.tip.depth; depth += 1)
    choices = choose(choices, walk.nodeAt(depth), walk, floor).choices;
  return choices;
}
