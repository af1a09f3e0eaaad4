/** Characters per token: an estimate, the same for all policies. */
export const charsPerToken = 4;

/**
 * A provider's prefix cache, priced: what stands in the same place as in the request before costs the price of
 * reading, all else the price of writing. Nothing of a request is found once `lifetimeMs` have passed since the
 * last one; records without a time count as without a pause.
 */
export class PrefixCache {
  /** @type {readonly string[]} */
  #last = [];
  #lastMs = 0;

  /** @param {{ readonly read: number, readonly write: number, readonly lifetimeMs: number }} ratios */
  constructor(ratios) {
    this.ratios = ratios;
    this.requests = 0;
    this.inputTokens = 0;
    this.cost = 0;
    this.peak = 0;
  }

  /**
   * Prices one request.
   *
   * @param {readonly string[]} texts the request, block by block
   * @param {number} atMs 0 where it is not known
   */
  send(texts, atMs) {
    const isCold = this.#lastMs > 0 && atMs > 0 && atMs - this.#lastMs > this.ratios.lifetimeMs;
    let same = true;
    let cached = 0;
    let all = 0;
    for (const [at, text] of texts.entries()) {
      same = same && !isCold && text === this.#last[at];
      all += text.length;
      if (same) cached += text.length;
    }
    this.requests += 1;
    this.inputTokens += all / charsPerToken;
    this.cost += (this.ratios.read * cached + this.ratios.write * (all - cached)) / charsPerToken;
    this.peak = Math.max(this.peak, all / charsPerToken);
    this.#last = texts;
    if (atMs > 0) this.#lastMs = atMs;
  }
}
