import { createHash } from "node:crypto";
import { isRecord } from "./rules.js";
import type { PromptTokens } from "./wire.js";

/**
 * A provider's cache of prompts, as the providers document it, with nothing of our planner in it: it sees the requests
 * only, and knows them again by their hashes. A token is four letters, of whatever a request says.
 */
export class PrefixCache {
  readonly #kept = new Set<string>();

  /**
   * @param marked whether the cache ends where a block carries `cache_control`, and is looked for 20 blocks before each
   * (Anthropic); else all of a request is kept, in steps of 128 tokens from 1,024 on (OpenAI, Google).
   */
  constructor(private readonly marked: boolean) {}

  /** What of a request is known already; all of it is, from then on. */
  readonly count = (body: unknown): PromptTokens =>
    this.marked ? this.#byMarks(blocksOf(body)) : this.#bySteps(blocksOf(body));

  #byMarks(blocks: readonly Block[]): PromptTokens {
    const hash = createHash("sha256");
    const ends: { readonly key: string; readonly tokens: number }[] = [];
    let tokens = 0;
    for (const { text } of blocks) {
      hash.update(text).update("\0");
      tokens += tokensIn(text);
      ends.push({ key: hash.copy().digest("hex"), tokens });
    }
    const marks = blocks.flatMap(({ isMarked }, at) => (isMarked ? [at] : []));
    const seen = marks.flatMap((mark) => ends.slice(Math.max(0, mark - 20), mark + 1));
    const cached = seen.findLast(({ key }) => this.#kept.has(key))?.tokens ?? 0;
    const marked = ends[marks.at(-1) ?? -1]?.tokens ?? 0;
    for (const mark of marks) this.#kept.add(ends[mark]?.key ?? "");
    return { total: tokens, cached, written: Math.max(0, marked - cached) };
  }

  #bySteps(blocks: readonly Block[]): PromptTokens {
    const text = blocks.map((block) => block.text).join("\0");
    const hash = createHash("sha256");
    const step = 128 * 4;
    let cached = 0;
    for (let at = 0; at + step <= text.length; at += step) {
      const key = hash
        .update(text.slice(at, at + step))
        .copy()
        .digest("hex");
      const tokens = (at + step) / 4;
      if (tokens >= 1_024 && this.#kept.has(key)) cached = tokens;
      this.#kept.add(key);
    }
    return { total: tokensIn(text), cached, written: 0 };
  }
}

interface Block {
  readonly text: string;
  readonly isMarked: boolean;
}

/** What a cache goes by comes first in every API: tools, system text, then what was said. */
function blocksOf(body: unknown): readonly Block[] {
  if (!isRecord(body)) return [];
  const { tools, system, systemInstruction, instructions, messages, input, contents } = body;
  return [tools, system, systemInstruction, instructions, messages, input, contents].flatMap((of) =>
    blocks(of),
  );
}

function blocks(value: unknown): readonly Block[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((one) => blocks(one));
  if (isRecord(value)) {
    const { content, parts, role } = value;
    const inner = Array.isArray(parts) ? parts : content;
    if (Array.isArray(inner) && role !== undefined) return inner.map((one) => block(one, String(role)));
  }
  return [block(value, "")];
}

function block(value: unknown, role: string): Block {
  const isMarked = isRecord(value) && "cache_control" in value;
  return { text: `${role} ${[...wordsOf(value)].join(" ")}`, isMarked };
}

/** Names and texts; what only tells the cache its end is none of them. */
function* wordsOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* wordsOf(one);
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) {
      if (key === "cache_control") continue;
      yield key;
      yield* wordsOf(one);
    }
  else yield String(value);
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / 4);
}
