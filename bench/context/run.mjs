import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeRun, optionsOf, publish } from "../page.mjs";
import { measureDurable } from "./durable.mjs";
import { measureGrowth } from "./growth.mjs";
import { measureKnowledge } from "./knowledge.mjs";
import { measureOpening } from "./opening.mjs";
import { measurePage } from "./page.mjs";
import { describePeers, measurePeers } from "./peers.mjs";
import { measurePlanning } from "./planning.mjs";
import { measureSize } from "./size.mjs";

/**
 * `npm run bench:context`: what the conversation tree and its stores cost as they grow, beside LangGraph's
 * checkpoints on the same PostgreSQL server. Prints Markdown; see bench/README.md.
 */
const values = optionsOf({
  only: { type: "string", default: "growth,knowledge,planning,size,opening,durable,page,peers" },
  turns: { type: "string" },
});
const { short } = values;
const parts = values.only.split(",");
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const note = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);
try {
  const sections = [];
  if (parts.includes("growth")) sections.push(await measureGrowth({ short, note }));
  if (parts.includes("knowledge")) sections.push(await measureKnowledge({ short, note }));
  if (parts.includes("planning")) sections.push(await measurePlanning({ short, note }));
  if (parts.includes("size")) sections.push(await measureSize({ short, folder, note }));
  if (parts.includes("opening")) sections.push(await measureOpening({ short, folder, note }));
  if (parts.includes("durable")) sections.push(await measureDurable({ short, folder, note }));
  if (parts.includes("page")) sections.push(await measurePage({ short, folder, note }));
  if (parts.includes("peers"))
    sections.push(await measurePeers({ short, folder, note, turns: Number(values.turns ?? 0) }));
  const head = describeRun("bench:context", parts.includes("peers") ? describePeers() : []);
  publish("bench:context", "context-bench.md", [head, ...sections].join("\n"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
