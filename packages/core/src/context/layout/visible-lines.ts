import type { ShownChars } from "../../conversation/index.js";
import { lineStarts } from "../../text/index.js";
import { itemsOf, type List } from "./list.js";

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
export class ShownBlock {
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
export function visibleLinesOf(blocks: List<ShownBlock>, from: number, to: number): VisibleLines | undefined {
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
