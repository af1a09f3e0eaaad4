import type { TurnNode } from "../conversation/index.js";
import type { Walk } from "./walk.js";

/**
 * The calls of one answer that still stand open together. Who answers whom is a fact of the path: no form
 * chosen later and no hidden message changes it.
 */
export interface Exchange {
  readonly step: string | undefined;
  /** Empty where nothing is open. */
  readonly calls: readonly OpenCall[];
}

export interface OpenCall {
  readonly nodeId: string;
  readonly callId: string;
  readonly resultId?: string;
}

export const noExchange: Exchange = { step: undefined, calls: [] };

export interface Advance {
  readonly exchange: Exchange;
  /** True where the exchange before this node is over; calls of it without a result are interrupted. */
  readonly ends: boolean;
  /** True where this result was the last one awaited. */
  readonly settles: boolean;
  /** The node of the call that this result answers; none where its call is not open. */
  readonly answers?: string;
}

/** What a node does to the calls that are open before it. */
export function advance(exchange: Exchange, node: TurnNode): Advance {
  const { payload } = node;
  if (payload.kind === "tool_result") return answer(exchange, node.id, payload.callId);
  if (payload.kind === "tool_call") {
    const joins = isSameAnswer(exchange, payload.step);
    const before = joins ? exchange.calls : [];
    const calls = [...before, { nodeId: node.id, callId: payload.callId }];
    return { exchange: { step: payload.step, calls }, ends: !joins, settles: false };
  }
  if (exchange.calls.length === 0 || !interrupts(exchange, node)) return unmoved(exchange);
  return { exchange: noExchange, ends: true, settles: false };
}

/** Whether a node of the model carries on the answer to which the open calls belong. */
function isSameAnswer({ step, calls }: Exchange, other: string | undefined): boolean {
  if (step !== other) return false;
  return step !== undefined || calls.every(({ resultId }) => resultId === undefined);
}

function interrupts(exchange: Exchange, { payload, metadata }: TurnNode): boolean {
  if (metadata.isHiddenFromLlm === true) return false;
  switch (payload.kind) {
    case "user_message":
    case "task_boundary":
    case "task_summary":
      return true;
    case "model_message":
      return !isSameAnswer(exchange, payload.step);
    case "tool_call":
    case "tool_result":
    case "file_content":
    case "context_management":
    case "summary":
    case "restore":
    case "note":
    case "unknown":
      return false;
    default:
      return payload satisfies never;
  }
}

function answer(exchange: Exchange, resultId: string, callId: string): Advance {
  const at = exchange.calls.findIndex((call) => call.callId === callId && call.resultId === undefined);
  const call = exchange.calls[at];
  if (call === undefined) return unmoved(exchange);
  const calls = exchange.calls.with(at, { ...call, resultId });
  const settles = calls.every((one) => one.resultId !== undefined);
  const next = settles ? noExchange : { step: exchange.step, calls };
  return { exchange: next, ends: false, settles, answers: call.nodeId };
}

function unmoved(exchange: Exchange): Advance {
  return { exchange, ends: false, settles: false };
}

/**
 * The node that a call or a result is paired with, if it came before `limit`.
 *
 * @param floor where the path begins for this question (a depth).
 */
export function partnerOf(walk: Walk, target: TurnNode, floor: number, limit: number): TurnNode | undefined {
  let depth = quietDepth(walk, target.depth, floor);
  let exchange = noExchange;
  for (; depth < limit; depth += 1) {
    const node = walk.nodeAt(depth);
    const moved = advance(exchange, node);
    if (node.id === target.id && moved.answers !== undefined) return walk.context.nodes.get(moved.answers);
    if (moved.answers === target.id) return node;
    const open = moved.exchange.calls.some(({ nodeId }) => nodeId === target.id);
    if (depth >= target.depth && !open) return undefined;
    exchange = moved.exchange;
  }
  return undefined;
}

/** The calls that stand open right before the node at this depth. */
export function exchangeBefore(walk: Walk, depth: number, floor: number): Exchange {
  let exchange = noExchange;
  for (let at = quietDepth(walk, depth - 1, floor); at < depth; at += 1)
    exchange = advance(exchange, walk.nodeAt(at)).exchange;
  return exchange;
}

/** A depth at or above this one before which no call can be open. */
function quietDepth(walk: Walk, depth: number, floor: number): number {
  let at = Math.max(depth, floor);
  while (at > floor) {
    const { payload, metadata } = walk.nodeAt(at);
    const closes = payload.kind === "user_message" || payload.kind === "task_boundary";
    if (closes && metadata.isHiddenFromLlm !== true) return at;
    at -= 1;
  }
  return floor;
}

/** Whether nothing is torn apart if everything before this depth goes: neither a pair nor an answer. */
export function isSafeCut(walk: Walk, depth: number, floor: number): boolean {
  const node = walk.nodeAt(depth);
  const before = exchangeBefore(walk, depth, floor);
  if (before.calls.length > 0 && !advance(before, node).ends) return false;
  if (!isOfModel(node)) return true;
  for (let at = depth - 1; at >= floor; at -= 1) {
    const earlier = walk.nodeAt(at);
    if (!speaks(earlier)) continue;
    return !(isOfModel(earlier) && earlier.payload.step === node.payload.step);
  }
  return true;
}

/** Whether a node says something to the model, as far as its kind goes. */
export function speaks({ payload, metadata }: TurnNode): boolean {
  if (metadata.isHiddenFromLlm === true) return false;
  switch (payload.kind) {
    case "user_message":
    case "model_message":
    case "tool_call":
    case "tool_result":
    case "file_content":
    case "task_boundary":
    case "task_summary":
    case "restore":
      return true;
    case "summary":
      return payload.of === "branch";
    case "note":
      return payload.audience === "model";
    case "context_management":
    case "unknown":
      return false;
    default:
      return payload satisfies never;
  }
}

export type ModelNode = TurnNode & {
  readonly payload: Extract<TurnNode["payload"], { kind: "model_message" | "tool_call" }>;
};

export function isOfModel(node: TurnNode): node is ModelNode {
  return node.payload.kind === "model_message" || node.payload.kind === "tool_call";
}
