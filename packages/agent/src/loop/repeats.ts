import type { EndedCall } from "./turn.js";

/** What is to be done about calls that fail in the same way again and again. */
export interface RepeatLimits {
  /** The model is told after so many; 2 unless given. */
  readonly tellAfter?: number;
  /** The turn ends after so many; 5 unless given. */
  readonly endAfter?: number;
}

/** What a failing call means: nothing yet, a word to the model, or the end of the turn. */
type RepeatVerdict = { readonly kind: "fine" | "ended" } | { readonly kind: "told"; readonly text: string };

/** Counts calls of one turn that fail in the same way: same tool, same arguments, same code. */
export class Repeats {
  readonly #failures = new Map<string, number>();
  readonly #limits: Required<RepeatLimits>;

  constructor({ tellAfter = 2, endAfter = 5 }: RepeatLimits = {}) {
    this.#limits = { tellAfter, endAfter };
  }

  /** @param args as the model gave them. */
  after({ name, code, isError }: EndedCall, args: unknown): RepeatVerdict {
    const key = JSON.stringify([name, canonical(args)]);
    if (!isError) {
      this.#failures.delete(key);
      return { kind: "fine" };
    }
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    if (count >= this.#limits.endAfter) return { kind: "ended" };
    if (count < this.#limits.tellAfter) return { kind: "fine" };
    const text =
      `This call of ${name} failed ${count} times in the same way (${code}). The same call will fail again: ` +
      "look at what the answer says, change the call, or say what keeps you from going on.";
    return { kind: "told", text };
  }
}

/** The same value with the keys of its objects in order: models write them in any. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, of]) => [key, canonical(of)]));
}
