import { Ancestry, type Choices, choose, firstChoices } from "../../conversation/index.js";
import {
  type Advance,
  advance,
  isOfModel,
  type Summary,
  speaks,
  type TaskBoundary,
  type TaskSummary,
  type TurnNode,
} from "../../conversation/values/index.js";
import {
  type DraftPart,
  drop,
  dropPendingThoughts,
  type Layout,
  mark,
  type NodeDrafts,
} from "../layout/layout.js";
import { put, sizeOf } from "../layout/visibility.js";
import {
  branchSummaryText,
  compactionText,
  followers,
  lostNodeText,
  type PartSource,
  type RenderScope,
  restoreText,
  sessionText,
  sourceOf,
  taskSummaryText,
  taskText,
} from "./render-scope.js";
import { closeCalls, hiddenCall, hiddenResult, toolCall, toolResult } from "./rule-calls.js";
import {
  appendDrafts,
  draftText,
  fileContent,
  modelMessage,
  noteEndedExpansions,
  userMessage,
} from "./rule-messages.js";

/** The layout with one more node of the path. Pure; its cost does not grow with the layout. */
export function step(layout: Layout, node: TurnNode, scope: RenderScope): Layout {
  // Without recursion: tasks may be expanded inside one another deeper than any call stack.
  const open: OpenBranch[] = [];
  let next = enter(layout, node, scope, open);
  for (let branch = open.at(-1); branch !== undefined; branch = open.at(-1)) {
    const { ancestry } = branch.scope;
    if (branch.depth > ancestry.tip.depth) {
      open.pop();
      next = leave(next, branch);
    } else {
      branch.depth += 1;
      next = enter(next, ancestry.nodeAt(branch.depth - 1), branch.scope, open);
    }
  }
  return next;
}

/** A task's branch that is being laid out in the place of its summary. */
interface OpenBranch {
  readonly summaryId: string;
  readonly scope: RenderScope;
  /** Of the next node to lay out. */
  depth: number;
}

/** Lays a node out; where a branch stands in its place, that one is opened, for what follows in it. */
function enter(layout: Layout, node: TurnNode, scope: RenderScope, open: OpenBranch[]): Layout {
  const noted = scope.within === undefined ? noteEndedExpansions(layout, node) : layout;
  const moved = advance(noted.exchange, node);
  const before = moved.ends ? closeCalls(noted) : noted;
  const source = sourceOf(before, node, scope);
  const after = layOut({ ...before, exchange: moved.exchange }, node, { source, moved, scope, open });
  return noteSpeaker(moved.completes ? closeCalls(after) : after, node);
}

/** What is known of a node where it is laid out. */
interface NodePlace {
  readonly source: PartSource;
  readonly moved: Advance;
  readonly scope: RenderScope;
  /** The branches around it, the innermost last. */
  readonly open: OpenBranch[];
}

/** The text of a compaction, which stands before everything that it keeps. */
export function openWith(layout: Layout, node: TurnNode, payload: Summary, scope: RenderScope): Layout {
  if (payload.of !== "compaction") return layout;
  const source: PartSource = { ...sourceOf(layout, node, scope), cut: false };
  return isHiddenBy(source)
    ? hide(layout, source)
    : appendText(layout, compactionText(payload), "compaction", source);
}

function layOut(layout: Layout, node: TurnNode, place: NodePlace): Layout {
  const { source, moved, scope } = place;
  const { payload } = node;
  if (node.metadata.isHiddenFromLlm === true) return layOutHidden(layout, node, moved, scope);
  if (isHiddenBy(source)) return layOutHiddenBy(layout, node, source, scope);
  switch (payload.kind) {
    case "user_message":
      return userMessage(layout, payload, source, scope);
    case "model_message":
      return modelMessage(layout, node, payload, source, scope);
    case "tool_call":
      return toolCall(layout, node, payload, source, scope);
    case "tool_result":
      return toolResult(layout, payload, source, moved.answers);
    case "file_content":
      if (source.choice?.form.form === "replaced") return appendText(layout, "", "file_inline", source);
      return appendOrDefer(fileContent(layout, payload, source, scope), source);
    case "task_boundary":
      return taskBoundary(layout, node, payload, source, scope);
    case "task_summary":
      return taskSummary(layout, node, payload, place);
    case "summary":
      // The text of a compaction stands at the front, or is not in force.
      return payload.of === "compaction"
        ? layout
        : appendText(
            layout,
            branchSummaryText(payload.text, scope.ancestry.find(payload.covers.toId) !== undefined),
            "branch_summary",
            source,
          );
    case "restore":
      return appendText(layout, restoreText(payload), "restore", source);
    case "note":
      return payload.audience === "person" ? layout : appendText(layout, payload.text, "note", source);
    case "lost":
      return appendText(layout, lostNodeText, "lost", source);
    case "context_management":
    case "unknown":
      return layout;
    default:
      return payload satisfies never;
  }
}

function isHiddenBy({ choice }: PartSource): boolean {
  return choice?.form.form === "hidden";
}

function layOutHidden(layout: Layout, node: TurnNode, moved: Advance, { within }: RenderScope): Layout {
  const { payload } = node;
  if (payload.kind === "tool_result") return hiddenResult(layout, node.id, moved.answers);
  if (payload.kind === "tool_call") return drop(hiddenCall(layout, node, payload, within), node.id, "hidden");
  return speaks({ ...node, metadata: {} }) ? drop(layout, node.id, "hidden") : layout;
}

function layOutHiddenBy(layout: Layout, node: TurnNode, source: PartSource, { within }: RenderScope): Layout {
  const { payload } = node;
  if (payload.kind === "tool_call") return hide(hiddenCall(layout, node, payload, within), source);
  return speaks(node) ? hide(layout, source) : layout;
}

function hide(layout: Layout, { nodeId, choice }: PartSource): Layout {
  const dropped = drop(layout, nodeId, "hidden_by_overlay");
  return choice === undefined ? dropped : mark(dropped, nodeId, choice);
}

/** Notes who spoke last. */
function noteSpeaker(layout: Layout, node: TurnNode): Layout {
  if (!speaks(node)) return layout;
  return { ...layout, speaker: isOfModel(node) ? { step: node.payload.step } : undefined };
}

function appendText(layout: Layout, text: string, rule: DraftPart["rule"], source: PartSource): Layout {
  return appendOrDefer(draftText(layout, text, rule, source), source);
}

/** Between calls and their results nothing may stand: it waits until these are there. */
function appendOrDefer({ layout, drafts }: NodeDrafts, source: PartSource): Layout {
  if (layout.exchange.size === 0 || drafts.length === 0) return appendDrafts(layout, drafts, source);
  const deferred = followers(drafts).reduce((list, draft) => put(list, draft), layout.deferred);
  return { ...layout, deferred };
}

function taskBoundary(
  layout: Layout,
  node: TurnNode,
  payload: TaskBoundary,
  source: PartSource,
  scope: RenderScope,
): Layout {
  const { transformation } = payload;
  const summary = transformation.kind === "compress" ? transformation.summary : undefined;
  if (node.depth === 0)
    return summary === undefined ? layout : appendText(layout, sessionText(summary), "compress", source);
  if (scope.within !== undefined || transformation.kind === "clone")
    return appendText(layout, taskText(payload, undefined), "task", source);
  const rule = transformation.kind === "clear" ? "task" : "compress";
  return appendText(layout, taskText(payload, summary), rule, source);
}

function taskSummary(layout: Layout, node: TurnNode, payload: TaskSummary, place: NodePlace): Layout {
  const { source, scope } = place;
  const { taskId } = payload;
  const firstPart = sizeOf(layout.parts);
  const asked = scope.settings.expand.has(taskId);
  const branch = asked && !scope.around.has(taskId) ? branchOf(payload, scope) : undefined;
  const entry = { nodeId: node.id, firstPart, asked, expanded: branch !== undefined, ended: false };
  const askedFor = asked ? layout.asked.set(taskId, true) : layout.asked;
  const noted = { ...layout, summaries: layout.summaries.set(taskId, entry), asked: askedFor };
  if (branch !== undefined) return openBranch(noted, node, branch, place);
  const missing = { nodeId: node.id, targetId: taskId, reason: "unknown_branch" } as const;
  const reported = asked ? { ...noted, ignored: put(noted.ignored, missing) } : noted;
  return appendText(reported, taskSummaryText(payload), "task_summary", source);
}

interface TaskBranch {
  readonly taskId: string;
  readonly ancestry: Ancestry;
  readonly floor: number;
}

/** The branch that a summary stands for, if it is what it says. */
function branchOf(
  { taskId, tipId }: TaskSummary,
  { context, ancestry }: RenderScope,
): TaskBranch | undefined {
  const boundary = context.nodes.get(taskId);
  if (boundary === undefined || boundary.payload.kind !== "task_boundary") return undefined;
  if (boundary.depth === 0 || ancestry.find(taskId) !== undefined || !context.nodes.has(tipId))
    return undefined;
  const branch = Ancestry.to(context, tipId);
  return branch.find(taskId) === undefined ? undefined : { taskId, ancestry: branch, floor: boundary.depth };
}

function openBranch(
  layout: Layout,
  node: TurnNode,
  { ancestry, floor, taskId }: TaskBranch,
  { source, scope: outer, open }: NodePlace,
): Layout {
  const choices = choicesOf(ancestry, floor);
  const around = outer.around.set(taskId, true);
  const scope: RenderScope = { ...outer, ancestry, choices, within: outer.within ?? node.id, around };
  open.push({ summaryId: node.id, scope, depth: floor });
  const firstPart = sizeOf(layout.parts);
  const boundary = { rule: "expansion", nodeId: node.id, targetId: node.id, firstPart } as const;
  const marked = source.choice === undefined ? layout : mark(layout, node.id, source.choice);
  const expanded = marked.expanded.set(taskId, true);
  return { ...marked, boundaries: put(marked.boundaries, boundary), expanded };
}

/** The layout where a branch ends, all its calls closed. */
function leave(layout: Layout, { summaryId }: OpenBranch): Layout {
  const ended = dropPendingThoughts(closeCalls(layout));
  // Whatever the model says next is no part of what it said last in there.
  const answer = ended.answer === undefined ? undefined : { step: `\0${summaryId}` };
  return { ...ended, answer, speaker: undefined };
}

function choicesOf(ancestry: Ancestry, floor: number): Choices {
  let choices = firstChoices(ancestry.nodeAt(floor));
  for (let depth = floor; depth <= ancestry.tip.depth; depth += 1)
    choices = choose(choices, ancestry.nodeAt(depth), ancestry, floor).choices;
  return choices;
}
