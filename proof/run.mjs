import { parseArgs } from "node:util";
import { describeMachine } from "./machine.mjs";
import { loadPart, partNames } from "./parts.mjs";
import { countBad, tableOf } from "./table.mjs";

/**
 * `npm run proof -- [PART …] [--quick]`: breaks what can break and counts broken promises. Prints Markdown;
 * the exit code is 1 where anything was bad, or was not tried although it could have been.
 */
const { values, positionals } = parseArgs({
  options: { quick: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !partNames.includes(name));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(", ")}. There are: ${partNames.join(", ")}.`);
  process.exit(2);
}

console.log(`# The proof\n\n${describeMachine(process.argv.slice(2))}`);
let bad = 0;
for (const name of positionals.length === 0 ? partNames : positionals) bad += await runPart(name);
console.log(bad === 0 ? "Nothing was bad." : `**${bad} bad.**`);
process.exitCode = bad === 0 ? 0 : 1;

/** @param {string} name @returns {Promise<number>} how much was bad */
async function runPart(name) {
  const begun = performance.now();
  const part = await loadPart(name);
  if (values.quick && positionals.length === 0 && part.quickInTest !== undefined) {
    console.log(`## ${part.title}\n\nIts short part is a test: ${part.quickInTest}.\n`);
    return 0;
  }
  const print = (/** @type {string} */ line) => void process.stderr.write(`${name}: ${line}\n`);
  const rows = await part.run({ quick: values.quick, print });
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(`## ${part.title}\n\n${tableOf(rows)}\n${seconds} s.\n`);
  return countBad(rows);
}
