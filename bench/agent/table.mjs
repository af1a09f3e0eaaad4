/** @typedef {{ readonly name: string, readonly costs: readonly import("./measure.mjs").Cost[] }} Row */

/**
 * CPU, memory and bytes: the median of the rounds.
 *
 * @param {string} title @param {readonly Row[]} rows @param {readonly (readonly [string, string])[]} missing who takes no part, and why
 * @returns {string} Markdown
 */
export function costTable(title, rows, missing) {
  const cells = rows.map(({ name, costs }) => {
    const middle = (/** @type {"cpuMs" | "peakMiB" | "bytes" | "firstBytes" | "startMs" | "wallMs"} */ key) =>
      number(median(costs.map((cost) => cost[key])));
    const least = number(Math.min(...costs.map(({ cpuMs }) => cpuMs)));
    return [
      ...[name, middle("cpuMs"), least, middle("peakMiB"), middle("bytes"), middle("firstBytes")],
      ...[middle("startMs"), middle("wallMs"), soundness(costs)],
    ];
  });
  const absent = missing.map(([name, reason]) => [name, `not to be had: ${reason}`]);
  const heads = "agent|CPU, ms|min|RSS, MiB|bytes in all|first request|to the first request, ms|wall, ms|";
  return tableOf(title, heads.split("|"), [...cells, ...absent]);
}

/**
 * What became of each fault in each agent, and the sums.
 *
 * @param {string} title
 * @param {readonly { readonly name: string, readonly runs: readonly { readonly who: string, readonly run: FaultRun | undefined }[] }[]} rows
 * @typedef {import("./fault-runs.mjs").FaultRun} FaultRun
 * @returns {string} Markdown
 */
export function faultTable(title, rows) {
  const said = (/** @type {FaultRun | undefined} */ run) => {
    if (run === undefined) return "";
    const mark = /dead|wrong/.test(run.outcome) ? "**" : "";
    return `${run.isKilled ? "killed, " : ""}${mark}${run.outcome}${mark}${run.malformed.length > 0 ? ", *not sound*" : ""}`;
  };
  const names = rows[0]?.runs.map(({ who }) => who) ?? [];
  const sums = ["finished", "next prompt", "dead end", "wrong file", "not met"].map((outcome) => [
    `*${outcome}*`,
    ...names.map((_, at) => String(rows.filter(({ runs }) => runs[at]?.run?.outcome === outcome).length)),
  ]);
  const isEasy = (/** @type {typeof rows[number]} */ { runs }) =>
    runs.every(({ run }) => said(run) === "finished");
  const easy = rows.filter(isEasy).map(({ name }) => name);
  const hard = rows
    .filter((row) => !isEasy(row))
    .map(({ name, runs }) => [name, ...runs.map(({ run }) => said(run))]);
  return `${tableOf(title, ["fault", ...names], [...hard, ...sums])}\nAll finished after: ${easy.join("; ")}.\n`;
}

/** @param {string} title @param {readonly { readonly name: string, readonly cost: import("./window.mjs").WindowCost }[]} rows @returns {string} Markdown */
export function windowTable(title, rows) {
  const cells = rows.map(({ name, cost }) => [
    name,
    cost.flaws.length === 0 ? "yes" : "**no**",
    ...[cost.pages, cost.requests, cost.refused, cost.summaries, cost.bytes, cost.peak].map(number),
  ]);
  const heads = "agent|finished|pages|requests|refused|summaries|bytes|peak, tokens";
  return tableOf(title, heads.split("|"), cells);
}

/** The first twenty turns but the first, and the last twenty. @param {string} title @param {import("./turns.mjs").TurnsCost} cost @returns {string} Markdown */
export function turnsTable(title, cost) {
  const { cpuMs, rssMiB, bodies, kept } = cost;
  const row = (/** @type {string} */ name, /** @type {number} */ from, /** @type {number} */ to) => [
    name,
    ...[median(cpuMs.slice(from, to)), median(rssMiB.slice(from, to))].map(number),
    number(median(bodies.slice(3 * from, 3 * to))),
  ];
  const turns = cpuMs.length;
  const table = tableOf(
    title,
    ["turns", "CPU a turn, ms", "RSS, MiB", "bytes of a request"],
    [row("2 to 20", 1, 20), row(`${turns - 19} to ${turns}`, turns - 20, turns)],
  );
  const sum = bodies.reduce((all, one) => all + one, 0);
  const share =
    kept.reduce((all, one, at) => all + one * (bodies[at] ?? 0), 0) / (sum - (bodies.at(-1) ?? 0));
  const whole = kept.filter((one) => one === 1).length;
  return `${table}\n${number(bodies.length)} requests, ${number(sum)} bytes: ${whole} of ${kept.length} begin with the whole former one, and ${(100 * share).toFixed(1)} % of the former's bytes are kept. ${soundness([cost])}\n`;
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
  const heads = "agent|requests|input tokens|found|not found|cost|peak|read again|summaries|";
  return tableOf(title, heads.split("|"), cells);
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
