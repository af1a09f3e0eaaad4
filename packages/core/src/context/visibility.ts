import type { ReferredLines, ShownChars, ShownText } from "../conversation/index.js";
import { joinSpans, type LinePart, outsideSpans, type PersistentMap } from "../files/index.js";
import { defined } from "../text/index.js";
import { itemsOf, type List, put } from "./list.js";

/** Lines that stand in a prompt, and where. */
export interface ShownPosition {
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
  readonly positions: readonly ShownPosition[];
}

/**
 * Which lines of which state of which file a model sees in one prompt. Computed from what is rendered,
 * never remembered: nothing that was hidden, cleared or left behind is in it.
 */
export class Visibility {
  readonly #states: PersistentMap<SeenLines>;

  constructor(states: PersistentMap<SeenLines>) {
    this.#states = states;
  }

  /**
   * Whether all of these lines stand in the prompt, in this very state. An empty range (`to` below `from`)
   * is there wherever anything of the state is. Lines of another encoding are other lines. Fits `IsVisible`
   * of the file tools.
   */
  readonly isVisible = (asked: ReferredLines): boolean => {
    const seen = this.#states.get(keyOf(asked));
    if (seen === undefined) return false;
    if (asked.to < asked.from) return true;
    return seen.lines.some(({ from, to }) => from <= asked.from && asked.to <= to);
  };

  /** One state of one file, or undefined if no line of it stands there. */
  state(path: string, sha256: string, encoding?: string): VisibleState | undefined {
    const seen = this.#states.get(keyOf({ path, sha256, encoding }));
    return seen && publish(seen);
  }

  /** Everything, sorted by path, hash and encoding; costs what it returns. */
  states(): readonly VisibleState[] {
    const all = [...this.#states.values()].map(publish);
    return all.sort(
      (a, b) =>
        compare(a.path, b.path) || compare(a.sha256, b.sha256) || compare(a.encoding ?? "", b.encoding ?? ""),
    );
  }
}

/** What has been shown so far of one state; grows by sharing. */
export interface SeenLines extends StateKey {
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  /** In the order of their lines; those of a line joined where they meet. */
  readonly parts: readonly LinePart[];
  readonly positions: List<ShownPosition>;
}

interface StateKey {
  readonly path: string;
  readonly sha256: string;
  readonly encoding?: string | undefined;
}

/** Adds what one part shows. */
export function see(
  states: PersistentMap<SeenLines>,
  { path, sha256, encoding }: Pick<ShownText, "path" | "sha256" | "encoding">,
  place: ShownPosition,
): PersistentMap<SeenLines> {
  const key = keyOf({ path, sha256, encoding });
  const before = states.get(key);
  const places = put(before?.positions, place);
  const [lines, parts] = [before?.lines ?? [], before?.parts ?? []];
  const { chars } = place;
  const next =
    chars === undefined
      ? { lines: merged(lines, place), parts }
      : withPart(lines, parts, { line: place.from, ...chars });
  return states.set(key, { path, sha256, encoding, ...next, positions: places });
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

function publish({ path, sha256, encoding, lines, parts, positions }: SeenLines): VisibleState {
  const named = defined({ encoding });
  const open = parts.filter(({ line }) => !lines.some(({ from, to }) => from <= line && line <= to));
  return { path, sha256, ...named, lines, parts: open, positions: itemsOf(positions) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
