import { basename } from "node:path";
import { parseArgs } from "node:util";
import { openPolicies } from "./policies.mjs";
import { replayUnder } from "./replay.mjs";
import { formats, readSession } from "./session.mjs";

/**
 * `npm run bench:replay -- --session FILE --format pi|claude|codex|holdfast [--json]`: what a recorded session would
 * have cost under each policy. Prints Markdown, or one JSON value.
 */
const { values } = parseArgs({
  options: {
    session: { type: "string" },
    format: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

process.exitCode = main();

function main() {
  const { session: file, format } = values;
  if (file === undefined || format === undefined || !isFormat(format)) {
    console.error(`Say --session FILE and --format ${Object.keys(formats).join("|")}.`);
    return 2;
  }
  const session = readSession(file, format);
  if (session.kind === "refused") {
    console.error(session.message);
    return 1;
  }
  const policies = openPolicies().map((policy) => replayUnder(session.blocks, policy));
  if (values.json) console.log(JSON.stringify({ session: basename(file), policies }));
  else console.log(tableOf(policies));
  return 0;
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
