import { advance, type Exchange, isOfModel, isOpen, noExchange, speaks } from "../values/exchange.js";
import type { TurnNode } from "../values/node.js";
import type { Ancestry } from "./ancestry.js";

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
