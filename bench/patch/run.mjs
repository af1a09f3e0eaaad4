import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { classNames, generate, loadPool, regenerate, seeds } from "../generator/index.mjs";
import { openClient } from "./client.mjs";
import { runHarness } from "./harness.mjs";
import { describeMachine, installPeers } from "./machine.mjs";
import { openPeers } from "./peers.mjs";
import { measureProcesses } from "./processes.mjs";
import { openTable } from "./score.mjs";
import { measureSpeed } from "./speed.mjs";
import { measureWorkspace } from "./workspace.mjs";

/**
 * `npm run bench:patch`: who places the diffs that models write, and how fast. Prints Markdown; with the same
 * seed and the same fingerprint of texts, the same cases. See bench/README.md.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: seeds.judge },
    count: { type: "string" },
    sample: { type: "string" },
    classes: { type: "string" },
    only: { type: "string", default: "table,client,speed,processes,workspace" },
    alone: { type: "boolean", default: false },
    harness: { type: "string" },
    quick: { type: "boolean", default: false },
    failures: { type: "string" },
    case: { type: "string" },
  },
});
const quick = values.quick;
const parts = values.only.split(",");
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

if (values.case !== undefined) {
  print(JSON.stringify(regenerate(values.case), null, 2));
} else if (values.harness !== undefined) {
  print(runHarness({ seed: values.seed, count: Number(values.harness) }));
} else {
  const missing = values.alone ? "left out" : installPeers();
  const pool = loadPool();
  print("# The patch bench\n");
  print(describeMachine({ seed: values.seed, pool, missing, command: process.argv.slice(2) }));
  if (parts.includes("table") || parts.includes("client")) await measurePlacing(pool);
  if (parts.includes("speed")) print(await measureSpeed({ quick }));
  if (parts.includes("processes")) print(await measureProcesses({ quick }));
  if (parts.includes("workspace")) print(await measureWorkspace({ quick }));
}

/** @param {import("../generator/texts.mjs").Pool} pool */
async function measurePlacing(pool) {
  const names = values.classes?.split(",") ?? classNames;
  const count = Number(values.count ?? (quick ? 40 : 400));
  const peers = values.alone ? { list: [], close: () => undefined } : openPeers();
  const table = openTable(peers, Number(values.sample ?? (quick ? 5 : 40)));
  const client = openClient();
  try {
    for (const name of names) {
      const cases = generate(values.seed, count, [name], pool);
      if (cases.length < count) process.stderr.write(`${name}: only ${cases.length} of ${count} cases\n`);
      if (parts.includes("table")) await table.add(name, cases);
      if (parts.includes("client")) client.add(cases);
    }
  } finally {
    peers.close();
  }
  if (parts.includes("table")) print(table.text());
  if (parts.includes("client")) print(client.text());
  if (values.failures !== undefined) {
    const lines = [...table.failures, ...client.failures].map((failure) => `${JSON.stringify(failure)}\n`);
    writeFileSync(values.failures, lines.join(""));
  }
}
