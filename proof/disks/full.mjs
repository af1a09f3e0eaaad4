import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { currentBase } from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import { openPeers, peersFolder } from "../peers.mjs";
import { freshFolder, recordsIn, remove, stagesIn, treeOf } from "../rooms.mjs";
import { lacking, smallDisk } from "./images.mjs";

/**
 * @typedef {import("../contract.mjs").Row} Row
 * @typedef {"truncated" | "missing" | "half sets" | "false success" | "strays" | "stuck"} Breach
 * @typedef {{ readonly root: string, readonly stateDir: string, readonly filler: string,
 *   readonly old: string, readonly next: string }} Ground
 */

/** @type {readonly (readonly ["tmpfs" | "ext4", number])[]} */
const disks = [
  ["tmpfs", 64],
  ["tmpfs", 256],
  ["tmpfs", 4_096],
  ["ext4", 1_024],
  ["ext4", 4_096],
  ["ext4", 16_384],
];
/** How much is left free when the call comes, as a share of the new content. */
const margins = [0, 0.3, 0.7, 0.95, 1, 1.05, 1.5, 2.5];

/**
 * F2, second half: disks of a few kilobytes that become full in the middle of a call.
 *
 * @param {{ quick: boolean, print: (line: string) => void }} options
 * @returns {Promise<Row[]>}
 */
export async function fillDisks({ quick, print }) {
  const rows = [];
  const folder = peersFolder();
  for (const [kind, sizeKiB] of quick ? disks.filter(([, size]) => size === 64 || size === 4_096) : disks) {
    const what = `${kind} of ${sizeKiB} KiB, filled so that the new content fits or does not`;
    const notHad = lacking(kind === "ext4" ? ["mkfs.ext4"] : []);
    if (notHad !== undefined) rows.push({ figure: "F2", what, tried: 0, bad: {}, notHad });
    else rows.push(await fillDisk(kind, sizeKiB, what, folder));
    print(`${kind} ${sizeKiB}: ${JSON.stringify(rows.at(-1))}`);
  }
  return rows;
}

/** @param {"tmpfs" | "ext4"} kind @param {number} sizeKiB @param {string} what @param {string | undefined} folder @returns {Promise<Row>} */
async function fillDisk(kind, sizeKiB, what, folder) {
  const disk = smallDisk(kind, sizeKiB);
  const elsewhere = freshFolder();
  /** @type {Record<Breach, number>} */
  const bad = { truncated: 0, missing: 0, "half sets": 0, "false success": 0, strays: 0, stuck: 0 };
  let [tried, written] = [0, 0];
  try {
    for (const margin of margins) {
      for (const call of ["replace", "create", "set"]) {
        for (const state of [disk.path, elsewhere]) {
          const ground = layGround(disk.path, state);
          const found = await tryCall(ground, call, margin);
          tried += 1;
          written += found.written ? 1 : 0;
          for (const breach of new Set(found.breaches)) bad[breach] += 1;
        }
      }
    }
    const baseline =
      folder === undefined ? "the peers could not be installed" : await peersOn(disk.path, folder);
    return {
      figure: "F2",
      what,
      tried,
      bad,
      seen: `${written} written, ${tried - written} refused`,
      baseline,
    };
  } finally {
    remove(elsewhere);
    disk.unmount();
  }
}

/** @param {string} disk @param {string} state @returns {Ground} */
function layGround(disk, state) {
  for (const name of ["root", "state", "filler"]) remove(join(disk, name));
  remove(join(state, "state"));
  const root = join(disk, "root");
  mkdirSync(root);
  const { bavail, bsize } = statfsSync(disk);
  const share = Math.floor((bavail * bsize) / 12);
  const [old, next] = ["old ".repeat(share / 4), "new! ".repeat((share * 1.4) / 5)];
  for (const name of ["file", "set0", "set1"]) writeFileSync(join(root, name), old);
  return { root, stateDir: join(state, "state"), filler: join(disk, "filler"), old, next };
}

/** @param {Ground} ground @param {number} freeBytes */
function fill({ filler }, freeBytes) {
  const fd = openSync(filler, "w");
  const block = Buffer.alloc(4_096, "x");
  let size = 0;
  try {
    for (;;) size += writeSync(fd, block);
  } catch {
    // Full, as it was meant to be.
  }
  ftruncateSync(fd, Math.max(0, size - freeBytes));
  fsyncSync(fd);
  closeSync(fd);
}

/** @param {Ground} ground @param {string} call @param {number} margin */
async function tryCall(ground, call, margin) {
  const { root, stateDir, filler, next } = ground;
  /** @type {Breach[]} */
  const breaches = [];
  fill(ground, Math.floor(next.length * margin));
  const first = await run(ground, call);
  breaches.push(...judge(ground, call, first));
  const again = await openWorkspace({ guards: { wholeReplacement: "hash" }, roots: [root], stateDir });
  if (again.kind === "workspace") await again.close();
  if (stagesIn(treeOf(root)).length + recordsIn(stateDir).length > 0) breaches.push("strays");
  // With space again the same call goes through: nothing is stuck, nothing was glued to a half record.
  remove(filler);
  if (!(await run(ground, call))) breaches.push("stuck");
  breaches.push(...judge(ground, call, true));
  return { breaches, written: first };
}

/** Whether the call was answered by success. @param {Ground} ground @param {string} call */
async function run({ root, stateDir, next }, call) {
  const workspace = await openWorkspace({ guards: { wholeReplacement: "hash" }, roots: [root], stateDir });
  if (workspace.kind === "refusal") throw new Error(workspace.message);
  try {
    if (call === "replace")
      return (await workspace.write({ path: "file", base: currentBase, content: next })).success;
    if (call === "create") return (await workspace.write({ path: "new", content: next })).success;
    const content = { kind: /** @type {const} */ ("text"), text: next };
    /** @type {import("@holdfast/core/files/values").FileChange[]} */
    const changes = ["set0", "set1"].map((path) => ({ path, base: currentBase, content }));
    const { code } = await workspace.applyChanges({ changes });
    return ["applied", "already_applied", "no_change"].includes(code);
  } catch (error) {
    // A disk that fails where nobody could know: it is said, and is no success.
    if (error instanceof Error && error.name === "DiskFault") return false;
    throw error;
  } finally {
    await workspace.close();
  }
}

/** @param {Ground} ground @param {string} call @param {boolean} told @returns {Breach[]} */
function judge({ root, old, next }, call, told) {
  const tree = treeOf(root);
  const paths = call === "replace" ? ["file"] : call === "create" ? ["new"] : ["set0", "set1"];
  /** @type {Breach[]} */
  const breaches = stagesIn(tree).length > 0 ? ["strays"] : [];
  for (const path of paths) {
    const text = tree[path];
    if (text === undefined && call !== "create") breaches.push("missing");
    else if (text !== undefined && text !== next && (text !== old || call === "create"))
      breaches.push("truncated");
    if (told && text !== next) breaches.push("false success");
    if (!told && text === next) breaches.push("false success");
  }
  if (new Set(paths.map((path) => tree[path])).size > 1) breaches.push("half sets");
  return breaches;
}

/** The same disk, the same margins, the libraries of today. @param {string} disk @param {string} folder */
async function peersOn(disk, folder) {
  const told = [];
  for (const { name, replace } of await openPeers(folder)) {
    let [truncated, claimed, tried] = [0, 0, 0];
    for (const margin of margins) {
      const ground = layGround(disk, disk);
      fill(ground, Math.floor(ground.next.length * margin));
      const path = join(ground.root, "file");
      const success = await replace(path, ground.next).then(
        () => true,
        () => false,
      );
      const text = readFileSync(path, "utf8");
      tried += 1;
      if (text === ground.old || text === ground.next) continue;
      truncated += 1;
      claimed += success ? 1 : 0;
    }
    told.push(`${name}: ${truncated} of ${tried} truncated, ${claimed} of them called a success`);
  }
  return told.join("; ");
}
