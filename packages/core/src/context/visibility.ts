import type { PersistentMap, ShownText } from "../conversation/index.js";
import { itemsOf, type List, put } from "./list.js";

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
}

/** The lines of one state of one file that stand in a prompt. */
export interface VisibleState {
  readonly path: string;
  readonly sha256: string;
  /** Sorted, merged, apart by at least one line. None where the file is empty. */
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  /** In the order in which they stand there. */
  readonly places: readonly ShownPlace[];
}

/**
 * Which lines of which state of which file a model sees in one prompt. Computed from what is rendered,
 * never remembered: nothing that was hidden, cleared or left behind is in it.
 */
export class Visibility {
  readonly #states: PersistentMap<Seen>;

  constructor(states: PersistentMap<Seen>) {
    this.#states = states;
  }

  /**
   * Whether all of these lines stand in the prompt, in this very state. An empty range (`to` below `from`)
   * is there wherever anything of the state is. Fits `IsVisible` of the file tools.
   */
  readonly isVisible = (asked: {
    readonly path: string;
    readonly sha256: string;
    readonly from: number;
    readonly to: number;
  }): boolean => {
    const seen = this.#states.get(keyOf(asked));
    if (seen === undefined) return false;
    if (asked.to < asked.from) return true;
    return seen.lines.some(({ from, to }) => from <= asked.from && asked.to <= to);
  };

  /** One state of one file, or undefined if no line of it stands there. */
  state(path: string, sha256: string): VisibleState | undefined {
    const seen = this.#states.get(keyOf({ path, sha256 }));
    return seen && publish(seen);
  }

  /** Everything, sorted by path, then by hash; costs what it returns. */
  states(): readonly VisibleState[] {
    const all = [...this.#states.values()].map(publish);
    return all.sort((a, b) => compare(a.path, b.path) || compare(a.sha256, b.sha256));
  }
}

/** What has been shown so far of one state; grows by sharing. */
export interface Seen {
  readonly path: string;
  readonly sha256: string;
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  readonly places: List<ShownPlace>;
}

/** Adds what one part shows. */
export function see(
  states: PersistentMap<Seen>,
  { path, sha256 }: Pick<ShownText, "path" | "sha256">,
  place: ShownPlace,
): PersistentMap<Seen> {
  const key = keyOf({ path, sha256 });
  const before = states.get(key);
  const lines = merged(before?.lines ?? [], place);
  return states.set(key, { path, sha256, lines, places: put(before?.places, place) });
}

function keyOf({ path, sha256 }: { readonly path: string; readonly sha256: string }): string {
  return `${sha256}\0${path}`;
}

function merged(
  lines: Seen["lines"],
  { from, to }: { readonly from: number; readonly to: number },
): Seen["lines"] {
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

function publish({ path, sha256, lines, places }: Seen): VisibleState {
  return { path, sha256, lines, places: itemsOf(places) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
