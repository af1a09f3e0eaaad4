import { PersistentMap } from "../../files/seen/index.js";
import type { TurnPayload } from "./payload.js";

/**
 * The calls of one answer that still stand open together. Who answers whom is a fact of the path: no form
 * chosen later and no hidden message changes it. One more call or result costs the same, however many there are.
 */
export interface Exchange {
  readonly step: string | undefined;
  /** The node of its first call, by which it is told from others; none where nothing is open. */
  readonly firstId: string | undefined;
  /** How many calls it has, and how many of them have no result. */
  readonly size: number;
  readonly open: number;
  /** By their place among the calls, as `placeKey` writes it. */
  readonly calls: PersistentMap<ExchangedCall>;
  /** By the id of the call. */
  readonly queues: PersistentMap<CallQueue>;
}

/** A call of the running exchange. */
interface ExchangedCall {
  readonly nodeId: string;
  /** The place of the next call with the same id. */
  readonly next?: number;
}

/** The calls with one id: the earliest is answered first. */
interface CallQueue {
  /** The place of the first without a result; none where all have theirs. */
  readonly first: number | undefined;
  readonly last: number;
}

/** Where nothing has been said yet. */
export const noExchange: Exchange = {
  step: undefined,
  firstId: undefined,
  size: 0,
  open: 0,
  calls: PersistentMap.empty(),
  queues: PersistentMap.empty(),
};

/** The nodes of the calls with this id that have no result, in their order. */
export function waitingFor(exchange: Exchange, callId: string): readonly string[] {
  const waiting: string[] = [];
  for (let at = exchange.queues.get(callId)?.first; at !== undefined; ) {
    const { nodeId, next } = callAt(exchange, at);
    waiting.push(nodeId);
    at = next;
  }
  return waiting;
}

/** The node of the call that a result with this id answers; undefined where none is open. */
export function awaitedBy(exchange: Exchange, callId: string): string | undefined {
  const at = exchange.queues.get(callId)?.first;
  return at === undefined ? undefined : callAt(exchange, at).nodeId;
}

/** Whether this node is a call that waits for its result. */
export function isOpen(exchange: Exchange, { id, payload }: Pick<ExchangeNode, "id" | "payload">): boolean {
  return payload.kind === "tool_call" && waitingFor(exchange, payload.callId).includes(id);
}

/** The nodes of all its calls, answered or not, in their order. */
export function callNodes(exchange: Exchange): readonly string[] {
  return Array.from({ length: exchange.size }, (_, at) => callAt(exchange, at).nodeId);
}

function callAt({ calls }: Exchange, at: number): ExchangedCall {
  const call = calls.get(placeKey(at));
  if (call === undefined) throw new Error(`an exchange has no call at ${at}`);
  return call;
}

function placeKey(at: number): string {
  return String(at);
}

/** The part of a node that counts here. */
interface ExchangeNode {
  readonly id: string;
  readonly payload: TurnPayload;
  readonly metadata: { readonly isHiddenFromLlm?: boolean };
}

/** How one more node changes an exchange. */
export interface Advance {
  readonly exchange: Exchange;
  /** True where the exchange before this node is over; calls of it without a result are interrupted. */
  readonly ends: boolean;
  /** True where this result was the last one awaited. */
  readonly completes: boolean;
  /** The node of the call that this result answers; none where its call is not open. */
  readonly answers?: string;
}

/** What a node does to the calls that are open before it. */
export function advance(exchange: Exchange, node: ExchangeNode): Advance {
  const { payload } = node;
  if (payload.kind === "tool_result") return answer(exchange, payload.callId);
  if (payload.kind === "tool_call") {
    const joins = isSameAnswer(exchange, payload.step);
    const before = joins ? exchange : { ...noExchange, step: payload.step, firstId: node.id };
    return { exchange: withCall(before, node.id, payload.callId), ends: !joins, completes: false };
  }
  if (exchange.size === 0 || !interrupts(exchange, node)) return unmoved(exchange);
  return { exchange: noExchange, ends: true, completes: false };
}

/** Whether a node of the model carries on the answer to which the open calls belong. */
function isSameAnswer({ step, size, open }: Exchange, other: string | undefined): boolean {
  if (step !== other) return false;
  return step !== undefined || open === size;
}

function interrupts(exchange: Exchange, { payload, metadata }: ExchangeNode): boolean {
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
    case "lost":
    case "unknown":
      return false;
    default:
      return payload satisfies never;
  }
}

function withCall(exchange: Exchange, nodeId: string, callId: string): Exchange {
  const { size, open, calls, queues } = exchange;
  const queue = queues.get(callId);
  const chained =
    queue === undefined
      ? calls
      : calls.set(placeKey(queue.last), { ...callAt(exchange, queue.last), next: size });
  return {
    ...exchange,
    firstId: exchange.firstId ?? nodeId,
    size: size + 1,
    open: open + 1,
    calls: chained.set(placeKey(size), { nodeId }),
    queues: queues.set(callId, { first: queue?.first ?? size, last: size }),
  };
}

function answer(exchange: Exchange, callId: string): Advance {
  const queue = exchange.queues.get(callId);
  if (queue?.first === undefined) return unmoved(exchange);
  const { nodeId, next } = callAt(exchange, queue.first);
  const completes = exchange.open === 1;
  const queues = exchange.queues.set(callId, { ...queue, first: next });
  const left = completes ? noExchange : { ...exchange, open: exchange.open - 1, queues };
  return { exchange: left, ends: false, completes, answers: nodeId };
}

function unmoved(exchange: Exchange): Advance {
  return { exchange, ends: false, completes: false };
}

/** Whether a node of this kind is content for the model. */
export function speaks({ payload, metadata }: Omit<ExchangeNode, "id">): boolean {
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
    case "lost":
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

/** A node that the model said: words, thoughts or a call. */
interface ModelNode {
  readonly payload: Extract<TurnPayload, { kind: "model_message" | "tool_call" }>;
}

/** Whether the model said this node. */
export function isOfModel<Node extends Pick<ExchangeNode, "payload">>(node: Node): node is Node & ModelNode {
  return node.payload.kind === "model_message" || node.payload.kind === "tool_call";
}
