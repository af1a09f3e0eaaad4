import type { ReferredLines, ShownChars, ShownText } from "../../conversation/values/index.js";
import { joinSpans, type LinePart, outsideSpans, PersistentMap } from "../../files/seen/index.js";
import { defined, lineStarts } from "../../text/index.js";

/** The lines of one state of one file that stand in a prompt. */
export interface VisibleState {
  readonly path: string;
  readonly sha256: string;
  /** Where the caller insisted on one. */
  readonly encoding?: string;
  /** Sorted, merged, apart by at least one line. None where the file is empty. */
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  /** Parts of lines that do not stand there whole; parts that together make up a line count as the line. */
  readonly parts: readonly LinePart[];
  /** In the order in which they stand there. */
  readonly places: readonly ShownPlace[];
}

/** Whole lines of one state that stand in a prompt one below the other, word for word. */
export interface VisibleBlock {
  readonly path: string;
  readonly sha256: string;
  readonly encoding?: string;
  /** 1-based, both included. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Of the node that shows them. */
  readonly nodeId: string;
}

/**
 * Which lines of which state of which file a model sees in one prompt. Computed from what is rendered,
 * never remembered: nothing that was hidden, cleared or left behind is in it.
 */
export class Visibility {
  readonly #seen: SeenStates;

  constructor(seen: SeenStates) {
    this.#seen = seen;
  }

  /**
   * Whether all of these lines stand in the prompt, in this very state. An empty range (`to` below `from`)
   * is there wherever anything of the state is. Lines of another encoding are other lines. Fits `IsVisible`
   * of the file tools.
   */
  readonly isVisible = (asked: ReferredLines): boolean => {
    const seen = this.#seen.states.get(keyOf(asked));
    if (seen === undefined) return false;
    if (asked.to < asked.from) return true;
    return seen.lines.some(({ from, to }) => from <= asked.from && asked.to <= to);
  };

  /** One state of one file, or undefined if no line of it stands there. */
  state(path: string, sha256: string, encoding?: string): VisibleState | undefined {
    const seen = this.#seen.states.get(keyOf({ path, sha256, encoding }));
    return seen && publish(seen);
  }

  /**
   * The text of a file's lines that stand there themselves, of whatever state, in the order in which the states came;
   * lines for which a reference stands, and those of a file behind an address, are in none.
   */
  blocks(path: string): readonly VisibleBlock[] {
    const { states, byPath } = this.#seen;
    return itemsOf(byPath.get(path)).flatMap((key) => {
      const { sha256, encoding, blocks } = states.get(key) ?? {};
      if (sha256 === undefined) return [];
      const state = { path, sha256, ...defined({ encoding }) };
      return itemsOf(blocks).map(({ place: { from, to }, text, nodeId }) => ({
        ...state,
        from,
        to,
        text,
        nodeId,
      }));
    });
  }

  /** Everything, sorted by path, hash and encoding; costs what it returns. */
  states(): readonly VisibleState[] {
    const all = [...this.#seen.states.values()].map(publish);
    return all.sort(
      (a, b) =>
        compare(a.path, b.path) || compare(a.sha256, b.sha256) || compare(a.encoding ?? "", b.encoding ?? ""),
    );
  }
}

/** All states that a prompt shows lines of; grows by sharing. */
export interface SeenStates {
  readonly states: PersistentMap<SeenLines>;
  /** Their keys, by the file, in the order in which they came. */
  readonly byPath: PersistentMap<List<string>>;
}

/** What an empty prompt shows. */
export const nothingSeen: SeenStates = { states: PersistentMap.empty(), byPath: PersistentMap.empty() };

/** What has been shown so far of one state; grows by sharing. */
interface SeenLines extends StateKey {
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  /** In the order of their lines; those of a line joined where they meet. */
  readonly parts: readonly LinePart[];
  readonly places: List<ShownPlace>;
  /** Those that hold whole lines as text under the name of this very state. */
  readonly blocks: List<ShownBlock>;
}

interface StateKey {
  readonly path: string;
  readonly sha256: string;
  readonly encoding?: string | undefined;
}

/** Where lines of a state stand whole under its own name; undefined where one of them does not. */
export function visibleLinesIn({ states }: SeenStates, asked: ReferredLines): VisibleLines | undefined {
  const seen = states.get(keyOf(asked));
  return seen === undefined || asked.to < asked.from
    ? undefined
    : visibleLinesOf(seen.blocks, asked.from, asked.to);
}

/**
 * Adds what one part shows.
 *
 * @param within the text in which the place stands, and its node, where the lines stand there under the name of this state.
 */
export function see(
  { states, byPath }: SeenStates,
  { path, sha256, encoding }: Pick<ShownText, "path" | "sha256" | "encoding">,
  place: ShownPlace,
  within?: { readonly field: string | undefined; readonly nodeId: string },
): SeenStates {
  const key = keyOf({ path, sha256, encoding });
  const before = states.get(key);
  const places = put(before?.places, place);
  const [lines, parts] = [before?.lines ?? [], before?.parts ?? []];
  const { chars } = place;
  const isBlock = within?.field !== undefined && chars === undefined && place.from <= place.to;
  const blocks = isBlock
    ? put(before?.blocks, new ShownBlock(place, within.field, within.nodeId))
    : before?.blocks;
  const next =
    chars === undefined
      ? { lines: merged(lines, place), parts }
      : withPart(lines, parts, { line: place.from, ...chars });
  return {
    states: states.set(key, { path, sha256, encoding, ...next, places, blocks }),
    byPath: before === undefined ? byPath.set(path, put(byPath.get(path), key)) : byPath,
  };
}

function keyOf({ path, sha256, encoding }: StateKey): string {
  return encoding === undefined ? `${sha256}\0${path}` : `${sha256}\0${path}\0${encoding}`;
}

function merged(
  lines: SeenLines["lines"],
  { from, to }: { readonly from: number; readonly to: number },
): SeenLines["lines"] {
  if (to < from) return lines;
  const before = lines.filter((one) => one.to < from - 1);
  const after = lines.filter((one) => one.from > to + 1);
  const touched = lines.slice(before.length, lines.length - after.length);
  const joined = {
    from: Math.min(from, ...touched.map((one) => one.from)),
    to: Math.max(to, ...touched.map((one) => one.to)),
  };
  return [...before, joined, ...after];
}

/** Of one line only parts of the same length belong together; all of it together is the line. */
function withPart(
  lines: SeenLines["lines"],
  parts: SeenLines["parts"],
  added: LinePart,
): Pick<SeenLines, "lines" | "parts"> {
  const { line, of } = added;
  const others = parts.filter((part) => part.line !== line || part.of !== of);
  const spans = parts.filter((part) => part.line === line && part.of === of).map(asSpan);
  const joined = joinSpans([...spans, asSpan(added)]);
  if (outsideSpans({ from: 1, to: of }, joined).length === 0)
    return { lines: merged(lines, { from: line, to: line }), parts: others };
  const own = joined.map(({ from, to }): LinePart => ({ line, from: from - 1, to, of }));
  const all = [...others, ...own].sort((a, b) => a.line - b.line || a.of - b.of || a.from - b.from);
  return { lines, parts: all };
}

/** Characters as a span: the first has the number 1. */
function asSpan({ from, to }: LinePart) {
  return { from: from + 1, to };
}

function publish({ path, sha256, encoding, lines, parts, places }: SeenLines): VisibleState {
  const named = defined({ encoding });
  const open = parts.filter(({ line }) => !lines.some(({ from, to }) => from <= line && line <= to));
  return { path, sha256, ...named, lines, parts: open, places: itemsOf(places) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Lines that stand in a prompt, and where. */
export interface ShownPlace {
  /** 1-based, both included; `to` is `from - 1` where an empty file is shown. */
  readonly from: number;
  readonly to: number;
  /** Index of the content, and of the part in it. */
  readonly content: number;
  readonly part: number;
  /** What of the part holds them; of `fileData`, the bytes behind the address. */
  readonly field: "text" | "output" | "error" | "fileData";
  /** UTF-16 offsets into the field; 0 and 0 for `fileData`. */
  readonly start: number;
  readonly end: number;
  /** Set where it is a part of the line only. */
  readonly chars?: ShownChars;
}

/** A place of whole lines together with the text that it stands in, so that some of the lines can be found in it. */
class ShownBlock {
  #starts: Uint32Array | undefined | null = null;

  /** @param field all of the text in which the place stands. */
  constructor(
    readonly place: ShownPlace,
    private readonly field: string,
    readonly nodeId: string,
  ) {}

  /** Its lines to the letter. */
  get text(): string {
    return this.field.slice(this.place.start, this.place.end);
  }

  /**
   * Some of its lines as a place of their own; the terminator of the last one is included where it is there.
   *
   * @returns undefined where it cannot be said where a line begins.
   */
  placeOf(from: number, to: number): ShownPlace | undefined {
    const { place } = this;
    if (from === place.from && to === place.to) return place;
    if (this.#starts === null) this.#starts = lineStarts(this.text, place.to - place.from + 1);
    const [first, last] = [this.#starts?.[from - place.from], this.#starts?.[to + 1 - place.from]];
    if (first === undefined || last === undefined) return undefined;
    return { ...place, from, to, start: place.start + first, end: place.start + last };
  }

  /** The text of a place that `placeOf` gave. */
  textOf({ start, end }: ShownPlace): string {
    return this.field.slice(start, end);
  }
}

/** Lines as they stand: their places in the order of the lines, and their text. */
export interface VisibleLines {
  readonly places: readonly ShownPlace[];
  readonly text: string;
}

/** Where lines stand whole, in one block or in several that meet; undefined where one of them does not. */
function visibleLinesOf(blocks: List<ShownBlock>, from: number, to: number): VisibleLines | undefined {
  const touching = itemsOf(blocks)
    .filter(({ place }) => place.from <= to && from <= place.to)
    .sort((one, other) => one.place.from - other.place.from || other.place.to - one.place.to);
  const places: ShownPlace[] = [];
  let text = "";
  let next = from;
  for (let at = 0; next <= to; ) {
    let best: ShownBlock | undefined;
    for (; (touching[at]?.place.from ?? Number.POSITIVE_INFINITY) <= next; at += 1) {
      const block = touching[at];
      if (block !== undefined && block.place.to >= (best?.place.to ?? next)) best = block;
    }
    const place = best?.placeOf(next, Math.min(to, best.place.to));
    if (best === undefined || place === undefined) return undefined;
    places.push(place);
    text += best.textOf(place);
    next = place.to + 1;
  }
  return { places, text };
}

/** An immutable list to which is added at the end; its versions share what they have in common. */
export type List<Item> = Cell<Item> | undefined;

/** A cell of a persistent list: the newest item and all before it, which are shared. */
interface Cell<Item> {
  readonly item: Item;
  /** What was put before. */
  readonly before: List<Item>;
  readonly size: number;
}

/** The list with one item more, in constant time; the given list stays as it is. */
export function put<Item>(list: List<Item>, item: Item): Cell<Item> {
  return { item, before: list, size: sizeOf(list) + 1 };
}

/** How many items a list has. */
export function sizeOf<Item>(list: List<Item>): number {
  return list?.size ?? 0;
}

/** In the order in which they were put, those after the first `skip`. */
export function itemsOf<Item>(list: List<Item>, skip = 0): Item[] {
  const items = new Array<Item>(sizeOf(list) - skip);
  for (let cell = list; cell !== undefined && cell.size > skip; cell = cell.before)
    items[cell.size - skip - 1] = cell.item;
  return items;
}

/** The providers whose rules are known here. Others are rendered to, and checked by none. */
export type Provider = "google" | "anthropic" | "openai";

/** What rendering has to know of a provider. */
interface ProviderFacts {
  /** Whether a thought is void once any byte before it has changed. */
  readonly bindsThinking: boolean;
}

const facts: Readonly<Record<Provider, ProviderFacts>> = {
  google: { bindsThinking: false },
  anthropic: { bindsThinking: true },
  openai: { bindsThinking: false },
};

/** The providers whose form a prompt can take. */
export const providers: readonly Provider[] = ["google", "anthropic", "openai"];

/** Whether this is the name of a provider that rendering knows. */
export function isProvider(name: string): name is Provider {
  return Object.hasOwn(facts, name);
}

/** What is known of a provider; undefined for others. */
export function providerFacts(name: string): ProviderFacts | undefined {
  return isProvider(name) ? facts[name] : undefined;
}
