import {
  type Content,
  lengthOf,
  type Part,
  type Provenance,
  type Rendering,
  replacedFrom,
} from "../context/index.js";
import {
  type ConversationContext,
  effectsOf,
  type FileEffect,
  type RepeatedLines,
  type ShownText,
  type TurnNode,
  type TurnPayload,
} from "../conversation/values/index.js";
import { joinSpans, type LineSpan, outsideSpans } from "../files/seen/index.js";
import type { ClearingClass, CountedRequest } from "./types.js";

/** A result or a file in a prompt, and what is known of it there. */
export interface PromptBlock {
  readonly measured: MeasuredPart;
  readonly node: TurnNode;
  /** The node of the call that it answers. */
  readonly callId?: string;
  readonly name?: string;
  /** The lines of files that it shows. */
  readonly shows: readonly ShownSpan[];
  /** Those of them that it does not leave to text further up. */
  readonly stands: readonly ShownSpan[];
  /** The files that it shows or changed. */
  readonly paths: readonly string[];
  readonly isError: boolean;
}

/** Lines of one state that a block shows. */
interface ShownSpan extends LineSpan {
  readonly path: string;
  readonly sha256: string;
  readonly isWhole: boolean;
}

/** All results and files of a prompt that are there as they were at first, in their order. */
export function blocksOf(context: ConversationContext, prompt: MeasuredPrompt): readonly PromptBlock[] {
  return [...eachBlock(context, prompt)];
}

/** The same, made as they are taken. */
export function* eachBlock(context: ConversationContext, { parts }: MeasuredPrompt): Generator<PromptBlock> {
  const calls = new Map<string, string>();
  for (const measured of parts) {
    const { value, origin } = measured;
    if ("functionCall" in value) calls.set(value.functionCall.id, origin.nodeId);
    if (origin.within !== undefined || !isBlock(measured)) continue;
    const known = blockOfPart.get(measured);
    if (known !== undefined) {
      yield known;
      continue;
    }
    const node = context.nodes.get(origin.nodeId);
    if (node === undefined) continue;
    const callId = "functionResponse" in value ? calls.get(value.functionResponse.id) : undefined;
    const block = blockOf(measured, node, callId);
    if (block === undefined) continue;
    blockOfPart.set(measured, block);
    yield block;
  }
}

/** Made once: a part that is the same object stands below the same calls, and nodes never change. */
const blockOfPart = new WeakMap<MeasuredPart, PromptBlock>();

/** Of a file behind an address, the part that has the address. */
function isBlock({ value, origin: { rule } }: MeasuredPart): boolean {
  return rule === "result" || rule === "file_inline" || (rule === "file_uri" && "fileData" in value);
}

function blockOf(
  measured: MeasuredPart,
  node: TurnNode,
  callId: string | undefined,
): PromptBlock | undefined {
  const { payload } = node;
  if (payload.kind !== "tool_result" && payload.kind !== "file_content") return undefined;
  const { shows, stands, paths } = shownBy(payload);
  if (payload.kind === "file_content") return { measured, node, shows, stands, paths, isError: false };
  const isError = payload.isError === true;
  const block = { measured, node, name: payload.name, shows, stands, paths, isError };
  return callId === undefined ? block : { ...block, callId };
}

type ShownSpans = Pick<PromptBlock, "shows" | "stands" | "paths">;

const spansOf = new WeakMap<TurnPayload, ShownSpans>();

/** What a payload shows, with the lines that follow each other joined. Nodes never change: made once. */
function shownBy(payload: Extract<TurnPayload, { kind: "tool_result" | "file_content" }>): ShownSpans {
  const found = spansOf.get(payload);
  if (found !== undefined) return found;
  const shows =
    payload.kind === "file_content" ? ofFile(payload) : ofResult(payload.shows ?? [], payload.files ?? []);
  const { repeats = [] } = payload;
  const named = payload.kind === "file_content" ? [payload] : [...shows, ...(payload.files ?? [])];
  const paths = [...new Set(named.map(({ path }) => path))];
  const made = { shows, stands: repeats.length === 0 ? shows : shows.flatMap(without(repeats)), paths };
  spansOf.set(payload, made);
  return made;
}

function without(repeats: readonly RepeatedLines[]): (shown: ShownSpan) => readonly ShownSpan[] {
  return (shown) => {
    const { path, sha256 } = shown;
    const left = repeats.filter((one) => one.path === path && one.sha256 === sha256);
    if (left.length === 0) return [shown];
    return outsideSpans(shown, joinSpans(left)).map((span) => ({ path, sha256, ...span, isWhole: false }));
  };
}

function ofFile({ path, sha256, lines, verified }: Extract<TurnPayload, { kind: "file_content" }>) {
  const isWhole = lines.from === 1 && lines.to >= lines.total;
  return verified === true ? [{ path, sha256, from: lines.from, to: lines.to, isWhole }] : [];
}

function ofResult(shows: readonly ShownText[], effects: readonly FileEffect[]): readonly ShownSpan[] {
  const byState = new Map<string, { path: string; sha256: string; spans: LineSpan[] }>();
  for (const { path, sha256, from, to } of shows) {
    const key = `${sha256}\0${path}`;
    const state = byState.get(key) ?? { path, sha256, spans: [] };
    state.spans.push({ from, to });
    byState.set(key, state);
  }
  return [...byState.values()].flatMap(({ path, sha256, spans }) => {
    const total = effects.find((effect) => effect.path === path && effect.after === sha256)?.lines;
    return joinSpans(spans).map(({ from, to }) => {
      const isWhole = total !== undefined && from === 1 && to >= total;
      return { path, sha256, from, to, isWhole };
    });
  });
}

/** The class of each block, and the files that were touched last. */
export interface ClassifiedBlocks {
  readonly classes: ReadonlyMap<PromptBlock, ClearingClass>;
  /** The paths, the last touched first. */
  readonly touched: readonly string[];
}

/** Sorts blocks by what their loss would mean. Goes from the newest to the oldest, once. */
export function classify(blocks: readonly PromptBlock[], maxResultChars: number): ClassifiedBlocks {
  const classes = new Map<PromptBlock, ClearingClass>();
  const later = new LaterText();
  for (const block of blocks.toReversed()) {
    classes.set(block, classOf(block, later, maxResultChars));
    later.add(block);
  }
  return { classes, touched: [...later.touched] };
}

function classOf(block: PromptBlock, later: LaterText, maxResultChars: number): ClearingClass {
  if (block.isError && block.shows.length === 0) return "failed";
  if (later.supersedes(block)) return "superseded";
  if (block.shows.length > 0) return "file";
  return block.measured.chars > maxResultChars ? "large_output" : "output";
}

/** What stands in the prompt after a block. */
class LaterText {
  /** In the order in which they were met: the last touched first. */
  readonly touched = new Set<string>();
  readonly #spans = new Map<string, readonly LineSpan[]>();
  readonly #whole = new Set<string>();
  readonly #last = new Map<string, string | null>();
  /** By the name of the tool. */
  readonly #outputs = new Map<string, Set<string>>();

  add({ node, stands, paths }: PromptBlock): void {
    for (const path of paths) this.touched.add(path);
    for (const { path, sha256, from, to, isWhole } of stands) {
      const key = `${sha256}\0${path}`;
      const spans = this.#spans.get(key);
      if (spans === undefined) this.#spans.set(key, [{ from, to }]);
      else if (outsideSpans({ from, to }, spans).length > 0)
        this.#spans.set(key, joinSpans([...spans, { from, to }]));
      if (isWhole) this.#whole.add(path);
    }
    for (const { path, after } of effectsOf(node.payload))
      if (!this.#last.has(path)) this.#last.set(path, after);
    if (!saysByItself(node.payload)) return;
    const { name, output } = node.payload;
    const outputs = this.#outputs.get(name);
    if (outputs === undefined) this.#outputs.set(name, new Set([output]));
    else outputs.add(output);
  }

  /** Whether everything that a block shows stands there again, or is of a file that is gone. */
  supersedes({ node, shows }: PromptBlock): boolean {
    if (shows.length > 0) return shows.every((shown) => this.#replaces(shown));
    const { payload } = node;
    return saysByItself(payload) && this.#outputs.get(payload.name)?.has(payload.output) === true;
  }

  #replaces({ path, sha256, from, to }: ShownSpan): boolean {
    if (this.#whole.has(path) || this.#last.get(path) === null) return true;
    const spans = this.#spans.get(`${sha256}\0${path}`);
    return spans !== undefined && outsideSpans({ from, to }, spans).length === 0;
  }
}

/** The same words of the same tool say nothing twice, unless they speak of others. */
function saysByItself(payload: TurnPayload): payload is Extract<TurnPayload, { kind: "tool_result" }> {
  return payload.kind === "tool_result" && payload.refers === undefined;
}

/** A part of a prompt with its size and its place. */
export interface MeasuredPart {
  /** Index of the content, and of the part in it. */
  readonly content: number;
  readonly part: number;
  readonly role: Content["role"];
  readonly value: Part;
  readonly origin: Provenance;
  /** UTF-16 units of it, and of all before it. Media count as what they commonly cost. */
  readonly chars: number;
  readonly before: number;
}

/**
 * A prompt, part by part. A part is the same object as in the prompt that was measured before only where everything up to
 * it is the same: what was found out about it from what stands above it still holds.
 */
export interface MeasuredPrompt {
  readonly parts: readonly MeasuredPart[];
  /** How many parts stand up to the end of each content. */
  readonly ends: readonly number[];
  /** Those of them that are notes to the model. */
  readonly notes: readonly MeasuredPart[];
  readonly chars: number;
}

/** What a character is taken for before a provider has counted anything: four make a token. */
const defaultCharsPerToken = 4;

/** An image costs about 1,600 tokens, however many bytes it has. */
const mediaChars = 6_400;

/** Measures a prompt; of what was measured before, nothing again. */
export function measure({ contents, provenance }: Rendering): MeasuredPrompt {
  const first = contents[0]?.parts[0];
  const last = first === undefined ? undefined : lasts.get(first);
  // A request is measured by several who need its sizes.
  if (last?.contents === contents && last.provenance === provenance) return last;
  const made = measureAll(contents, provenance, last);
  if (first !== undefined) lasts.set(first, made);
  return made;
}

/** A prompt that was measured, with what it was made of. */
interface LastMeasured extends MeasuredPrompt {
  readonly contents: Rendering["contents"];
  readonly provenance: Rendering["provenance"];
}

/**
 * The prompt that was measured last, by its first part: the next one of a session begins as it does. Only the last: a
 * collection of young objects takes all that a weak map holds for alive, and each prompt has lists as long as itself.
 */
const lasts = new WeakMap<Part, LastMeasured>();

function measureAll(
  contents: Rendering["contents"],
  provenance: Rendering["provenance"],
  last: LastMeasured | undefined,
): LastMeasured {
  // Contents that nothing was added to are the same objects. What they were measured to be is copied as a whole: a look
  // at each part, once a request, was most of what a long session cost.
  const same = last === undefined ? 0 : sameContents(last, contents, provenance);
  const from = last?.ends[same - 1] ?? 0;
  const parts: MeasuredPart[] = [];
  const ends: number[] = [];
  let before = last?.parts[from]?.before ?? last?.chars ?? 0;
  let isSame = true;
  for (let content = same; content < contents.length; content += 1) {
    const { role, parts: values = [] } = contents[content] ?? {};
    const origins = provenance[content] ?? [];
    for (let part = 0; part < values.length; part += 1) {
      const [value, origin] = [values[part], origins[part]];
      if (value === undefined || origin === undefined || role === undefined) continue;
      const chars = charsOf(value, origin);
      const next = { content, part, role, value, origin, chars, before };
      const known: MeasuredPart | undefined = isSame ? last?.parts[from + parts.length] : undefined;
      isSame = known !== undefined && isSamePart(known, next);
      parts.push(isSame && known !== undefined ? known : next);
      before += chars;
    }
    ends.push(from + parts.length);
  }
  const notes = parts.filter(({ origin }) => origin.rule === "note");
  return {
    parts: replacedFrom(last?.parts ?? [], from, parts),
    notes: [...(last?.notes ?? []).filter((note) => note.content < same), ...notes],
    ends: replacedFrom(last?.ends ?? [], same, ends),
    chars: before,
    contents,
    provenance,
  };
}

/** How many contents two renderings have in common from the first one on. */
function sameContents(
  last: LastMeasured,
  contents: Rendering["contents"],
  provenance: Rendering["provenance"],
): number {
  const most = Math.min(last.ends.length, contents.length);
  let at = 0;
  while (at < most && contents[at] === last.contents[at] && provenance[at] === last.provenance[at]) at += 1;
  return at;
}

/** Of the content that was added to, the parts that were there. */
function isSamePart(last: MeasuredPart, next: MeasuredPart): boolean {
  return (
    last.value === next.value &&
    last.origin === next.origin &&
    last.content === next.content &&
    last.part === next.part &&
    last.role === next.role
  );
}

/** The part at a place of the rendering; undefined where there is none. */
export function partAt(
  { parts, ends }: MeasuredPrompt,
  { content, part }: Pick<MeasuredPart, "content" | "part">,
): MeasuredPart | undefined {
  const found = parts[(ends[content - 1] ?? 0) + part];
  return found?.content === content && found.part === part ? found : undefined;
}

const known = new WeakMap<Part, number>();

function charsOf(part: Part, origin: Provenance): number {
  const found = known.get(part);
  if (found !== undefined) return found;
  const chars = sizeOf(part, origin);
  known.set(part, chars);
  return chars;
}

/** Bytes behind an address cost what they would cost without it. */
function sizeOf(part: Part, { holds }: Provenance): number {
  if ("fileData" in part) return holds ?? mediaChars;
  if ("inlineData" in part || "blobData" in part) return mediaChars;
  if (!("functionResponse" in part) || part.functionResponse.parts === undefined) return lengthOf(part);
  const { parts, ...text } = part.functionResponse;
  return lengthOf({ functionResponse: text }) + parts.length * mediaChars;
}

/** Characters per token, calibrated by what the provider counted for the last request. */
export function charsPerToken(last: CountedRequest | undefined): number {
  if (last === undefined || last.inputTokens <= 0 || last.chars <= 0) return defaultCharsPerToken;
  return Math.min(8, Math.max(1.5, last.chars / last.inputTokens));
}

/** Tokens of a prompt of so many characters: what was counted last, and what is new since. */
export function estimateTokens(chars: number, last: CountedRequest | undefined): number {
  const perToken = charsPerToken(last);
  if (last === undefined || last.inputTokens <= 0) return Math.ceil(chars / perToken);
  return Math.max(Math.ceil(chars / 8), Math.ceil(last.inputTokens + (chars - last.chars) / perToken));
}
