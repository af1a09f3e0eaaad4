import { OwnPrompt } from "./own-prompt.mjs";
import { SeedFiles } from "./seed-files.mjs";

/**
 * What a policy does to a prompt. A new one is opened for every replay, so it may remember.
 *
 * @typedef {{ readonly name: string,
 *   readonly textOf?: (block: import("./session.mjs").Block) => string,
 *   readonly open?: () => import("./prompt.mjs").Prompt,
 *   readonly beforeRequest?: (prompt: import("./prompt.mjs").Prompt, idleMs: number, atMs: number) => void,
 *   readonly pricesRereads?: boolean }} Policy
 */

/**
 * @param {import("./own-prompt.mjs").Provider} [provider] whose rules and prices hold
 * @returns {readonly Policy[]} in the order of the table
 */
export function openPolicies(provider = "anthropic") {
  const files = new SeedFiles();
  return [
    { name: "raw" },
    { name: "seed-literal", textOf: (block) => files.replyOf(block) },
    ...[3, 5].flatMap((keep) => [
      apiClearing(`api-keep-${keep}`, keep, false),
      apiClearing(`api-keep-${keep}-rereads`, keep, true),
    ]),
    { name: "supersede-64k", beforeRequest: (prompt) => supersedeBatch(prompt, 65_536), pricesRereads: true },
    {
      name: "supersede-suffix",
      beforeRequest: (prompt, idleMs) => supersedeSuffix(prompt, idleMs, 8_000),
      pricesRereads: true,
    },
    holdfast(provider),
  ];
}

/** Ours. @param {import("./own-prompt.mjs").Provider} provider @returns {Policy} */
function holdfast(provider) {
  return {
    name: "holdfast",
    open: () => new OwnPrompt(provider),
    beforeRequest: (prompt, _, atMs) => {
      if (prompt instanceof OwnPrompt) prompt.prepare(atMs);
    },
    pricesRereads: true,
  };
}

/**
 * `clear_tool_uses` with its defaults: over 100,000 input tokens, the results of all but the last tool uses go. What
 * is cleared stays cleared, and there is no least amount.
 *
 * @param {string} name
 * @param {number} keep so many of the last tool uses
 * @param {boolean} pricesRereads
 * @param {number} triggerTokens
 * @returns {Policy}
 */
export function apiClearing(name, keep, pricesRereads, triggerTokens = 100_000) {
  return {
    name,
    pricesRereads,
    beforeRequest: (prompt) => {
      if (prompt.length / 4 <= triggerTokens) return;
      const results = prompt.shown.filter(({ block }) => block.role === "result");
      for (const one of results.slice(0, -keep))
        if (!one.isCleared) prompt.clear(one, "[Old tool result content cleared]");
    },
  };
}

/**
 * Replaces reads that a newer one has outdated, as soon as they come to so many bytes together.
 *
 * @param {import("./prompt.mjs").Prompt} prompt
 * @param {number} batchBytes
 */
export function supersedeBatch(prompt, batchBytes) {
  const outdated = outdatedReads(prompt);
  const bytes = outdated.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes >= batchBytes) for (const one of outdated) supersede(prompt, one);
}

const longIdleMs = 90 * 60_000;

/**
 * Replaces an outdated read where little stands behind it, or where the cache is cold after a long pause.
 *
 * @param {import("./prompt.mjs").Prompt} prompt
 * @param {number} idleMs since the last request, 0 where it is not known
 * @param {number} mostTokens behind it
 */
export function supersedeSuffix(prompt, idleMs, mostTokens) {
  const outdated = new Set(outdatedReads(prompt));
  let behind = 0;
  for (const one of prompt.shown.toReversed()) {
    if (idleMs < longIdleMs && behind / 4 > mostTokens) return;
    const { length } = one.text;
    if (outdated.has(one)) supersede(prompt, one);
    behind += length;
  }
}

/** @param {import("./prompt.mjs").Prompt} prompt @param {import("./prompt.mjs").Shown} one */
function supersede(prompt, one) {
  const path = one.block.use?.path ?? "";
  prompt.clear(one, `[Superseded by a newer read of ${path}]`, path);
}

/**
 * The reads behind which the same range, or the whole file, was read again.
 *
 * @param {import("./prompt.mjs").Prompt} prompt
 */
function outdatedReads(prompt) {
  const newer = new Set();
  return prompt.shown.toReversed().filter(({ block, isCleared }) => {
    const { use } = block;
    if (isCleared || block.role !== "result" || block.isError === true || use?.kind !== "read") return false;
    const key = JSON.stringify([use.path, use.range]);
    const isOutdated = newer.has(key) || newer.has(JSON.stringify([use.path, ""]));
    newer.add(key);
    return isOutdated;
  });
}
