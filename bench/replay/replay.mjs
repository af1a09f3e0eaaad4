import { economy } from "../context/engine.mjs";
import { PrefixCache } from "./cache.mjs";
import { Prompt } from "./prompt.mjs";

/**
 * @typedef {{ readonly policy: string, readonly requests: number, readonly inputTokens: number, readonly cost: number,
 *   readonly peak: number, readonly forcedRereads: number, readonly regret: number, readonly dangling: number,
 *   readonly violations: number, readonly planMs: number, readonly renderMs: number }} Figures
 * tokens and units of cost are those of plain input; the times are of one request on average
 */

/** The prices of the table: as Anthropic takes them, with a cache of five minutes. */
export const usualRatios = { read: 0.1, write: 1.25, lifetimeMs: 5 * 60_000 };

/**
 * The prices of a provider, as the planner knows them.
 *
 * @param {import("./own-prompt.mjs").Provider} provider
 * @returns {{ readonly read: number, readonly write: number, readonly lifetimeMs: number }}
 */
export function ratiosOf(provider) {
  return economy.cacheRatiosOf(provider) ?? usualRatios;
}

/**
 * Sends a recorded session once more under a policy: a request before every answer of the model.
 *
 * @param {readonly import("./session.mjs").Block[]} blocks
 * @param {import("./policies.mjs").Policy} policy
 * @param {{ readonly read: number, readonly write: number, readonly lifetimeMs: number }} ratios
 * @param {(ms: number) => void} [onRequest] told how long planning and rendering took, request by request
 * @returns {Figures}
 */
export function replayUnder(blocks, policy, ratios = usualRatios, onRequest = () => {}) {
  const run = new Run(policy, ratios, onRequest);
  for (const [at, block] of blocks.entries()) {
    if (beginsAnswer(blocks, at)) run.answer(answerAt(blocks, at), lastTime(blocks, at));
    run.take(block);
  }
  return run.figures();
}

class Run {
  #forced = 0;
  #regret = 0;
  #dangling = 0;
  #violations = 0;
  #planMs = 0;
  #renderMs = 0;
  #lastMs = 0;

  /** @param {import("./policies.mjs").Policy} policy @param {typeof usualRatios} ratios @param {(ms: number) => void} onRequest */
  constructor(policy, ratios, onRequest) {
    this.onRequest = onRequest;
    this.policy = policy;
    this.prompt = policy.open?.() ?? new Prompt();
    this.cache = new PrefixCache(ratios);
  }

  /** @param {import("./session.mjs").Block} block */
  take(block) {
    if (block.role === "summary") return this.prompt.compact(block);
    const { use } = block;
    if (block.role === "call" && use !== undefined) {
      this.#regret += this.prompt.takeCleared(use.path);
    }
    this.prompt.add(block, this.policy.textOf?.(block) ?? block.text);
  }

  /** @param {readonly import("./session.mjs").Block[]} answer @param {number} atMs */
  answer(answer, atMs) {
    this.#send(atMs);
    const lost = this.prompt.textsNeeded(answer);
    this.#forced += lost.length;
    if (lost.length === 0 || this.policy.pricesRereads !== true) return;
    for (const block of lost) this.prompt.readAgain(block, this.#forced);
    this.#send(atMs);
  }

  /** @param {number} atMs */
  #send(atMs) {
    const idleMs = atMs > 0 && this.#lastMs > 0 ? atMs - this.#lastMs : 0;
    if (atMs > 0) this.#lastMs = atMs;
    const begun = performance.now();
    this.policy.beforeRequest?.(this.prompt, idleMs, atMs);
    const planned = performance.now();
    const texts = this.prompt.write();
    this.#planMs += planned - begun;
    const rendered = performance.now();
    this.#renderMs += rendered - planned;
    this.onRequest(rendered - begun);
    this.cache.send(texts, atMs);
    this.#dangling += this.prompt.countDangling();
    this.#violations += this.prompt.countViolations();
  }

  /** @returns {Figures} */
  figures() {
    const { requests, inputTokens, cost, peak } = this.cache;
    const per = Math.max(1, requests);
    return {
      policy: this.policy.name,
      requests,
      inputTokens: Math.round(inputTokens),
      cost: Math.round(cost),
      peak: Math.round(peak),
      forcedRereads: this.#forced,
      regret: Math.round(this.#regret),
      dangling: this.#dangling,
      violations: this.#violations,
      planMs: this.#planMs / per,
      renderMs: this.#renderMs / per,
    };
  }
}

/**
 * Whether the model begins to answer here. Calls of one answer may have their results between them: they bear the
 * same step.
 *
 * @param {readonly import("./session.mjs").Block[]} blocks @param {number} at
 */
function beginsAnswer(blocks, at) {
  const block = blocks[at];
  if (block === undefined || !isOfModel(block)) return false;
  const before = blocks[at - 1];
  if (before !== undefined && isOfModel(before)) return block.step !== before.step;
  const last = blocks.slice(0, at).findLast(isOfModel);
  return block.step === undefined || block.step !== last?.step;
}

/** @param {readonly import("./session.mjs").Block[]} blocks @param {number} at */
function answerAt(blocks, at) {
  const end = blocks.findIndex(
    (block, index) => index > at && (!isOfModel(block) || beginsAnswer(blocks, index)),
  );
  return blocks.slice(at, end < 0 ? undefined : end);
}

/** The time of what stood last in the prompt: the request follows at once. @param {readonly import("./session.mjs").Block[]} blocks @param {number} at */
function lastTime(blocks, at) {
  return blocks[at - 1]?.atMs ?? 0;
}

/** @param {import("./session.mjs").Block} block */
function isOfModel({ role }) {
  return role === "model" || role === "call";
}
