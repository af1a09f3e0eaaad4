import {
  noExchange,
  type ToolCall,
  type ToolResultPayload,
  type TurnNode,
} from "../../conversation/values/index.js";
import type { MediaPart } from "../layout/content.js";
import {
  type DraftPart,
  drop,
  emit,
  type Layout,
  noPendingCalls,
  type PendingCall,
  type PendingCalls,
  repair,
} from "../layout/layout.js";
import { itemsOf, put, sizeOf } from "../layout/visibility.js";
import {
  interruptedText,
  type PartSource,
  placeholderText,
  type RenderScope,
  withinText,
} from "./render-scope.js";
import { mediaParts } from "./rule-media.js";
import { whyLost } from "./rule-messages.js";

/** The call is appended at once; its result follows when all results of its answer are there. */
export function toolCall(
  layout: Layout,
  node: TurnNode,
  payload: ToolCall,
  source: PartSource,
  scope: RenderScope,
): Layout {
  const { id, ids } = withFreeId(layout.ids, payload.callId);
  const lost = payload.signature === undefined ? undefined : whyLost(layout, node, payload.from, scope);
  const forgotten = lost === undefined ? layout : drop(layout, node.id, lost);
  const form = source.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const args = replaced === undefined ? payload.args : { omitted: replaced.text };
  // A stub of a call stands where its signature was refused.
  const signed = payload.signature !== undefined && lost === undefined && replaced?.by !== "stub";
  const functionCall = { id, name: payload.name, args };
  const part = signed ? { functionCall, thoughtSignature: payload.signature } : { functionCall };
  const rule = replaced?.by ?? "call";
  const answer = { step: payload.step };
  const draft: DraftPart = { ...source, role: "model", part, rule, answer, refers: replaced?.refers };
  const appended = emit(forgotten, draft);
  const pending: PendingCall = {
    nodeId: node.id,
    id,
    name: payload.name,
    shown: true,
    within: source.within,
  };
  const next = { ...appended, ids, pendingCalls: withPending(layout.pendingCalls, pending) };
  return id === payload.callId ? next : { ...next, repairs: renumbered(appended, node.id) };
}

/** A call that is not shown takes its result with it. */
export function hiddenCall(
  layout: Layout,
  node: TurnNode,
  { name }: ToolCall,
  within: string | undefined,
): Layout {
  const pending: PendingCall = { nodeId: node.id, id: "", name, shown: false, within };
  return { ...layout, pendingCalls: withPending(layout.pendingCalls, pending) };
}

/** @param answers the node of the call, if it is open. */
export function toolResult(
  layout: Layout,
  payload: ToolResultPayload,
  source: PartSource,
  answers: string | undefined,
): Layout {
  const pending = pendingCall(layout, answers);
  if (pending === undefined) return drop(layout, source.nodeId, "result_without_call");
  if (!pending.shown) return drop(layout, source.nodeId, "result_of_hidden_call");
  const form = source.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const text = replaced?.text ?? payload.output;
  const response = payload.isError === true ? { error: text } : { output: text };
  const asked = replaced === undefined ? (payload.shows ?? []) : (replaced.shows ?? []);
  const shows = withinText(text, asked);
  const checked = shows.length === asked.length ? layout : drop(layout, source.nodeId, "wrong_lines");
  const shown = mediaParts(checked, replaced === undefined ? (payload.media ?? []) : [], source.nodeId);
  const rule = replaced?.by ?? "result";
  const { refers } = replaced ?? payload;
  const repeats = replaced === undefined ? payload.repeats : undefined;
  const result = resultOf(pending, response, shown.parts);
  return withResult(shown.layout, pending, { ...source, ...result, rule, shows, refers, repeats });
}

/** A result that is hidden from the model beside a call that is not. */
export function hiddenResult(layout: Layout, nodeId: string, answers: string | undefined): Layout {
  const pending = pendingCall(layout, answers);
  const dropped = drop(layout, nodeId, "hidden");
  if (pending === undefined || !pending.shown) return dropped;
  const source = { nodeId, cut: false, within: pending.within, choice: undefined };
  const response = { output: placeholderText };
  return withResult(dropped, pending, { ...source, ...resultOf(pending, response), rule: "placeholder" });
}

/**
 * Ends the open calls: results in the order of the calls, an error for each that has none, then what came
 * in between.
 */
export function closeCalls(layout: Layout): Layout {
  const { order } = layout.pendingCalls;
  if (order === undefined) return layout;
  let next: Layout = {
    ...layout,
    exchange: noExchange,
    pendingCalls: noPendingCalls,
    deferred: undefined,
  };
  for (const nodeId of itemsOf(order)) {
    const pending = pendingCall(layout, nodeId);
    if (pending?.shown !== true) continue;
    next = pending.result === undefined ? interrupt(next, pending) : emitResult(next, pending.result);
  }
  return itemsOf(layout.deferred).reduce(emit, next);
}

/** Whether a call that is shown has no result yet. */
export function awaitsResults({ pendingCalls }: Layout): boolean {
  return pendingCalls.awaited > 0;
}

function emitResult(layout: Layout, draft: DraftPart): Layout {
  const ready = draft.rule === "placeholder" ? repair(layout, draft.nodeId, "placeholder") : layout;
  return emit(ready, draft);
}

function interrupt(layout: Layout, pending: PendingCall): Layout {
  const { nodeId, within } = pending;
  const source: PartSource = { nodeId, cut: false, within, choice: undefined };
  const draft: DraftPart = {
    ...source,
    ...resultOf(pending, { error: interruptedText }),
    rule: "interrupted",
  };
  return emit(repair(layout, nodeId, "interrupted"), draft);
}

function resultOf(
  { id, name }: PendingCall,
  response: { readonly output: string } | { readonly error: string },
  parts: readonly MediaPart[] = [],
): Pick<DraftPart, "role" | "part"> {
  const media = parts.length === 0 ? {} : { parts };
  return { role: "user", part: { functionResponse: { id, name, response, ...media } } };
}

function pendingCall({ pendingCalls }: Layout, nodeId: string | undefined): PendingCall | undefined {
  return nodeId === undefined ? undefined : pendingCalls.byNode.get(nodeId);
}

function withPending({ order, byNode, awaited }: PendingCalls, pending: PendingCall): PendingCalls {
  return {
    order: put(order, pending.nodeId),
    byNode: byNode.set(pending.nodeId, pending),
    awaited: awaited + (pending.shown ? 1 : 0),
  };
}

/** A call is answered once: its exchange knows it as open until then. */
function withResult(layout: Layout, pending: PendingCall, result: DraftPart): Layout {
  const { order, byNode, awaited } = layout.pendingCalls;
  const answered = byNode.set(pending.nodeId, { ...pending, result });
  return { ...layout, pendingCalls: { order, byNode: answered, awaited: awaited - 1 } };
}

function renumbered(layout: Layout, nodeId: string): Layout["repairs"] {
  return put(layout.repairs, { what: "renumbered", nodeId, part: sizeOf(layout.parts) - 1 });
}

function withFreeId(
  ids: Layout["ids"],
  wanted: string,
): { readonly id: string; readonly ids: Layout["ids"] } {
  const stem = wanted === "" ? "call" : wanted;
  const first = ids.get(stem);
  if (first === undefined) return { id: stem, ids: ids.set(stem, 2) };
  let number = first;
  while (ids.has(`${stem}-${number}`)) number += 1;
  const id = `${stem}-${number}`;
  return { id, ids: ids.set(stem, number + 1).set(id, 2) };
}
