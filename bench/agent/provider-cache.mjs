import { createHash } from "node:crypto";

/**
 * A provider's cache of prompts as the provider documents it. It knows the requests only, and nothing of who sends them.
 * A token is four bytes of JSON, for all alike. Nothing of it grows old: a script is quicker than five minutes.
 *
 * @typedef {object} Counted
 * @property {number} total tokens of a prompt
 * @property {number} cached of them, those that were found
 * @property {number} written of them, those that are kept for the next request at a price
 * @property {number} cost in tokens of plain input
 */

const tokensOf = (/** @type {string} */ text) => Buffer.byteLength(text) / 4;

/** Shorter beginnings are not kept: Claude Sonnet 4.5, Gemini 2.5 Pro. */
const least = { anthropic: 1_024, gemini: 4_096 };

/** Tokens that a prompt may have with Claude Sonnet 4.5; Gemini 2.5 Pro takes a million, which no session here has. */
const windowTokens = 200_000;

/** What the API says no to, in its own words. */
export class PromptTooLong extends Error {
  /** @param {number} tokens */
  constructor(tokens) {
    super(`prompt is too long: ${tokens} tokens > ${windowTokens} maximum`);
  }
}

/**
 * Anthropic: tools, system text and messages are kept up to blocks with `cache_control`. From each of them the API looks
 * at 20 blocks, itself the first, for one at which an earlier request ended. A prompt that the window does not hold is
 * refused.
 *
 * @returns {(request: any) => Counted}
 */
export function anthropicCache() {
  /** @type {Set<string>} */
  const kept = new Set();
  return (request) => {
    const blocks = blocksOf(request);
    const hash = createHash("sha256").update(String(request.model));
    let tokens = 0;
    const ends = blocks.map(({ text }) => {
      tokens += tokensOf(text);
      return { key: hash.update(text).update("\0").copy().digest("hex"), tokens };
    });
    if (tokens > windowTokens) throw new PromptTooLong(Math.round(tokens));
    const marks = blocks.flatMap(({ ttl }, at) => (ttl === undefined ? [] : [{ at, ttl }]));
    const seen = marks.flatMap(({ at }) => ends.slice(Math.max(0, at - 19), at + 1));
    const cached = Math.max(0, ...seen.filter(({ key }) => kept.has(key)).map((end) => end.tokens));
    let upTo = cached;
    let paid = 0;
    for (const { at, ttl } of marks) {
      const end = ends[at];
      if (end === undefined || end.tokens < least.anthropic) continue;
      kept.add(end.key);
      if (end.tokens > upTo) paid += (end.tokens - upTo) * (ttl === "1h" ? 2 : 1.25);
      upTo = Math.max(upTo, end.tokens);
    }
    const cost = 0.1 * cached + paid + (tokens - upTo);
    const [found, end] = [Math.round(cached), Math.round(upTo)];
    return { total: Math.max(end, Math.round(tokens)), cached: found, written: end - found, cost };
  };
}

/** What of a block says where the cache ends is no part of what it says. @param {any} request */
function blocksOf({ tools = [], system = [], messages = [] }) {
  const inner = messages.flatMap((/** @type {any} */ { role, content }) =>
    listOf(content).map((part) => ({ role, part })),
  );
  const all = [...tools, ...listOf(system).filter(isPrompt), ...inner];
  return all.map((one) => {
    const { cache_control: mark, ...said } = one.part ?? one;
    const ttl = mark === undefined ? undefined : (mark.ttl ?? "5m");
    return { ttl, text: JSON.stringify({ ...said, role: one.role }) };
  });
}

/**
 * A line for the accounts, with the version in it, stands at the head of Claude Code's system text: no part of the prompt,
 * so it is left out. In runs of 2.1.330 that were looked at it was the same in each request. @param {any} block
 */
function isPrompt({ text = "" }) {
  return !text.startsWith("x-anthropic-billing-header");
}

/** A text alone is one block. @param {any} content @returns {readonly any[]} */
function listOf(content) {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** In steps of so many bytes; the provider does not say in which. */
const step = 512;

/**
 * Gemini: whatever a request begins with as an earlier one did is found, from a least length on. Keeping costs nothing.
 *
 * @returns {(request: any) => Counted}
 */
export function geminiCache() {
  /** @type {Set<string>} */
  const kept = new Set();
  return ({ systemInstruction = null, tools = [], contents = [] }) => {
    const bytes = Buffer.from(
      [systemInstruction, tools, ...contents].map((one) => JSON.stringify(one)).join("\n"),
    );
    const hash = createHash("sha256");
    let found = 0;
    for (let at = 0; at + step <= bytes.length; at += step) {
      const key = hash
        .update(bytes.subarray(at, at + step))
        .copy()
        .digest("hex");
      if (kept.has(key)) found = (at + step) / 4;
      kept.add(key);
    }
    const total = Math.round(bytes.length / 4);
    const cached = found < least.gemini ? 0 : found;
    return { total, cached, written: 0, cost: 0.1 * cached + (total - cached) };
  };
}
