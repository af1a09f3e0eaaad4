import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findVersions } from "../patch/machine.mjs";
import { measureDurable } from "./durable.mjs";
import { measureGrowth } from "./growth.mjs";
import { measureKnowledge } from "./knowledge.mjs";
import { measureOpening } from "./opening.mjs";
import { describePeers, measurePeers } from "./peers.mjs";
import { measurePlanning } from "./planning.mjs";
import { measureSize } from "./size.mjs";

/**
 * `npm run bench:context`: what the conversation tree and its stores cost as they grow, beside LangGraph's
 * checkpoints on the same PostgreSQL server. Prints Markdown; see bench/README.md.
 */
const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string", default: "growth,knowledge,planning,size,opening,durable,peers" },
    turns: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const { quick } = values;
const parts = values.only.split(",");
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const note = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
const load = loadNow();
try {
  const sections = [];
  if (parts.includes("growth")) sections.push(await measureGrowth({ quick, note }));
  if (parts.includes("knowledge")) sections.push(await measureKnowledge({ quick, note }));
  if (parts.includes("planning")) sections.push(await measurePlanning({ quick, note }));
  if (parts.includes("size")) sections.push(await measureSize({ quick, folder, note }));
  if (parts.includes("opening")) sections.push(await measureOpening({ quick, folder, note }));
  if (parts.includes("durable")) sections.push(await measureDurable({ quick, folder, note }));
  if (parts.includes("peers"))
    sections.push(await measurePeers({ quick, folder, note, turns: Number(values.turns ?? 0) }));
  const text = [describe(), ...sections].join("\n");
  console.log(`# The context bench\n\n${text}`);
  if (values.write) writeTables(text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function describe() {
  const { holdfast, commit } = findVersions();
  const args = process.argv.slice(2).filter((arg) => arg !== "--write");
  const rows = [
    ["command", `\`npm run bench:context${args.length > 0 ? ` -- ${args.join(" ")}` : ""}\``],
    ["date", `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`],
    [
      "machine",
      `${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}, Node ${process.version}, load ${load} at the start, ${loadNow()} at the end`,
    ],
    ["holdfast", `${holdfast} at ${commit ?? "no commit"}`],
    ...(parts.includes("peers") ? describePeers() : []),
  ];
  return ["| what | which |", "|---|---|", ...rows.map((row) => `| ${row.join(" | ")} |`), ""].join("\n");
}

function loadNow() {
  return loadavg()[0]?.toFixed(1) ?? "?";
}

/** The page keeps what stands above the mark. @param {string} text */
function writeTables(text) {
  const page = fileURLToPath(new URL("../../docs/lab/context-bench.md", import.meta.url));
  const mark = "<!-- Below: npm run bench:context -- --write -->\n";
  const [above, below] = readFileSync(page, "utf8").split(mark);
  if (below === undefined) throw new Error("docs/lab/context-bench.md has no mark below which tables go.");
  writeFileSync(page, `${above}${mark}\n${text.trimEnd()}\n`);
}
