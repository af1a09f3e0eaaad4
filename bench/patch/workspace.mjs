import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNodeHalf } from "./engine.mjs";
import { formatMs, median, tableOf } from "./table.mjs";

/**
 * `safe_patch` through the real workspace, on a real disk, against a floor: the same steps without which the
 * promise cannot be kept, done by hand, nothing checked. Both are measured in turn, in the same run.
 * @param {{ short: boolean }} options
 */
export async function measureWorkspace({ short }) {
  const rows = [];
  for (const lines of short ? [1_000] : [1_000, 10_000, 50_000, 200_000]) {
    for (const hunks of [1, 100]) {
      const { ours, floor } = await measure(lines, hunks, short ? 3 : 21);
      const name = `${lines.toLocaleString("en")} lines, ${hunks} ${hunks === 1 ? "hunk" : "hunks"}`;
      rows.push([name, formatMs(ours), formatMs(floor), (ours / floor).toFixed(2)]);
    }
  }
  return [
    "## safe_patch on a disk\n",
    "One write through the workspace (walk, lock, read, hash, place, keep the old bytes, record the intent, stage, look again, rename, record the write) against the floor: read, decode, hash, write the old bytes as a blob and fsync it, splice and encode, stage and fsync, rename, fsync of the folder.\n",
    tableOf(["file", "safe_patch", "floor", "times the floor"], rows),
  ].join("\n");
}

/** @param {number} lines @param {number} hunks @param {number} count */
async function measure(lines, hunks, count) {
  const { openWorkspace } = await openNodeHalf();
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const [root, stateDir] = [join(folder, "root"), join(folder, "state")];
    for (const place of [root, stateDir, join(folder, "blobs")]) mkdirSync(place, { mode: 0o700 });
    const workspace = await openWorkspace({
      guards: { wholeReplacement: "hash" },
      roots: [root],
      stateDir,
      limits: { fullReadBytes: 2 ** 30 },
    });
    if (workspace.kind === "refusal") throw new Error(workspace.message);
    /** @type {{ ours: number[], floor: number[] }} */
    const times = { ours: [], floor: [] };
    for (let n = 0; n < count; n++) {
      times.ours.push(await patchOnce(workspace, root, lines, hunks, n));
      times.floor.push(await floorOnce(folder, lines, hunks, n));
    }
    await workspace.close();
    return { ours: median(times.ours.slice(2)), floor: median(times.floor.slice(2)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {any} workspace the class is that of the build which is measured @param {string} root @param {number} lines @param {number} hunks @param {number} run */
async function patchOnce(workspace, root, lines, hunks, run) {
  writeFileSync(join(root, "file.txt"), textOf(lines, run));
  const read = await workspace.read({ path: "file.txt" });
  if (read.kind === "refusal") throw new Error(read.message);
  const diff = diffOf(lines, hunks, run);
  const start = performance.now();
  const done = await workspace.patch({ path: "file.txt", diff, base: read.state.sha256 });
  const ms = performance.now() - start;
  if (done.code !== "applied") throw new Error(`safe_patch said ${done.code}: ${done.message}`);
  return ms;
}

/** @param {string} folder @param {number} lines @param {number} hunks @param {number} run */
async function floorOnce(folder, lines, hunks, run) {
  const file = join(folder, "floor.txt");
  writeFileSync(file, textOf(lines, run));
  const edits = editsOf(lines, hunks);
  const start = performance.now();
  const handle = await open(file, "r");
  const bytes = await handle.readFile();
  await handle.close();
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await writeSynced(join(folder, "blobs", sha256), bytes);
  const parts = text.split("\n");
  for (const at of edits) parts[at] = `changed ${at}`;
  const fresh = new TextEncoder().encode(parts.join("\n"));
  createHash("sha256").update(fresh).digest("hex");
  const stage = join(folder, `stage-${randomUUID()}`);
  await writeSynced(stage, fresh);
  await rename(stage, file);
  const place = await open(folder, "r");
  await place.sync();
  await place.close();
  return performance.now() - start;
}

/** @param {string} path @param {Uint8Array} bytes */
async function writeSynced(path, bytes) {
  const handle = await open(path, "wx", 0o600);
  await handle.writeFile(bytes);
  await handle.sync();
  await handle.close();
}

/** Each run has a text of its own, so that no blob is there already. @param {number} lines @param {number} run */
function textOf(lines, run) {
  return Array.from(
    { length: lines },
    (_, at) => `line ${at} of run ${run}, some words to make it as long as code\n`,
  ).join("");
}

/** @param {number} lines @param {number} hunks */
function editsOf(lines, hunks) {
  const step = Math.floor(lines / hunks);
  return Array.from({ length: hunks }, (_, n) => n * step + Math.floor(step / 2));
}

/** @param {number} lines @param {number} hunks @param {number} run */
function diffOf(lines, hunks, run) {
  const line = (/** @type {number} */ at) =>
    `line ${at} of run ${run}, some words to make it as long as code`;
  const parts = editsOf(lines, hunks).map(
    (at) => `@@ -${at},3 +${at},3 @@\n ${line(at - 1)}\n-${line(at)}\n+changed ${at}\n ${line(at + 1)}\n`,
  );
  return `--- a/file.txt\n+++ b/file.txt\n${parts.join("")}`;
}
