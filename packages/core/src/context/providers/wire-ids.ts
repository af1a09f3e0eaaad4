import { type JsonObject, mapTexts } from "../../conversation/values/index.js";

/**
 * Ids as a provider takes them: letters, digits, `_` and `-`, 64 at most unless told. The same id always becomes the
 * same; different ids stay different; what comes later changes nothing.
 */
export class WireIds {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** By stem: the numbers below this one are taken. */
  readonly #next = new Map<string, number>();

  /** @param mostLetters of an id; Chat Completions takes 40, all others 64. */
  constructor(private readonly mostLetters = mostLettersOfAll) {}

  of(id: string): string {
    const known = this.#given.get(id);
    if (known !== undefined) return known;
    const stem = id === "" ? "call" : tidy(id, this.mostLetters);
    let free = stem;
    let number = this.#next.get(stem) ?? 2;
    for (; this.#taken.has(free); number += 1) {
      const suffix = `-${number}`;
      free = stem.slice(0, this.mostLetters - suffix.length) + suffix;
    }
    this.#next.set(stem, number);
    this.#given.set(id, free);
    this.#taken.add(free);
    return free;
  }
}

const mostLettersOfAll = 64;

/** A name that every provider takes: it begins with a letter or `_`. */
export function wireName(name: string): string {
  return tidy(/^[a-zA-Z_]/.test(name) ? name : `_${name}`);
}

function tidy(name: string, mostLetters = mostLettersOfAll): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, mostLetters);
}

/** What the wire forms let through: what is sent has to be UTF-8. */
export function wireText(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Arguments as `wireText` lets them through, names and values. */
export function wireArgs(args: JsonObject): JsonObject {
  return JSON.stringify(args).includes("\\ud") ? mapTexts(args, wireText, wireText) : args;
}
