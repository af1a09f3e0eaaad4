import { PersistentMap } from "../../files/seen/index.js";
import { advance, type Exchange, isOfModel, isOpen, noExchange, speaks } from "../values/exchange.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { FormChange, OverlayForm, TurnPayload } from "../values/payload.js";
import { Ancestry, nodeOf } from "./path.js";
import { PathFold } from "./path-fold.js";

/**
 * What the nodes of a path decide about how earlier ones are rendered. They are replayed from the path
 * before anything is laid out, so that the layout is one pass with all decisions known. The same rules say
 * beforehand whether a decision would have any effect: what the renderer would ignore is refused when it is
 * said.
 */
export interface Choices {
  /** By the node that they are about. */
  readonly forms: PersistentMap<Choice>;
  readonly start: Start;
  readonly exchange: Exchange;
}

/** In which form a node is rendered, and which later node decided it. */
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

/** A decision of the path that could not be carried out. */
export interface Ignored {
  readonly nodeId: string;
  readonly targetId?: string;
  readonly reason:
    | "unknown_target"
    | "not_rendered"
    | "hidden"
    | "pending"
    | "form_does_not_fit"
    | "unsafe_cut"
    | "unknown_branch";
}

/** A node's effect on the choices. */
interface Chosen {
  readonly choices: Choices;
  /** The depth of the first node that is rendered differently for it; infinite where none is. */
  readonly affects: number;
  /** What the node decides to no effect. */
  readonly ignored: readonly Ignored[];
}

/** The choices at the nodes of a conversation: asked again and again, it pays for what is new only. */
export class PathChoices {
  #ancestry: Ancestry | undefined;
  readonly #fold = new PathFold<Choices | undefined>(undefined, (before, node) => this.#after(before, node));

  /** What a node would decide below its parent, where it stands in no conversation yet. */
  ask(context: ConversationContext, node: TurnNode): Chosen {
    const ancestry = new Ancestry(context, node);
    return choose(this.at(context, node.parentId ?? node.id), node, ancestry, 0);
  }

  /** What the path down to a node decides. */
  at(context: ConversationContext, nodeId: string): Choices {
    const tip = nodeOf(context, nodeId);
    // The same for all steps of the fold: the path is climbed once.
    this.#ancestry = new Ancestry(context, tip);
    return this.#fold.at(context, nodeId) ?? firstChoices(tip);
  }

  #after(before: Choices | undefined, node: TurnNode): Choices {
    const choices = before ?? firstChoices(node);
    return this.#ancestry === undefined ? choices : choose(choices, node, this.#ancestry, 0).choices;
  }
}

/** Of the session, or of a task's branch that is rendered in place of its summary. */
export function firstChoices(first: TurnNode): Choices {
  const start: Start = { depth: first.depth, rule: "root", nodeId: first.id };
  return { forms: PersistentMap.empty(), start, exchange: noExchange };
}

/**
 * The choices of a path that goes on by one node.
 *
 * @param floor where the path begins: the root's depth, or the boundary's of an expanded task, whose own
 *   cuts then do not count.
 */
export function choose(choices: Choices, node: TurnNode, ancestry: Ancestry, floor: number): Chosen {
  const { payload } = node;
  // On the whole path it is what the node bears already.
  const exchange = floor === 0 ? node.exchange : advance(choices.exchange, node).exchange;
  const next = exchange === choices.exchange ? choices : { ...choices, exchange };
  if (payload.kind === "task_boundary" && floor === 0) return begin(next, node, payload.transformation.kind);
  if (payload.kind === "summary" && payload.of === "compaction" && floor === 0)
    return compact(next, node, payload.keepFromId, ancestry);
  if (payload.kind === "context_management") {
    if (payload.action === "overlay") return overlay(next, payload, { node, ancestry, floor });
    if (payload.action === "reform") return reform(next, payload.changes, { node, ancestry, floor });
  }
  return unchanged(next);
}

function begin(choices: Choices, node: TurnNode, kind: "clear" | "clone" | "compress"): Chosen {
  if (kind === "clone" || node.depth === 0) return unchanged(choices);
  const start: Start = { depth: node.depth, rule: kind, nodeId: node.id };
  return { choices: { ...choices, start }, affects: 0, ignored: none };
}

function compact(choices: Choices, node: TurnNode, keepFromId: string | null, ancestry: Ancestry): Chosen {
  const ignore = (reason: Ignored["reason"]) => ignoring(choices, { nodeId: node.id, reason });
  if (node.metadata.isHiddenFromLlm === true) return ignore("hidden");
  const kept = keepFromId === null ? node : ancestry.find(keepFromId);
  if (kept === undefined || kept.depth > node.depth) return ignore("unknown_target");
  if (kept.depth < choices.start.depth) return ignore("not_rendered");
  if (!isSafeCut(ancestry, kept.depth, choices.start.depth)) return ignore("unsafe_cut");
  const start: Start = { depth: kept.depth, rule: "compaction", nodeId: node.id };
  return { choices: { ...choices, start }, affects: 0, ignored: none };
}

/** The node that changes forms, and the part of the path that it can change. */
interface FormScope {
  readonly node: TurnNode;
  readonly ancestry: Ancestry;
  readonly floor: number;
}

/** One change after the other, as if each stood in a node of its own. */
function reform(choices: Choices, changes: readonly FormChange[], from: FormScope): Chosen {
  let all = unchanged(choices);
  for (const change of changes) {
    const { choices: next, affects, ignored } = overlay(all.choices, change, from);
    all = {
      choices: next,
      affects: Math.min(all.affects, affects),
      ignored: ignored.length === 0 ? all.ignored : [...all.ignored, ...ignored],
    };
  }
  return all;
}

function overlay(choices: Choices, { targetId, form }: FormChange, from: FormScope): Chosen {
  const { node, ancestry, floor } = from;
  const target = ancestry.find(targetId);
  const reason = whyNot(choices, form, from, target);
  if (target === undefined || reason !== undefined)
    return ignoring(choices, { nodeId: node.id, targetId, reason: reason ?? "unknown_target" });
  const partner = isPaired(target.payload) ? partnerOf(ancestry, target, floor, node.depth) : undefined;
  if (target.payload.kind === "tool_result" && partner === undefined)
    return ignoring(choices, { nodeId: node.id, targetId, reason: "not_rendered" });
  const own = formOf(choices, target.id);
  const pairForm = partner === undefined ? undefined : formOfPartner(choices, partner, form);
  if (isSameForm(own, form) && pairForm === undefined) return unchanged(choices);
  const choice: Choice = { form, by: node.id, depth: node.depth };
  let forms = choices.forms.set(target.id, choice);
  if (partner !== undefined && pairForm !== undefined)
    forms = forms.set(partner.id, { ...choice, form: pairForm });
  const affects = affectedBy(choices, target, partner, pairForm);
  return { choices: { ...choices, forms }, affects, ignored: none };
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
  form: OverlayForm,
  { node, floor }: FormScope,
  target: TurnNode | undefined,
): Ignored["reason"] | undefined {
  if (target === undefined || target.depth >= node.depth) return "unknown_target";
  const isStart = target.id === choices.start.nodeId;
  if (target.depth < Math.max(choices.start.depth, floor)) return "not_rendered";
  if (!isStart && !speaks(target) && !isPaired(target.payload)) return "not_rendered";
  if (isSilentRoot(target)) return "not_rendered";
  if (target.metadata.isHiddenFromLlm === true) return "hidden";
  if (isOpen(choices.exchange, target)) return "pending";
  const forFiles = form.form === "uri" || form.form === "inline";
  return forFiles && !hasBytes(target.payload) ? "form_does_not_fit" : undefined;
}

/** Whether it stands for the bytes of one file, which can be behind an address: a state, or a single medium of the user. */
function hasBytes(payload: TurnPayload): boolean {
  if (payload.kind === "user_message") return payload.media?.length === 1;
  return payload.kind === "file_content";
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

function unchanged(choices: Choices): Chosen {
  return { choices, affects: Number.POSITIVE_INFINITY, ignored: none };
}

function ignoring(choices: Choices, why: Ignored): Chosen {
  return { ...unchanged(choices), ignored: [why] };
}

const none: readonly Ignored[] = [];

/**
 * The node that a call or a result is paired with, if it came before `limit`.
 *
 * @param floor where the path begins for this question (a depth).
 */
export function partnerOf(
  ancestry: Ancestry,
  target: TurnNode,
  floor: number,
  limit: number,
): TurnNode | undefined {
  let depth = quietDepth(ancestry, target.depth, floor);
  let exchange = noExchange;
  for (; depth < limit; depth += 1) {
    const node = ancestry.nodeAt(depth);
    const moved = advance(exchange, node);
    if (node.id === target.id && moved.answers !== undefined)
      return ancestry.context.nodes.get(moved.answers);
    if (moved.answers === target.id) return node;
    const open = isOpen(moved.exchange, target);
    if (depth >= target.depth && !open) return undefined;
    exchange = moved.exchange;
  }
  return undefined;
}

/** The calls that stand open right before the node at this depth. */
function exchangeBefore(ancestry: Ancestry, depth: number, floor: number): Exchange {
  let exchange = noExchange;
  for (let at = quietDepth(ancestry, depth - 1, floor); at < depth; at += 1)
    exchange = advance(exchange, ancestry.nodeAt(at)).exchange;
  return exchange;
}

/** A depth at or above this one before which no call can be open. */
function quietDepth(ancestry: Ancestry, depth: number, floor: number): number {
  let at = Math.max(depth, floor);
  while (at > floor) {
    if (ancestry.nodeAt(at - 1).exchange.size === 0) return at;
    at -= 1;
  }
  return floor;
}

/** Whether nothing is torn apart if everything before this depth goes: neither a pair nor an answer. */
export function isSafeCut(ancestry: Ancestry, depth: number, floor: number): boolean {
  const node = ancestry.nodeAt(depth);
  const before = exchangeBefore(ancestry, depth, floor);
  if (before.size > 0 && !advance(before, node).ends) return false;
  if (!isOfModel(node)) return true;
  for (let at = depth - 1; at >= floor; at -= 1) {
    const earlier = ancestry.nodeAt(at);
    if (!speaks(earlier)) continue;
    return !(isOfModel(earlier) && earlier.payload.step === node.payload.step);
  }
  return true;
}
