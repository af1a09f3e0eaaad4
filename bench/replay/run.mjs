import { basename } from "node:path";
import { optionsOf } from "../page.mjs";
import { openPolicies } from "./policies.mjs";
import { ratiosOf, replayUnder } from "./replay.mjs";
import { formats, readSession } from "./session.mjs";
import { sets, syntheticSession } from "./synthetic.mjs";

/**
 * `npm run bench:replay -- --session FILE --format pi|claude|codex|holdfast [--json]`: what a recorded session would
 * have cost under each policy. `-- --synthetic NAME|all [--seed N]`: a session of the generator. Prints Markdown, or
 * one JSON value a session. `--longer 7`: seven times as many tasks. `--policy holdfast`: those whose name has this in
 * it; with one alone, what its requests took goes to standard error, tenth by tenth, with the peak of the memory.
 */
const values = optionsOf({
  session: { type: "string" },
  format: { type: "string" },
  synthetic: { type: "string" },
  seed: { type: "string", default: "1" },
  longer: { type: "string", default: "1" },
  policy: { type: "string", default: "" },
  provider: { type: "string", default: "anthropic" },
  json: { type: "boolean", default: false },
});

process.exitCode = main();

function main() {
  const { session: file, format, provider } = values;
  const synthetic = values.synthetic ?? (values.short ? "edit-heavy" : undefined);
  if (!isProvider(provider)) return usage("Say --provider anthropic|openai|google.");
  if (synthetic !== undefined) return mainSynthetic(synthetic, provider);
  if (file === undefined || format === undefined || !isFormat(format))
    return usage(
      `Say --session FILE and --format ${Object.keys(formats).join("|")}, or --synthetic ${Object.keys(sets).join("|")}|all.`,
    );
  const session = readSession(file, format);
  if (session.kind === "refused") {
    console.error(session.message);
    return 1;
  }
  show(basename(file), session.blocks, provider);
  return 0;
}

/** @param {string} name @param {import("./own-prompt.mjs").Provider} provider */
function mainSynthetic(name, provider) {
  const seed = Number(values.seed);
  const longer = Number(values.longer);
  const names = Object.keys(sets).filter(isSet);
  const wanted = names.filter((one) => name === "all" || name === one);
  if (wanted.length === 0 || !Number.isSafeInteger(seed) || !(Number.isSafeInteger(longer) && longer > 0))
    return usage(`Say --synthetic ${names.join("|")}|all, and --seed and --longer as whole numbers.`);
  for (const one of wanted) show(`${one}-${seed}`, syntheticSession(one, seed, longer), provider);
  return process.exitCode ?? 0;
}

/** @param {string} message */
function usage(message) {
  console.error(message);
  return 2;
}

/** @param {string} name @param {readonly import("./session.mjs").Block[]} blocks @param {import("./own-prompt.mjs").Provider} provider */
function show(name, blocks, provider) {
  const wanted = openPolicies(provider).filter((policy) => policy.name.includes(values.policy));
  /** @type {number[]} */
  const times = [];
  const policies = wanted.map((policy) =>
    replayUnder(blocks, policy, ratiosOf(provider), (ms) => void times.push(ms)),
  );
  if (wanted.length === 1) console.error(byTenths(times));
  if (policies.some(({ dangling, violations }) => dangling + violations > 0)) process.exitCode = 1;
  if (values.json) console.log(JSON.stringify({ session: name, policies }));
  else console.log(`${values.session !== undefined ? "" : `### ${name}\n\n`}${tableOf(policies)}\n`);
}

/** What planning and rendering took, and memory. @param {readonly number[]} times in milliseconds, request by request */
function byTenths(times) {
  const tenths = Array.from({ length: 10 }, (_, at) => {
    const of = times
      .slice((times.length * at) / 10, (times.length * (at + 1)) / 10)
      .toSorted((a, b) => a - b);
    return `${of[Math.floor(of.length / 2)]?.toFixed(2)} (${of.at(-1)?.toFixed(1)})`;
  });
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  return `ms a request, median (longest), tenth by tenth: ${tenths.join(", ")}; ${peakMiB.toFixed(0)} MiB at most`;
}

/** @param {string} name @returns {name is keyof typeof sets} */
function isSet(name) {
  return Object.hasOwn(sets, name);
}

/** @param {string} name @returns {name is import("./own-prompt.mjs").Provider} */
function isProvider(name) {
  return ["anthropic", "openai", "google"].includes(name);
}

/** @param {string} name @returns {name is keyof typeof formats} */
function isFormat(name) {
  return Object.hasOwn(formats, name);
}

/** @param {readonly import("./replay.mjs").Figures[]} policies */
function tableOf(policies) {
  const rows = policies.map((one) =>
    [
      one.policy,
      ...[one.requests, one.inputTokens, one.cost, one.peak].map((count) => count.toLocaleString("en")),
      ...[one.forcedRereads, one.regret, one.dangling, one.violations].map((count) =>
        count.toLocaleString("en"),
      ),
      one.planMs.toFixed(3),
      one.renderMs.toFixed(3),
    ].join(" | "),
  );
  return [
    "| policy | requests | input tokens | cost | peak | forced re-reads | regret | dangling | violations | plan ms | render ms |",
    "|---|---|---|---|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}
