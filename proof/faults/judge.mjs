import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openPorts } from "@holdfast/core/node";
import { recordsIn, sameTree, stagesIn, treeOf } from "../rooms.mjs";
import { writesOf } from "./scenarios.mjs";

/**
 * @typedef {import("./scenarios.mjs").Scenario} Scenario
 * @typedef {import("./scenarios.mjs").Trial} Trial
 * @typedef {"torn" | "missing" | "half sets" | "false success" | "untrue" | "no answer" | "strays" | "wrong history"
 *   | "not idempotent"} Breach
 */

/**
 * What of the promises is broken on the disk, whatever was answered: every file is as before or as after.
 *
 * @param {Scenario} scenario @param {Readonly<Record<string, string>>} tree
 * @returns {Breach[]}
 */
export function breachesOnDisk({ before, after }, tree) {
  /** @type {Breach[]} */
  const found = [];
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const stands = tree[path];
    if (stands === before[path] || stands === after[path]) continue;
    found.push(stands === undefined ? "missing" : "torn");
  }
  return found;
}

/**
 * Whether what was told is what stands on the disk.
 *
 * @param {Scenario} scenario @param {Readonly<Record<string, string>>} tree @param {string} stdout
 * @returns {Breach[]}
 */
export function breachesOfAnswer({ before, after }, tree, stdout) {
  const told = parse(stdout);
  if (told === undefined) return ["no answer"];
  const own = withoutStages(tree);
  const [isOld, isNew] = [sameTree(own, before), sameTree(own, after)];
  if (told.unopened !== undefined) return isOld ? [] : ["untrue"];
  if (told.thrown !== undefined && told.thrown.name !== "DiskFault") return ["no answer"];
  if (told.success === true) return isNew && statesAreTrue(told.json, tree) ? [] : ["false success"];
  const right = told.thrown?.state === "visible" ? isNew : told.thrown?.state === "divided" || isOld;
  return right && statesAreTrue(told.json, tree) ? [] : ["untrue"];
}

/** @param {string} stdout */
function parse(stdout) {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

/** @param {Readonly<Record<string, string>>} tree */
function withoutStages(tree) {
  const stages = stagesIn(tree);
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !stages.includes(path)));
}

/** Every state in an answer is that of the file now. @param {any} json @param {Readonly<Record<string, string>>} tree */
function statesAreTrue(json, tree) {
  const states = [
    json,
    json?.latest_file_state,
    ...(json?.changes ?? []).map((/** @type {any} */ one) => one.latest_file_state),
  ];
  return states
    .filter((state) => state?.file_path !== undefined && state.sha256 !== undefined)
    .every(({ file_path, sha256 }) => {
      const stands = tree[file_path];
      return (
        sha256 === (stands === undefined ? null : createHash("sha256").update(stands, "latin1").digest("hex"))
      );
    });
}

/**
 * The next start, twice: it leaves nothing of ours in the folder, a history that tells what was written, a
 * change set whole, and the second time it finds nothing to do.
 *
 * @param {Scenario} scenario @param {Trial} trial
 * @returns {Promise<Breach[]>}
 */
export async function breachesAfterRestart(scenario, trial) {
  const first = await restart(scenario, trial);
  /** @type {Breach[]} */
  const found = [];
  const isNew = sameTree(first.tree, scenario.after) && !sameTree(scenario.before, scenario.after);
  if (!isNew && !sameTree(first.tree, scenario.before)) found.push("half sets");
  if (stagesIn(first.tree).length + first.records.length + first.folders > 0) found.push("strays");
  if (first.recorded !== trial.recorded + (isNew ? writesOf(scenario) : 0)) found.push("wrong history");
  const second = await restart(scenario, trial);
  if (!sameTree(first.tree, second.tree) || first.recorded !== second.recorded || second.told > 0) {
    found.push("not idempotent");
  }
  return found;
}

/** @param {Scenario} scenario @param {Trial} trial */
async function restart({ before, after }, { root, stateDir }) {
  let told = 0;
  const onRecovered = () => {
    told += 1;
  };
  const ports = await openPorts({ roots: [root], stateDir, onRecovered });
  if (ports.kind === "refusal") throw new Error(ports.message);
  let recorded = 0;
  for (const path of new Set([...Object.keys(before), ...Object.keys(after)])) {
    recorded += (await ports.history.entries(join(root, path))).length;
  }
  await ports.close();
  const tree = treeOf(root);
  return { tree, recorded, told, records: recordsIn(stateDir), folders: emptyFolders(root, before) };
}

/** Folders that were made for a file that did not come to be. A single write may leave them. @param {string} root @param {Readonly<Record<string, string>>} before */
function emptyFolders(root, before) {
  if (Object.keys(before).length === 0) return 0;
  return readdirSync(root, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && readdirSync(join(root, entry.name)).length === 0,
  ).length;
}
