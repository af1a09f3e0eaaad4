import { parseArgs } from "node:util";
import { describeMachine } from "./machine.mjs";
import { loadPart, partNames } from "./parts.mjs";
import { badOf, countBad, tableOf } from "./table.mjs";

/**
 * `npm run proof -- [PART …] [--quick] [--only "under change sets"]`: breaks what can break and counts broken promises. Prints Markdown;
 * the exit code is 1 where anything was bad, or was not tried although it could have been.
 */
const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !partNames.includes(name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(", ")}. There are: ${partNames.join(", ")}.`);
  process.exit(2);
}

console.log(`# The proof\n\n${describeMachine(process.argv.slice(2))}`);
/** @type {string[]} */
const badParts = [];
let bad = 0;
for (const name of positionals.length === 0 ? partNames : positionals) bad += await runPart(name);
// What was bad once more, last: whoever sees only the end of a long output must see what it was.
console.log(bad === 0 ? "Nothing was bad." : [...badParts, `**${bad} bad.**`].join("\n"));
process.exitCode = bad === 0 ? 0 : 1;

/** @param {string} name @returns {Promise<number>} how much was bad */
async function runPart(name) {
  const begun = performance.now();
  const part = await loadPart(name);
  /** @type {string[]} */
  const said = [];
  const print = (/** @type {string} */ line) => {
    process.stderr.write(`${name}: ${line}\n`);
    said.push(line.slice(0, 500));
  };
  const rows = await part.run({ quick: values.quick, only: values.only, print });
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(`## ${part.title}\n\n${tableOf(rows)}\n${seconds} s.\n`);
  const count = countBad(rows);
  if (count > 0)
    badParts.push(`## Bad: ${part.title}\n\n${said.slice(-40).join("\n")}\n\n${tableOf(badOf(rows))}`);
  return count;
}
