import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findVersions } from "./patch/machine.mjs";
import { tableOf } from "./patch/table.mjs";

/**
 * What all benches have in common: `--short` takes seconds, installs nothing and is judged by its answers alone; `--write` puts
 * the tables into the bench's page.
 *
 * @template {NonNullable<import("node:util").ParseArgsConfig["options"]>} Options
 * @param {Options} options those of one bench
 */
export function optionsOf(options) {
  const flag = /** @type {const} */ ({ type: "boolean", default: false });
  return parseArgs({ options: { ...options, short: flag, write: flag } }).values;
}

const loadNow = () => loadavg()[0]?.toFixed(1) ?? "?";
const load = loadNow();

/** What was run, on what. @param {string} script of package.json @param {readonly (readonly string[])[]} [more] rows */
export function describeRun(script, more = []) {
  const { holdfast, commit } = findVersions();
  const args = process.argv.slice(2).filter((arg) => arg !== "--write");
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}, Node ${process.version}`;
  const rows = [
    ["command", `\`npm run ${script}${args.length > 0 ? ` -- ${args.join(" ")}` : ""}\``],
    ["date", `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`],
    ["machine", `${machine}, load ${load} at the start, ${loadNow()} at the end`],
    ["holdfast", `${holdfast} at ${commit ?? "no commit"}`],
    ...more,
  ];
  return tableOf(["what", "which"], rows);
}

/** Prints the tables; with `--write` they also go into the page, below its mark. @param {string} script @param {string} page @param {string} text */
export function publish(script, page, text) {
  console.log(text);
  if (!process.argv.includes("--write")) return;
  const path = fileURLToPath(new URL(`../docs/lab/${page}`, import.meta.url));
  const mark = `<!-- Below: npm run ${script} -- --write -->\n`;
  const [above, below] = readFileSync(path, "utf8").split(mark);
  if (below === undefined) throw new Error(`docs/lab/${page} has no mark below which tables go.`);
  writeFileSync(path, `${above}${mark}\n${text.trimEnd()}\n`);
}
