import { basename } from "node:path";
import { parseArgs } from "node:util";
import { openPolicies } from "./policies.mjs";
import { ratiosOf, replayUnder } from "./replay.mjs";
import { formats, readSession } from "./session.mjs";
import { sets, syntheticSession } from "./synthetic.mjs";

/**
 * `npm run bench:replay -- --session FILE --format pi|claude|codex|holdfast [--json]`: what a recorded session would
 * have cost under each policy. `-- --synthetic NAME|all [--seed N]`: a session of the generator. Prints Markdown, or
 * one JSON value a session.
 */
const { values } = parseArgs({
  options: {
    session: { type: "string" },
    format: { type: "string" },
    synthetic: { type: "string" },
    seed: { type: "string", default: "1" },
    provider: { type: "string", default: "anthropic" },
    json: { type: "boolean", default: false },
  },
});

process.exitCode = main();

function main() {
  const { session: file, format, synthetic, provider } = values;
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
  const names = Object.keys(sets).filter(isSet);
  const wanted = names.filter((one) => name === "all" || name === one);
  if (wanted.length === 0 || !Number.isSafeInteger(seed))
    return usage(`Say --synthetic ${names.join("|")}|all, and --seed as a whole number.`);
  for (const one of wanted) show(`${one}-${seed}`, syntheticSession(one, seed), provider);
  return 0;
}

/** @param {string} message */
function usage(message) {
  console.error(message);
  return 2;
}

/** @param {string} name @param {readonly import("./session.mjs").Block[]} blocks @param {import("./own-prompt.mjs").Provider} provider */
function show(name, blocks, provider) {
  const policies = openPolicies(provider).map((policy) => replayUnder(blocks, policy, ratiosOf(provider)));
  if (values.json) console.log(JSON.stringify({ session: name, policies }));
  else console.log(`${values.synthetic === undefined ? "" : `### ${name}\n\n`}${tableOf(policies)}\n`);
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
