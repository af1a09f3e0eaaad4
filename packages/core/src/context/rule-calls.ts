import { noExchange, type ToolCall, type ToolResult, type TurnNode } from "../conversation/index.js";
import type { PersistentMap } from "../files/index.js";
import type { MediaPart } from "./content.js";
import { type Draft, drop, emit, type Layout, type Piece, repair } from "./layout.js";
import { itemsOf, put, sizeOf } from "./list.js";
import { mediaParts } from "./rule-media.js";
import type { Ground, Scene } from "./scene.js";
import { withinText } from "./shows.js";
import { interruptedText, placeholderText } from "./texts.js";
import { whyLost } from "./thoughts.js";

/** A call is put down at once; its result follows when all results of its answer are there. */
export function toolCall(
  layout: Layout,
  node: TurnNode,
  payload: ToolCall,
  ground: Ground,
  scene: Scene,
): Layout {
  const id = freeId(layout.ids, payload.callId);
  const lost = payload.signature === undefined ? undefined : whyLost(layout, node, payload.from, scene);
  const forgotten = lost === undefined ? layout : drop(layout, node.id, lost);
  const form = ground.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const args = replaced === undefined ? payload.args : { omitted: replaced.text };
  const signed = payload.signature !== undefined && lost === undefined;
  const functionCall = { id, name: payload.name, args };
  const part = signed ? { functionCall, thoughtSignature: payload.signature } : { functionCall };
  const rule = replaced?.by ?? "call";
  const answer = { step: payload.step };
  const piece: Piece = { ...ground, role: "model", part, rule, answer, refers: replaced?.refers };
  const told = emit(forgotten, piece);
  const draft: Draft = { nodeId: node.id, id, name: payload.name, shown: true, within: ground.within };
  const ids = told.ids.set(id, true);
  const next = { ...told, ids, drafts: [...layout.drafts, draft] };
  return id === payload.callId ? next : { ...next, repairs: renumbered(told, node.id) };
}

/** A call that is not shown takes its result with it. */
export function hiddenCall(
  layout: Layout,
  node: TurnNode,
  { name }: ToolCall,
  within: string | undefined,
): Layout {
  const draft: Draft = { nodeId: node.id, id: "", name, shown: false, within };
  return { ...layout, drafts: [...layout.drafts, draft] };
}

/** @param answers the node of the call, if it is open. */
export function toolResult(
  layout: Layout,
  payload: ToolResult,
  ground: Ground,
  answers: string | undefined,
): Layout {
  const at = layout.drafts.findIndex(({ nodeId }) => nodeId === answers);
  const draft = layout.drafts[at];
  if (draft === undefined) return drop(layout, ground.nodeId, "result_without_call");
  if (!draft.shown) return drop(layout, ground.nodeId, "result_of_hidden_call");
  const form = ground.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const text = replaced?.text ?? payload.output;
  const response = payload.isError === true ? { error: text } : { output: text };
  const asked = replaced === undefined ? (payload.shows ?? []) : (replaced.shows ?? []);
  const shows = withinText(text, asked);
  const checked = shows.length === asked.length ? layout : drop(layout, ground.nodeId, "wrong_lines");
  const shown = mediaParts(checked, replaced === undefined ? (payload.media ?? []) : [], ground.nodeId);
  const rule = replaced?.by ?? "result";
  const { refers } = replaced ?? payload;
  const result = resultOf(draft, response, shown.parts);
  return withResult(shown.layout, at, { ...ground, ...result, rule, shows, refers });
}

/** A result that is hidden from the model beside a call that is not. */
export function hiddenResult(layout: Layout, nodeId: string, answers: string | undefined): Layout {
  const at = layout.drafts.findIndex((draft) => draft.nodeId === answers);
  const draft = layout.drafts[at];
  const dropped = drop(layout, nodeId, "hidden");
  if (draft === undefined || !draft.shown) return dropped;
  const ground = { nodeId, cut: false, within: draft.within, choice: undefined };
  const response = { output: placeholderText };
  return withResult(dropped, at, { ...ground, ...resultOf(draft, response), rule: "placeholder" });
}

/**
 * Ends the open calls: results in the order of the calls, an error for each that has none, then what came
 * in between.
 */
export function closeCalls(layout: Layout): Layout {
  if (layout.drafts.length === 0) return layout;
  let next: Layout = { ...layout, exchange: noExchange, drafts: [], deferred: undefined };
  for (const draft of layout.drafts) {
    if (!draft.shown) continue;
    next = draft.result === undefined ? interrupt(next, draft) : emitResult(next, draft.result);
  }
  return itemsOf(layout.deferred).reduce(emit, next);
}

/** Whether a call that is shown has no result yet. */
export function awaitsResults({ drafts }: Layout): boolean {
  return drafts.some(({ shown, result }) => shown && result === undefined);
}

function emitResult(layout: Layout, piece: Piece): Layout {
  const ready = piece.rule === "placeholder" ? repair(layout, piece.nodeId, "placeholder") : layout;
  return emit(ready, piece);
}

function interrupt(layout: Layout, draft: Draft): Layout {
  const { nodeId, within } = draft;
  const ground: Ground = { nodeId, cut: false, within, choice: undefined };
  const piece: Piece = {
    ...ground,
    ...resultOf(draft, { error: interruptedText }),
    rule: "interrupted",
  };
  return emit(repair(layout, nodeId, "interrupted"), piece);
}

function resultOf(
  { id, name }: Draft,
  response: { readonly output: string } | { readonly error: string },
  parts: readonly MediaPart[] = [],
): Pick<Piece, "role" | "part"> {
  const media = parts.length === 0 ? {} : { parts };
  return { role: "user", part: { functionResponse: { id, name, response, ...media } } };
}

function withResult(layout: Layout, at: number, result: Piece): Layout {
  const drafts = layout.drafts.map((draft, index) => (index === at ? { ...draft, result } : draft));
  return { ...layout, drafts };
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
