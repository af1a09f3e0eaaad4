import {
  advance,
  type Exchange,
  noExchange,
  type OverlayForm,
  PersistentMap,
  speaks,
  type TurnNode,
  type TurnPayload,
} from "../conversation/index.js";
import { isSafeCut, partnerOf } from "./exchange.js";
import { type List, put } from "./list.js";
import type { Ignored } from "./report.js";
import type { Walk } from "./walk.js";

/**
 * What the nodes of a path decide about how earlier ones are rendered. They are replayed from the path
 * before anything is laid out, so that the layout is one pass with all decisions known.
 */
export interface Choices {
  /** By the node that they are about. */
  readonly forms: PersistentMap<Choice>;
  readonly start: Start;
  readonly ignored: List<Ignored>;
  readonly exchange: Exchange;
}

export interface Choice {
  readonly form: OverlayForm;
  /** The node that chose it, and its depth. */
  readonly by: string;
  readonly depth: number;
}

/** Where the rendering begins; everything before it is gone, or in the text of a compaction. */
export interface Start {
  readonly depth: number;
  readonly rule: "root" | "clear" | "compress" | "compaction";
  /** The node that decided it. */
  readonly nodeId: string;
}

/** A node's effect on the choices, and the depth of the first node that is rendered differently for it. */
export interface Chosen {
  readonly choices: Choices;
  readonly affects: number;
}

/** Of the session, or of a task's branch that is rendered in place of its summary. */
export function firstChoices(first: TurnNode): Choices {
  const start: Start = { depth: first.depth, rule: "root", nodeId: first.id };
  return { forms: PersistentMap.empty(), start, ignored: undefined, exchange: noExchange };
}

/**
 * @param floor where the path begins: the root's depth, or the boundary's of an expanded task, whose own
 *   cuts then do not count.
 */
export function choose(choices: Choices, node: TurnNode, walk: Walk, floor: number): Chosen {
  const { payload } = node;
  const next = { ...choices, exchange: advance(choices.exchange, node).exchange };
  if (payload.kind === "task_boundary" && floor === 0) return begin(next, node, payload.transformation.kind);
  if (payload.kind === "summary" && payload.of === "compaction" && floor === 0)
    return compact(next, node, payload.keepFromId, walk);
  if (payload.kind === "context_management" && payload.action === "overlay")
    return overlay(next, { node, targetId: payload.targetId, form: payload.form, walk, floor });
  return { choices: next, affects: Number.POSITIVE_INFINITY };
}

function begin(choices: Choices, node: TurnNode, kind: "clear" | "clone" | "compress"): Chosen {
  if (kind === "clone" || node.depth === 0) return { choices, affects: Number.POSITIVE_INFINITY };
  return { choices: { ...choices, start: { depth: node.depth, rule: kind, nodeId: node.id } }, affects: 0 };
}

function compact(choices: Choices, node: TurnNode, keepFromId: string | null, walk: Walk): Chosen {
  const ignore = (reason: Ignored["reason"]) => ignored(choices, { nodeId: node.id, reason });
  if (node.metadata.isHiddenFromLlm === true) return ignore("hidden");
  const kept = keepFromId === null ? node : walk.find(keepFromId);
  if (kept === undefined || kept.depth > node.depth) return ignore("unknown_target");
  if (kept.depth < choices.start.depth) return ignore("not_rendered");
  if (!isSafeCut(walk, kept.depth, choices.start.depth)) return ignore("unsafe_cut");
  return {
    choices: { ...choices, start: { depth: kept.depth, rule: "compaction", nodeId: node.id } },
    affects: 0,
  };
}

interface Overlay {
  readonly node: TurnNode;
  readonly targetId: string;
  readonly form: OverlayForm;
  readonly walk: Walk;
  readonly floor: number;
}

function overlay(choices: Choices, asked: Overlay): Chosen {
  const { node, targetId, form, walk, floor } = asked;
  const target = walk.find(targetId);
  const reason = whyNot(choices, asked, target);
  if (target === undefined || reason !== undefined)
    return ignored(choices, { nodeId: node.id, targetId, reason: reason ?? "unknown_target" });
  const partner = isPaired(target.payload) ? partnerOf(walk, target, floor, node.depth) : undefined;
  if (target.payload.kind === "tool_result" && partner === undefined)
    return ignored(choices, { nodeId: node.id, targetId, reason: "not_rendered" });
  const own = formOf(choices, target.id);
  const pairForm = partner === undefined ? undefined : formOfPartner(choices, partner, form);
  if (isSameForm(own, form) && pairForm === undefined) return { choices, affects: Number.POSITIVE_INFINITY };
  const choice: Choice = { form, by: node.id, depth: node.depth };
  let forms = choices.forms.set(target.id, choice);
  if (partner !== undefined && pairForm !== undefined)
    forms = forms.set(partner.id, { ...choice, form: pairForm });
  return { choices: { ...choices, forms }, affects: affectedBy(choices, target, partner, pairForm) };
}

/** The text of a compaction stands before everything else, wherever its node is. */
function affectedBy(
  { start }: Choices,
  target: TurnNode,
  partner: TurnNode | undefined,
  pairForm: OverlayForm | undefined,
): number {
  if (target.id === start.nodeId) return 0;
  return pairForm === undefined || partner === undefined
    ? target.depth
    : Math.min(target.depth, partner.depth);
}

function whyNot(
  choices: Choices,
  { node, form, floor }: Overlay,
  target: TurnNode | undefined,
): Ignored["reason"] | undefined {
  if (target === undefined || target.depth >= node.depth) return "unknown_target";
  const isStart = target.id === choices.start.nodeId;
  if (target.depth < Math.max(choices.start.depth, floor)) return "not_rendered";
  if (!isStart && !speaks(target) && !isPaired(target.payload)) return "not_rendered";
  if (isSilentRoot(target)) return "not_rendered";
  if (target.metadata.isHiddenFromLlm === true) return "hidden";
  const pending = choices.exchange.calls.some(
    ({ nodeId, resultId }) => nodeId === target.id && resultId === undefined,
  );
  if (pending) return "pending";
  const forFiles = form.form === "uri" || form.form === "inline";
  return forFiles && target.payload.kind !== "file_content" ? "form_does_not_fit" : undefined;
}

/** The beginning of a session says something only where it stands for another. */
function isSilentRoot({ depth, payload }: TurnNode): boolean {
  return depth === 0 && payload.kind === "task_boundary" && payload.transformation.kind !== "compress";
}

function isPaired({ kind }: TurnPayload): boolean {
  return kind === "tool_call" || kind === "tool_result";
}

/** A pair is hidden and shown together; any other form is of one of them alone. */
function formOfPartner(choices: Choices, partner: TurnNode, form: OverlayForm): OverlayForm | undefined {
  const now = formOf(choices, partner.id);
  if (form.form === "hidden") return now.form === "hidden" ? undefined : form;
  return now.form === "hidden" ? { form: "original" } : undefined;
}

function formOf(choices: Choices, nodeId: string): OverlayForm {
  return choices.forms.get(nodeId)?.form ?? { form: "original" };
}

function isSameForm(one: OverlayForm, other: OverlayForm): boolean {
  return one.form === other.form && JSON.stringify(one) === JSON.stringify(other);
}

function ignored(choices: Choices, why: Ignored): Chosen {
  return {
    choices: { ...choices, ignored: put(choices.ignored, why) },
    affects: Number.POSITIVE_INFINITY,
  };
}
