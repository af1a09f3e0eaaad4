import { writeFileSync } from "node:fs";
import { classNames, generate, loadPool, regenerate, seeds } from "../generator/index.mjs";
import { describeRun, optionsOf } from "../page.mjs";
import { openClient } from "./client.mjs";
import { runHarness } from "./harness.mjs";
import { installPeers, partRows } from "./machine.mjs";
import { openPeers } from "./peers.mjs";
import { measureProcesses } from "./processes.mjs";
import { openTable } from "./score.mjs";
import { measureSpeed } from "./speed.mjs";
import { measureWorkspace } from "./workspace.mjs";

/**
 * `npm run bench:patch`: who places the diffs that models write, and how fast. Prints Markdown; with the same
 * seed and the same fingerprint of texts, the same cases. See bench/README.md.
 */
const values = optionsOf({
  seed: { type: "string", default: seeds.judge },
  count: { type: "string" },
  sample: { type: "string" },
  classes: { type: "string" },
  only: { type: "string" },
  alone: { type: "boolean", default: false },
  harness: { type: "string" },
  failures: { type: "string" },
  case: { type: "string" },
});
const { short } = values;
const parts = (
  values.only ?? (short ? "table,client,workspace" : "table,client,speed,processes,workspace")
).split(",");
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);

if (values.case !== undefined) {
  print(JSON.stringify(regenerate(values.case), null, 2));
} else if (values.harness !== undefined) {
  print(runHarness({ seed: values.seed, count: Number(values.harness) }));
} else {
  const missing = values.alone ? "left out" : installPeers();
  const pool = loadPool();
  print("# The patch bench\n");
  print(describeRun("bench:patch", partRows({ seed: values.seed, pool, missing })));
  if (parts.includes("table") || parts.includes("client")) await measurePlacing(pool);
  if (parts.includes("speed")) print(await measureSpeed({ short }));
  if (parts.includes("processes")) print(await measureProcesses({ short }));
  if (parts.includes("workspace")) print(await measureWorkspace({ short }));
}

/** @param {import("../generator/texts.mjs").Pool} pool */
async function measurePlacing(pool) {
  const names = values.classes?.split(",") ?? classNames;
  const count = Number(values.count ?? (short ? 5 : 400));
  const peers = values.alone || short ? { list: [], close: () => undefined } : openPeers();
  const table = openTable(peers, Number(values.sample ?? 40));
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
  if (short && table.failures.some(({ verdict }) => verdict === "wrong")) process.exitCode = 1;
  if (parts.includes("table")) print(table.text());
  if (parts.includes("client")) print(client.text());
  if (values.failures !== undefined) {
    const lines = [...table.failures, ...client.failures].map((failure) => `${JSON.stringify(failure)}\n`);
    writeFileSync(values.failures, lines.join(""));
  }
}
