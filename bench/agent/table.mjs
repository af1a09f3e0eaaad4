/** @typedef {{ readonly name: string, readonly costs: readonly import("./measure.mjs").Cost[] }} Row */

/** Time and memory: the median of the rounds. @param {string} title @param {readonly Row[]} rows @returns {string} Markdown */
export function costTable(title, rows) {
  const cells = rows.map(({ name, costs }) => [
    name,
    `${number(median(costs.map(({ startMs }) => startMs)))} ms`,
    `${number(median(costs.map(({ wallMs }) => wallMs)))} ms`,
    `${number(median(costs.map(({ cpuMs }) => cpuMs)))} ms`,
    `${number(median(costs.map(({ peakMiB }) => peakMiB)))} MiB`,
    soundness(costs),
  ]);
  return tableOf(title, ["agent", "to the first request", "wall", "CPU", "peak memory", ""], cells);
}

/** What was sent. @param {string} title @param {readonly Row[]} rows @returns {string} Markdown */
export function sentTable(title, rows) {
  const cells = rows.map(({ name, costs }) => [
    name,
    number(median(costs.map(({ requests }) => requests))),
    number(median(costs.map(({ bytes }) => bytes))),
    number(median(costs.map(({ contents }) => contents))),
    soundness(costs),
  ]);
  return tableOf(title, ["agent", "requests", "bytes", "whole files in them", ""], cells);
}

/**
 * What a provider's cache found. @param {string} title
 * @param {readonly { readonly name: string, readonly cost: import("./cache.mjs").CacheCost }[]} rows @returns {string} Markdown
 */
export function cacheTable(title, rows) {
  const cells = rows.map(({ name, cost }) => [
    name,
    ...[cost.requests, cost.input].map(number),
    `${((100 * cost.cached) / cost.input).toFixed(1)} %`,
    ...[cost.input - cost.cached, cost.cost, cost.peak, cost.rereads, cost.summaries].map(number),
    soundness([cost]),
  ]);
  const heads = [
    "requests",
    "input tokens",
    "found",
    "not found",
    "cost",
    "peak",
    "read again",
    "summaries",
    "",
  ];
  return tableOf(title, ["agent", ...heads], cells);
}

/** @param {readonly { readonly flaws: readonly string[] }[]} costs */
function soundness(costs) {
  return costs.every(({ flaws }) => flaws.length === 0) ? "" : "*not sound*";
}

/** @param {string} title @param {readonly string[]} heads @param {readonly (readonly string[])[]} rows */
function tableOf(title, heads, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [`### ${title}\n`, line(heads), `|${heads.map(() => "---|").join("")}`, ...rows.map(line), ""].join(
    "\n",
  );
}

/** @param {readonly number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {number} value */
function number(value) {
  return Math.round(value).toLocaleString("en");
}
