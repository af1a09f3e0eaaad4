import {
  type Choice,
  type Exchange,
  noExchange,
  type ReferredLines,
  type ShownText,
} from "../conversation/index.js";
import { PersistentMap } from "../files/index.js";
import { defined } from "../text/index.js";
import type { MediaPart, Part } from "./content.js";
import { type List, put, sizeOf } from "./list.js";
import type { Boundary, Dropped, Ignored, Repair } from "./report.js";
import type { Provenance, RenderRule } from "./types.js";
import { type Seen, type ShownPlace, see } from "./visibility.js";

/** What the nodes up to one say, as parts. An immutable value: a step makes the next of it. */
export interface Layout {
  readonly parts: List<PlacedPart>;
  readonly chars: number;
  /** Whose answer the last part belongs to, where it is the model's. */
  readonly answer: Answer | undefined;
  /** Thoughts whose text or call has not come yet. */
  readonly held: Held | undefined;
  readonly exchange: Exchange;
  /** The open calls as they are rendered, in step with `exchange`. */
  readonly drafts: readonly Draft[];
  /** What came between calls and their results, to stand after them. */
  readonly deferred: List<Piece>;
  /** The last node that spoke, if it was the model's. */
  readonly speaker: Answer | undefined;
  /** Ids of calls that stand there. */
  readonly ids: PersistentMap<true>;
  readonly seen: PersistentMap<Seen>;
  /** What texts that stand there speak of and do not show. */
  readonly refers: List<Referral>;
  /** Tasks whose summary, or branch in its place, stands there. */
  readonly summaries: PersistentMap<SummaryPlace>;
  /** Tasks that stand there in full, and those that were asked to. */
  readonly expanded: readonly string[];
  readonly asked: readonly string[];
  /** A thought at a lesser depth than this was made when what stands before it was different. */
  readonly changedUntil: number;
  /** The same for times: an address that was used until then is not any more. */
  readonly uriUntil: number;
  /** The times for which this layout holds, as far as addresses expire. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** Whether a thought had to go since the user spoke last. */
  readonly lostThought: boolean;
  readonly repairs: List<Repair>;
  readonly boundaries: List<Boundary>;
  readonly dropped: List<Dropped>;
  /** By expanded branches; those of the path itself are among its choices. */
  readonly ignored: List<Ignored>;
}

/** Lines that a node only names: they have to be shown by another node of the same prompt. */
export interface Referral {
  readonly nodeId: string;
  readonly lines: ReferredLines;
}

/** A part with its position in the prompt and the node that it comes from. */
export interface PlacedPart {
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

/** The parts of one answer that wait until all its calls have results. */
export interface Held {
  readonly answer: Answer;
  readonly pieces: readonly Piece[];
}

/** A part on its way to its place. */
export interface Piece {
  readonly role: "user" | "model";
  readonly part: Part;
  readonly nodeId: string;
  readonly rule: RenderRule;
  /** Where nothing before the node is open. */
  readonly cut: boolean;
  readonly within: string | undefined;
  readonly answer?: Answer;
  readonly shows?: readonly ShownText[];
  readonly refers?: readonly ReferredLines[] | undefined;
  readonly choice?: Choice | undefined;
}

/** A tool call on its way into the prompt, with its result once that is known. */
export interface Draft {
  readonly nodeId: string;
  /** As it is rendered: unique. */
  readonly id: string;
  readonly name: string;
  readonly shown: boolean;
  readonly within: string | undefined;
  readonly result?: Piece;
}

/** Where the summary of a completed task begins in the prompt, and whether the task is expanded there. */
export interface SummaryPlace {
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
  held: undefined,
  exchange: noExchange,
  drafts: [],
  deferred: undefined,
  speaker: undefined,
  ids: PersistentMap.empty(),
  seen: PersistentMap.empty(),
  refers: undefined,
  summaries: PersistentMap.empty(),
  expanded: [],
  asked: [],
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

/** Puts a piece after everything else, with whatever has to stand between. */
export function emit(before: Layout, piece: Piece): Layout {
  const layout = marked(before, piece);
  return place(piece.role === "model" ? beforeModel(layout, piece) : dropHeld(layout), piece);
}

function marked(layout: Layout, { nodeId, choice }: Piece): Layout {
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
export function repair(layout: Layout, nodeId: string, what: Repair["what"]): Layout {
  return { ...layout, repairs: put(layout.repairs, { what, nodeId, part: sizeOf(layout.parts) }) };
}

/** Whether both are the same answer of the model; false where one is missing. */
export function sameAnswer(one: Answer | undefined, other: Answer | undefined): boolean {
  return one !== undefined && other !== undefined && one.step === other.step;
}

/** Thoughts that came to nothing go. */
export function dropHeld(layout: Layout): Layout {
  const { held } = layout;
  if (held === undefined) return layout;
  const without: Layout = { ...layout, held: undefined };
  return held.pieces.reduce((next, { nodeId }) => drop(next, nodeId, "thought_alone"), without);
}

function beforeModel(layout: Layout, piece: Piece): Layout {
  const held = sameAnswer(layout.held?.answer, piece.answer) ? layout.held : undefined;
  let next = held === undefined ? dropHeld(layout) : { ...layout, held: undefined };
  if (next.parts === undefined) next = putIn(next, piece, "opening", opening);
  else if (next.parts.item.role === "model" && !sameAnswer(next.answer, piece.answer))
    next = putIn(next, piece, "between_answers", between);
  for (const thought of held?.pieces ?? []) next = place(marked(next, thought), thought);
  return next;
}

const opening = "[The conversation before this point is not part of this prompt.]";
const between = "[Go on.]";

function putIn(layout: Layout, { nodeId, within }: Piece, what: "opening" | "between_answers", text: string) {
  const piece: Piece = { role: "user", part: { text }, nodeId, within, rule: what, cut: false };
  return place(repair(layout, nodeId, what), piece);
}

function place(layout: Layout, piece: Piece): Layout {
  const last = layout.parts?.item;
  const joins = last?.role === piece.role;
  const content = last === undefined ? 0 : last.content + (joins ? 0 : 1);
  const at = joins && last !== undefined ? last.at + 1 : 0;
  const { role, part } = piece;
  const placed: PlacedPart = { role, part, origin: originOf(piece), content, at };
  const opensTurn = role === "user" && !joins && !("functionResponse" in part);
  return {
    ...layout,
    parts: put(layout.parts, placed),
    chars: layout.chars + lengthOf(part),
    answer: role === "model" ? piece.answer : undefined,
    seen: seeAll(layout.seen, piece, content, at),
    refers: referring(layout.refers, piece),
    lostThought: layout.lostThought && !opensTurn,
  };
}

function originOf({ nodeId, rule, within, cut }: Piece): Provenance {
  return {
    nodeId,
    rule,
    ...defined({ within }),
    ...(cut && within === undefined ? { cut: true as const } : {}),
  };
}

function seeAll(seen: Layout["seen"], { shows, part }: Piece, content: number, at: number): Layout["seen"] {
  const field = fieldOf(part);
  let next = seen;
  for (const shown of shows ?? []) {
    const { from, to, start, end, chars } = shown;
    const part = defined({ chars });
    const place: ShownPlace = { from, to, content, part: at, field, start, end, ...part };
    next = see(next, shown, place);
  }
  return next;
}

function referring(before: Layout["refers"], { nodeId, refers }: Piece): Layout["refers"] {
  return refers === undefined ? before : refers.reduce((list, lines) => put(list, { nodeId, lines }), before);
}

function fieldOf(part: Part): ShownPlace["field"] {
  if ("fileData" in part) return "fileData";
  if ("functionResponse" in part) return "output" in part.functionResponse.response ? "output" : "error";
  return "text";
}

/** What a part takes up, in UTF-16 units. */
function lengthOf(part: Part): number {
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
export function responseText(response: { readonly output: string } | { readonly error: string }): string {
  return "output" in response ? response.output : response.error;
}
