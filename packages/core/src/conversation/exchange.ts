import type { TurnPayload } from "./payload.js";

/**
 * The calls of one answer that still stand open together. Who answers whom is a fact of the path: no form
 * chosen later and no hidden message changes it.
 */
export interface Exchange {
  readonly step: string | undefined;
  /** Empty where nothing is open. */
  readonly calls: readonly ExchangedCall[];
}

/** A call of the running exchange; without `resultId` it is open. */
export interface ExchangedCall {
  readonly nodeId: string;
  readonly callId: string;
  readonly resultId?: string;
}

export const noExchange: Exchange = { step: undefined, calls: [] };

/** The part of a node that counts here. */
export interface ExchangeNode {
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
  if (payload.kind === "tool_result") return answer(exchange, node.id, payload.callId);
  if (payload.kind === "tool_call") {
    const joins = isSameAnswer(exchange, payload.step);
    const before = joins ? exchange.calls : [];
    const calls = [...before, { nodeId: node.id, callId: payload.callId }];
    return { exchange: { step: payload.step, calls }, ends: !joins, completes: false };
  }
  if (exchange.calls.length === 0 || !interrupts(exchange, node)) return unmoved(exchange);
  return { exchange: noExchange, ends: true, completes: false };
}

/** Whether a node of the model carries on the answer to which the open calls belong. */
function isSameAnswer({ step, calls }: Exchange, other: string | undefined): boolean {
  if (step !== other) return false;
  return step !== undefined || calls.every(({ resultId }) => resultId === undefined);
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

function answer(exchange: Exchange, resultId: string, callId: string): Advance {
  const at = exchange.calls.findIndex((call) => call.callId === callId && call.resultId === undefined);
  const call = exchange.calls[at];
  if (call === undefined) return unmoved(exchange);
  const calls = exchange.calls.with(at, { ...call, resultId });
  const completes = calls.every((one) => one.resultId !== undefined);
  const next = completes ? noExchange : { step: exchange.step, calls };
  return { exchange: next, ends: false, completes, answers: call.nodeId };
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
export interface ModelNode {
  readonly payload: Extract<TurnPayload, { kind: "model_message" | "tool_call" }>;
}

/** Whether the model said this node. */
export function isOfModel<Node extends Pick<ExchangeNode, "payload">>(node: Node): node is Node & ModelNode {
  return node.payload.kind === "model_message" || node.payload.kind === "tool_call";
}
