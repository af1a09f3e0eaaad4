import { noExchange, type ToolCall, type ToolResult, type TurnNode } from "../conversation/index.js";
import type { PersistentMap } from "../files/index.js";
import type { MediaPart } from "./content.js";
import { type DraftPart, drop, emit, type Layout, type PendingCall, repair } from "./layout.js";
import { itemsOf, put, sizeOf } from "./list.js";
import type { PartSource, RenderScope } from "./render-scope.js";
import { mediaParts } from "./rule-media.js";
import { withinText } from "./shows.js";
import { interruptedText, placeholderText } from "./texts.js";
import { whyLost } from "./thoughts.js";

/** The call is appended at once; its result follows when all results of its answer are there. */
export function toolCall(
  layout: Layout,
  node: TurnNode,
  payload: ToolCall,
  source: PartSource,
  scope: RenderScope,
): Layout {
  const id = freeId(layout.ids, payload.callId);
  const lost = payload.signature === undefined ? undefined : whyLost(layout, node, payload.from, scope);
  const forgotten = lost === undefined ? layout : drop(layout, node.id, lost);
  const form = source.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const args = replaced === undefined ? payload.args : { omitted: replaced.text };
  const signed = payload.signature !== undefined && lost === undefined;
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
  const ids = appended.ids.set(id, true);
  const next = { ...appended, ids, pendingCalls: [...layout.pendingCalls, pending] };
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
  return { ...layout, pendingCalls: [...layout.pendingCalls, pending] };
}

/** @param answers the node of the call, if it is open. */
export function toolResult(
  layout: Layout,
  payload: ToolResult,
  source: PartSource,
  answers: string | undefined,
): Layout {
  const at = layout.pendingCalls.findIndex(({ nodeId }) => nodeId === answers);
  const pending = layout.pendingCalls[at];
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
  const result = resultOf(pending, response, shown.parts);
  return withResult(shown.layout, at, { ...source, ...result, rule, shows, refers });
}

/** A result that is hidden from the model beside a call that is not. */
export function hiddenResult(layout: Layout, nodeId: string, answers: string | undefined): Layout {
  const at = layout.pendingCalls.findIndex((pending) => pending.nodeId === answers);
  const pending = layout.pendingCalls[at];
  const dropped = drop(layout, nodeId, "hidden");
  if (pending === undefined || !pending.shown) return dropped;
  const source = { nodeId, cut: false, within: pending.within, choice: undefined };
  const response = { output: placeholderText };
  return withResult(dropped, at, { ...source, ...resultOf(pending, response), rule: "placeholder" });
}

/**
 * Ends the open calls: results in the order of the calls, an error for each that has none, then what came
 * in between.
 */
export function closeCalls(layout: Layout): Layout {
  if (layout.pendingCalls.length === 0) return layout;
  let next: Layout = { ...layout, exchange: noExchange, pendingCalls: [], deferred: undefined };
  for (const pending of layout.pendingCalls) {
    if (!pending.shown) continue;
    next = pending.result === undefined ? interrupt(next, pending) : emitResult(next, pending.result);
  }
  return itemsOf(layout.deferred).reduce(emit, next);
}

/** Whether a call that is shown has no result yet. */
export function awaitsResults({ pendingCalls }: Layout): boolean {
  return pendingCalls.some(({ shown, result }) => shown && result === undefined);
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

function withResult(layout: Layout, at: number, result: DraftPart): Layout {
  const pendingCalls = layout.pendingCalls.map((pending, index) =>
    index === at ? { ...pending, result } : pending,
  );
  return { ...layout, pendingCalls };
}

function renumbered(layout: Layout, nodeId: string): Layout["repairs"] {
  return put(layout.repairs, { what: "renumbered", nodeId, part: sizeOf(layout.parts) - 1 });
}

function freeId(taken: PersistentMap<true>, wanted: string): string {
  const stem = wanted === "" ? "call" : wanted;
  let id = stem;
  for (let number = 2; taken.has(id); number += 1) id = `${stem}-${number}`;
  return id;
}
