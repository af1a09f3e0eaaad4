import type { Choice } from "../../conversation/index.js";
import {
  type Exchange,
  noExchange,
  type ReferredLines,
  type RepeatedLines,
  type ShownText,
} from "../../conversation/values/index.js";
import { PersistentMap } from "../../files/seen/index.js";
import { defined } from "../../text/index.js";
import type { MediaPart, Part } from "./content.js";
import { type EarlierLines, writeRepeats } from "./repeats.js";
import type { Boundary, Dropped, Ignored, PromptRepair, Referral } from "./report.js";
import type { Provenance, RenderRule } from "./types.js";
import { type List, nothingSeen, put, type SeenStates, type ShownPlace, see, sizeOf } from "./visibility.js";

/** The nodes of a path up to one of them, as parts of a prompt. An immutable value: a step makes the next one. */
export interface Layout {
  readonly parts: List<PositionedPart>;
  readonly chars: number;
  /** Whose answer the last part belongs to, where it is the model's. */
  readonly answer: Answer | undefined;
  readonly pendingThoughts: PendingThoughts | undefined;
  readonly exchange: Exchange;
  /** The open calls as they are rendered, in step with `exchange`. */
  readonly pendingCalls: PendingCalls;
  /** Parts that came between calls and their results; they go after the results. */
  readonly deferred: List<DraftPart>;
  /** The last node that spoke, if it was the model's. */
  readonly speaker: Answer | undefined;
  /** The ids of all calls so far; to each the first number that may be free behind it. */
  readonly ids: PersistentMap<number>;
  readonly seen: SeenStates;
  /** Lines to which texts of the prompt refer without showing them. */
  readonly refers: List<Referral>;
  /** Tasks whose summary, or whose branch instead of it, stands there. */
  readonly summaries: PersistentMap<SummaryEntry>;
  /** Tasks that are expanded, and those for which it was asked. */
  readonly expanded: PersistentMap<true>;
  readonly asked: PersistentMap<true>;
  /** A thought above this depth was made when the bytes before it were different. */
  readonly changedUntil: number;
  /** The same by time: an address was used until then, and is not used in this prompt. */
  readonly uriUntil: number;
  /** The times for which this layout holds, as far as addresses expire. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** Whether a thought had to go since the user spoke last. */
  readonly lostThought: boolean;
  readonly repairs: List<PromptRepair>;
  readonly boundaries: List<Boundary>;
  readonly dropped: List<Dropped>;
  /** By expanded branches; those of the path itself are among its choices. */
  readonly ignored: List<Ignored>;
}

/** A part with its position in the prompt and the node that it comes from. */
export interface PositionedPart {
  readonly role: "user" | "model";
  readonly part: Part;
  readonly origin: Provenance;
  /** Index of the content, and of the part in it. */
  readonly content: number;
  readonly at: number;
}

/** One answer of the model; nodes of the same step belong to the same. */
export interface Answer {
  readonly step: string | undefined;
}

/** The thoughts of one answer whose text or call has not come yet. */
interface PendingThoughts {
  readonly answer: Answer;
  readonly drafts: readonly DraftPart[];
}

/** A part of a node that has no position in the prompt yet. */
export interface DraftPart {
  readonly role: "user" | "model";
  readonly part: Part;
  readonly nodeId: string;
  readonly rule: RenderRule;
  /** Where nothing before the node is open. */
  readonly cut: boolean;
  readonly within: string | undefined;
  readonly answer?: Answer;
  readonly shows?: readonly ShownText[];
  /** As of `Provenance`. */
  readonly holds?: number;
  readonly refers?: readonly ReferredLines[] | undefined;
  /** Stretches of its text that it repeats; what becomes of them is decided where it is appended. */
  readonly repeats?: readonly RepeatedLines[] | undefined;
  readonly choice?: Choice | undefined;
}

/** The parts of a node before they are appended, and the layout with the notes that they made necessary. */
export interface NodeDrafts {
  readonly layout: Layout;
  readonly drafts: readonly DraftPart[];
}

/** The calls of an open exchange as they are rendered. */
export interface PendingCalls {
  /** The nodes of the calls, in their order. */
  readonly order: List<string>;
  /** By the node of the call. */
  readonly byNode: PersistentMap<PendingCall>;
  /** How many of those that are shown have no result. */
  readonly awaited: number;
}

export const noPendingCalls: PendingCalls = {
  order: undefined,
  byNode: PersistentMap.empty(),
  awaited: 0,
};

/** A tool call of the open exchange, with its result once that is there. */
export interface PendingCall {
  readonly nodeId: string;
  /** As it is rendered: unique. */
  readonly id: string;
  readonly name: string;
  readonly shown: boolean;
  readonly within: string | undefined;
  readonly result?: DraftPart;
}

/** The summary of a completed task in the prompt: where it begins, and whether the task is expanded there. */
interface SummaryEntry {
  readonly nodeId: string;
  readonly firstPart: number;
  readonly asked: boolean;
  readonly expanded: boolean;
  /** Whether it is known that it was expanded once and is no more. */
  readonly ended: boolean;
}

export const emptyLayout: Layout = {
  parts: undefined,
  chars: 0,
  answer: undefined,
  pendingThoughts: undefined,
  exchange: noExchange,
  pendingCalls: noPendingCalls,
  deferred: undefined,
  speaker: undefined,
  ids: PersistentMap.empty(),
  seen: nothingSeen,
  refers: undefined,
  summaries: PersistentMap.empty(),
  expanded: PersistentMap.empty(),
  asked: PersistentMap.empty(),
  changedUntil: -1,
  uriUntil: Number.NEGATIVE_INFINITY,
  validFrom: Number.NEGATIVE_INFINITY,
  validUntil: Number.POSITIVE_INFINITY,
  lostThought: false,
  repairs: undefined,
  boundaries: undefined,
  dropped: undefined,
  ignored: undefined,
};

/** Appends a part, with whatever has to stand between it and the last one. */
export function emit(before: Layout, draft: DraftPart): Layout {
  const layout = marked(before, draft);
  return append(draft.role === "model" ? beforeModel(layout, draft) : dropPendingThoughts(layout), draft);
}

function marked(layout: Layout, { nodeId, choice }: DraftPart): Layout {
  return choice === undefined ? layout : mark(layout, nodeId, choice);
}

/** Notes that a node is rendered in a form chosen later than the node: from here on, bytes have changed. */
export function mark(layout: Layout, targetId: string, { form, by, depth }: Choice): Layout {
  const boundary: Boundary = { rule: form.form, nodeId: by, targetId, firstPart: sizeOf(layout.parts) };
  const changedUntil = Math.max(layout.changedUntil, depth);
  return { ...layout, changedUntil, boundaries: put(layout.boundaries, boundary) };
}

/** The layout with a note that something of a node was left out. */
export function drop(layout: Layout, nodeId: string, what: Dropped["what"]): Layout {
  return { ...layout, dropped: put(layout.dropped, { nodeId, what }) };
}

/** The layout with a note that something was put right for a provider's sake. */
export function repair(layout: Layout, nodeId: string, what: PromptRepair["what"]): Layout {
  return { ...layout, repairs: put(layout.repairs, { what, nodeId, part: sizeOf(layout.parts) }) };
}

/** Whether both are the same answer of the model; false where one is missing. */
export function sameAnswer(one: Answer | undefined, other: Answer | undefined): boolean {
  return one !== undefined && other !== undefined && one.step === other.step;
}

/** Drops thoughts that were followed by no text and no call. */
export function dropPendingThoughts(layout: Layout): Layout {
  const { pendingThoughts } = layout;
  if (pendingThoughts === undefined) return layout;
  const without: Layout = { ...layout, pendingThoughts: undefined };
  return pendingThoughts.drafts.reduce((next, { nodeId }) => drop(next, nodeId, "thought_alone"), without);
}

function beforeModel(layout: Layout, draft: DraftPart): Layout {
  const isSame = sameAnswer(layout.pendingThoughts?.answer, draft.answer);
  const thoughts = isSame ? layout.pendingThoughts : undefined;
  let next = isSame ? { ...layout, pendingThoughts: undefined } : dropPendingThoughts(layout);
  if (next.parts === undefined) next = insertText(next, draft, "opening", opening);
  else if (next.parts.item.role === "model" && !sameAnswer(next.answer, draft.answer))
    next = insertText(next, draft, "between_answers", between);
  for (const thought of thoughts?.drafts ?? []) next = append(marked(next, thought), thought);
  return next;
}

const opening = "[The conversation before this point is not part of this prompt.]";
const between = "[Go on.]";

function insertText(
  layout: Layout,
  { nodeId, within }: DraftPart,
  what: "opening" | "between_answers",
  text: string,
) {
  const draft: DraftPart = { role: "user", part: { text }, nodeId, within, rule: what, cut: false };
  return append(repair(layout, nodeId, what), draft);
}

function append(layout: Layout, drafted: DraftPart): Layout {
  const { draft, repeated } = withoutRepeats(layout, drafted);
  const last = layout.parts?.item;
  const joins = last?.role === draft.role;
  const content = last === undefined ? 0 : last.content + (joins ? 0 : 1);
  const at = joins && last !== undefined ? last.at + 1 : 0;
  const { role, part } = draft;
  const positioned: PositionedPart = { role, part, origin: originOf(draft), content, at };
  const opensTurn = role === "user" && !joins && !("functionResponse" in part);
  return {
    ...layout,
    parts: put(layout.parts, positioned),
    chars: layout.chars + lengthOf(part),
    answer: role === "model" ? draft.answer : undefined,
    seen: seeRepeated(seeAll(layout.seen, draft, content, at), repeated),
    refers: referring(layout.refers, draft),
    lostThought: layout.lostThought && !opensTurn,
  };
}

/** The draft with references in the place of lines that stand above it. */
function withoutRepeats(
  { seen }: Layout,
  draft: DraftPart,
): { readonly draft: DraftPart; readonly repeated: readonly EarlierLines[] } {
  const { repeats = [], shows = [], refers = [], part } = draft;
  const field = repeats.length === 0 ? undefined : textOf(part);
  if (field === undefined) return { draft, repeated: [] };
  const written = writeRepeats(field, shows, repeats, seen);
  const { repeated } = written;
  const all = [...refers, ...written.refers];
  return {
    draft: { ...draft, part: withText(part, written.text), shows: written.shows, refers: all },
    repeated,
  };
}

/** Lines for which a reference stands are in the prompt, where it points. */
function seeRepeated(seen: Layout["seen"], repeated: readonly EarlierLines[]): Layout["seen"] {
  let next = seen;
  for (const { lines, standing } of repeated) {
    const shift = lines.from - lines.as.from;
    // Of the very same state they were seen above.
    if (lines.sha256 === lines.as.sha256) continue;
    for (const place of standing.places)
      next = see(next, lines, { ...place, from: place.from + shift, to: place.to + shift });
  }
  return next;
}

function originOf({ nodeId, rule, within, cut, holds }: DraftPart): Provenance {
  return {
    nodeId,
    rule,
    ...defined({ within, holds }),
    ...(cut && within === undefined ? { cut: true as const } : {}),
  };
}

function seeAll(
  seen: Layout["seen"],
  { shows, part, nodeId }: DraftPart,
  content: number,
  at: number,
): Layout["seen"] {
  const field = fieldOf(part);
  const within = { field: textOf(part), nodeId };
  let next = seen;
  for (const shown of shows ?? []) {
    const { from, to, start, end, chars } = shown;
    const part = defined({ chars });
    const place: ShownPlace = { from, to, content, part: at, field, start, end, ...part };
    next = see(next, shown, place, within);
  }
  return next;
}

function referring(before: Layout["refers"], { nodeId, refers }: DraftPart): Layout["refers"] {
  return refers === undefined ? before : refers.reduce((list, lines) => put(list, { nodeId, lines }), before);
}

/** What of a part is text that shows lines. */
function textOf(part: Part): string | undefined {
  if ("functionResponse" in part) return responseText(part.functionResponse.response);
  return "text" in part ? part.text : undefined;
}

function withText(part: Part, text: string): Part {
  if ("text" in part) return { ...part, text };
  if (!("functionResponse" in part)) return part;
  const { functionResponse } = part;
  const response = "output" in functionResponse.response ? { output: text } : { error: text };
  return { ...part, functionResponse: { ...functionResponse, response } };
}

function fieldOf(part: Part): ShownPlace["field"] {
  if ("fileData" in part) return "fileData";
  if ("functionResponse" in part) return "output" in part.functionResponse.response ? "output" : "error";
  return "text";
}

/** What a part takes up, in UTF-16 units; media as Base64. */
export function lengthOf(part: Part): number {
  if ("text" in part) return part.text.length;
  if ("functionCall" in part) return JSON.stringify(part.functionCall.args).length;
  if ("functionResponse" in part) {
    const { response, parts } = part.functionResponse;
    return (parts ?? []).reduce((sum, one) => sum + mediaLength(one), responseText(response).length);
  }
  if ("inlineData" in part || "blobData" in part) return mediaLength(part);
  return "fileData" in part ? part.fileData.fileUri.length : part.redactedThought.length;
}

/** As Base64, whether the bytes are there already or not. */
function mediaLength(part: MediaPart): number {
  return "inlineData" in part ? part.inlineData.data.length : 4 * Math.ceil(part.blobData.sizeBytes / 3);
}

/** The text that a result shows, whether it succeeded or not. */
function responseText(response: { readonly output: string } | { readonly error: string }): string {
  return "output" in response ? response.output : response.error;
}
