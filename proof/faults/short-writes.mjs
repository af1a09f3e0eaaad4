import { execFile, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder, hasProgram } from "../machine.mjs";
import { openPeers, peersFolder } from "../peers.mjs";
import { eachOf, freshFolder, remove, spread, treeOf } from "../rooms.mjs";
import { breachesAfterRestart, breachesOfAnswer, breachesOnDisk } from "./judge.mjs";
import { newTrial, scenarios } from "./scenarios.mjs";
import { callsOf } from "./trace.mjs";

const what = "each write to a file writes only half of what it was given, one at a time and all together";

/**
 * F2, first half.
 *
 * @param {string} child @param {{ limit: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function writeShort(child, { limit, print }) {
  const library = compile();
  if (library === undefined) {
    return { figure: "F2", what, tried: 0, bad: {}, notHad: "no C compiler, or no strace" };
  }
  /** @type {Record<string, number>} */
  const bad = { truncated: 0, missing: 0, "false success": 0, untrue: 0, "no answer": 0, strays: 0 };
  let tried = 0;
  const points = [];
  for (const scenario of scenarios.filter(({ tool }) => tool !== "read_file")) {
    const writes = await countWrites(child, scenario);
    for (let at = 0; at <= writes; at++) points.push({ scenario, at });
  }
  await eachOf(spread(points, limit), async ({ scenario, at }) => {
    const trial = await newTrial(scenario);
    try {
      const args = [child, trial.root, trial.stateDir, trial.request, trial.warm];
      const stdout = await runPreloaded(library, args, `${trial.top}/`, at);
      const tree = treeOf(trial.root);
      tried += 1;
      const breaches = [...breachesOnDisk(scenario, tree), ...breachesOfAnswer(scenario, tree, stdout)];
      for (const breach of [...breaches, ...(await breachesAfterRestart(scenario, trial))]) {
        const name = breach === "torn" ? "truncated" : breach;
        bad[name] = (bad[name] ?? 0) + 1;
        print(`${breach}: ${scenario.name}, short write ${at}: ${stdout.slice(0, 300)}`);
      }
    } finally {
      remove(trial.top);
    }
  });
  print(`${tried} short writes: ${JSON.stringify(bad)}`);
  return { figure: "F2", what, tried, bad, baseline: await shortBaseline(library) };
}

/** @returns {string | undefined} */
function compile() {
  if (!hasProgram("cc") || !hasProgram("strace", ["-V"])) return undefined;
  const library = join(cacheFolder("short-writes"), "short-writes.so");
  const source = fileURLToPath(new URL("short-writes.c", import.meta.url));
  const run = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]);
  return run.status === 0 ? library : undefined;
}

/** @param {string} child @param {import("./scenarios.mjs").Scenario} scenario */
async function countWrites(child, scenario) {
  const trial = await newTrial(scenario);
  try {
    return (await callsOf([child], trial)).filter(({ name }) => /^p?write/.test(name)).length;
  } finally {
    remove(trial.top);
  }
}

/** @param {string} library @param {readonly string[]} args @param {string} under @param {number} at @returns {Promise<string>} */
function runPreloaded(library, args, under, at) {
  const env = { ...process.env, LD_PRELOAD: library, PROOF_UNDER: under, PROOF_AT: String(at) };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, timeout: 60_000 }, (_error, stdout) => resolve(stdout));
  });
}

/** @param {string} library */
async function shortBaseline(library) {
  const folder = peersFolder();
  if (folder === undefined) return "the peers could not be installed";
  const told = [];
  for (const { name } of await openPeers(folder)) {
    const top = freshFolder();
    const [file, source] = [join(top, "file"), join(top, "..", `${top.split("/").at(-1)}-source`)];
    const text = "the new content, line by line\n".repeat(1_000);
    try {
      writeFileSync(file, "the old content\n");
      writeFileSync(source, text);
      const call = fileURLToPath(new URL("peer-call.mjs", import.meta.url));
      const stdout = await runPreloaded(library, [call, folder, name, file, source], `${top}/`, 0);
      const kept = readFileSync(file, "utf8").length;
      const outcome = stdout.startsWith("replaced") ? "reports success" : "reports an error";
      told.push(`${name}: ${kept} of ${text.length} bytes, ${outcome}`);
    } finally {
      remove(top);
      remove(source);
    }
  }
  return told.join("; ");
}
