import { countIn, isObject, textIn } from "../../text/index.js";

/** What the thought of an answer of Chat Completions is given back by, as a part of its signature. */
export interface ChatThought {
  /** It stood in the text, between `<think>` and `</think>`, and goes back there. */
  readonly inText?: true;
  /** OpenRouter's `reasoning_details`, with the signatures of the provider behind it: they go back as they came. */
  readonly details?: readonly unknown[];
}

/** Takes a thought out of a text that begins with one in tags, piece by piece, as servers of open models send it. */
export class ThinkTags {
  /** The tag that was found, such as `think`. */
  tag = "";
  #state: "before" | "inside" | "behind" | "text" = "before";
  #kept = "";

  /** @returns what of the text until now is one or the other; what may yet be a tag is kept. */
  take(piece: string): { readonly thought: string; readonly text: string } {
    this.#kept += piece;
    let thought = "";
    if (this.#state === "before") this.#begin();
    if (this.#state === "inside") {
      const end = `</${this.tag}>`;
      const at = this.#kept.indexOf(end);
      const until = at < 0 ? this.#kept.length - overlap(this.#kept, end) : at;
      thought = this.#kept.slice(0, until);
      this.#kept = this.#kept.slice(at < 0 ? until : at + end.length);
      if (at >= 0) this.#state = "behind";
    }
    if (this.#state === "behind") {
      this.#kept = this.#kept.trimStart();
      if (this.#kept !== "") this.#state = "text";
    }
    return { thought, text: this.#state === "text" ? this.end() : "" };
  }

  #begin(): void {
    const begun = this.#kept.trimStart();
    const [whole, tag] = /^<(think(?:ing)?)>\s*/u.exec(begun) ?? [];
    if (tag !== undefined && whole !== undefined) {
      [this.tag, this.#state, this.#kept] = [tag, "inside", begun.slice(whole.length)];
    } else if (!"<thinking>".startsWith(begun) && !"<think>".startsWith(begun)) this.#state = "text";
  }

  /** What is left where the answer ends. */
  end(): string {
    const rest = this.#kept;
    this.#kept = "";
    return rest;
  }

  /** Whether the tag is still open. */
  get isInside(): boolean {
    return this.#state === "inside";
  }
}

/** How much of the end of a text may be the beginning of another one. */
function overlap(text: string, of: string): number {
  let most = Math.min(text.length, of.length - 1);
  while (most > 0 && !of.startsWith(text.slice(text.length - most))) most -= 1;
  return most;
}

const spoken = ["text", "summary", "data"];

/** Joins the pieces of `reasoning_details`: each names its place and its type. */
export class ReasoningDetails {
  readonly #parts = new Map<string, Record<string, unknown>>();

  /** @returns what of them is for a person. */
  take(pieces: readonly unknown[]): string {
    let words = "";
    for (const piece of pieces) {
      if (!isObject(piece)) continue;
      words += textIn(piece, "text") ?? textIn(piece, "summary") ?? "";
      const key = `${textIn(piece, "type") ?? ""} ${countIn(piece, "index") ?? this.#parts.size}`;
      const joined = this.#parts.get(key) ?? {};
      for (const [name, value] of Object.entries(piece)) {
        const before = joined[name];
        if (value === null && before !== undefined) continue;
        const isMore = spoken.includes(name) && typeof before === "string" && typeof value === "string";
        joined[name] = isMore ? before + value : value;
      }
      this.#parts.set(key, joined);
    }
    return words;
  }

  /** All of them; undefined where there are none. */
  get all(): readonly unknown[] | undefined {
    return this.#parts.size === 0 ? undefined : [...this.#parts.values()];
  }
}
