import { createHash } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNodeHalf } from "../patch/engine.mjs";
import { formatMs, median, tableOf } from "../patch/table.mjs";
import { peerLibrary } from "./servers.mjs";

/** The two steps that safety costs most in, alone and in process. @param {{ short: boolean }} options */
export async function measureParts({ short }) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    mkdirSync(join(folder, "root", "src", "deep", "er"), { recursive: true });
    return [await measureOpen(join(folder, "root"), short), await measureWrite(folder, short)].join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} root @param {boolean} short */
async function measureOpen(root, short) {
  const { openDisk } = await openNodeHalf();
  const peer = peerLibrary === undefined ? undefined : await import(peerLibrary);
  peer?.setAllowedDirectories([root]);
  const disk = openDisk([root]);
  const rows = [];
  for (const path of ["file.ts", "src/deep/er/file.ts"]) {
    const whole = join(root, path);
    writeFileSync(whole, "x");
    const ways = [
      async () => (await disk.enter(path, "refuse")).close(),
      async () => peer?.validatePath(whole),
      async () => closeSync(openSync(whole, "r")),
    ];
    const times = await inTurn(ways, short ? 5 : 31, short ? 50 : 500);
    const cells = times.map((batch) => `${(median(batch) * 1_000).toFixed(1)} µs`);
    rows.push([path, ...cells.map((cell, at) => (at === 1 && peer === undefined ? "–" : cell))]);
  }
  disk.close();
  return [
    "## Confined open\n",
    "Holdfast walks to the file by handles of folders, so that no link can lead it astray, and lets the handles go; the peer resolves the path and checks the text that comes out; a bare open and close checks nothing.\n",
    tableOf(["path", "holdfast", "server-filesystem `validatePath`", "bare open and close"], rows),
  ].join("\n");
}

/** The time of one call, in milliseconds, for each batch. @param {readonly (() => Promise<unknown>)[]} ways @param {number} batches @param {number} size */
async function inTurn(ways, batches, size) {
  /** @type {number[][]} */
  const times = ways.map(() => []);
  for (let batch = 0; batch <= batches; batch++) {
    for (const [at, way] of ways.entries()) {
      const begun = performance.now();
      for (let n = 0; n < size; n++) await way();
      // The first batch warms up.
      if (batch > 0) times[at]?.push((performance.now() - begun) / size);
    }
  }
  return times;
}

/** @param {string} folder @param {boolean} short */
async function measureWrite(folder, short) {
  const { openWorkspace } = await openNodeHalf();
  const peer = peerLibrary === undefined ? undefined : await import(peerLibrary);
  const root = join(folder, "root");
  const workspace = await openWorkspace({
    guards: { wholeReplacement: "hash" },
    roots: [root],
    stateDir: join(folder, "state"),
  });
  if (workspace.kind === "refusal") throw new Error(workspace.message);
  let base = "";
  /** @type {Record<string, (text: string) => Promise<unknown>>} */
  const ways = {
    "holdfast: base checked, old and new state kept, fsync of file and folder": async (content) => {
      const done = await workspace.write({ path: "own.txt", content, ...(base === "" ? {} : { base }) });
      if (done.code !== "applied") throw new Error(done.message);
      base = createHash("sha256").update(content).digest("hex");
    },
    "floor: stage, fsync, rename, fsync of the folder": async (text) => writeDurably(root, text),
    ...(peer !== undefined && {
      "server-filesystem: stage, rename": (text) => peer.writeFileContent(join(root, "peer.txt"), text),
    }),
    "bare writeFile": (text) => writeFile(join(root, "bare.txt"), text),
  };
  const names = Object.keys(ways);
  /** @type {number[][]} */
  const times = names.map(() => []);
  const rounds = short ? 5 : 400;
  for (let round = 0; round < rounds + 20; round++) {
    const text = `${round} ${"x".repeat(4_089)}\n`.slice(-4_096);
    for (const [at, name] of names.entries()) {
      const begun = performance.now();
      await ways[name]?.(text);
      if (round >= 20) times[at]?.push(performance.now() - begun);
    }
  }
  await workspace.close();
  const rows = names.map((name, at) => [name, ...percentiles(times[at] ?? [])]);
  return [
    "## Safe write of 4 KiB\n",
    "One existing file is overwritten, in process, the ways in turn.\n",
    tableOf(["way", "p50", "p95"], rows),
  ].join("\n");
}

/** @param {string} folder @param {string} text */
function writeDurably(folder, text) {
  const stage = join(folder, ".stage");
  const fd = openSync(stage, "wx");
  writeSync(fd, text);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(stage, join(folder, "floor.txt"));
  const place = openSync(folder, "r");
  fsyncSync(place);
  closeSync(place);
}

/** @param {readonly number[]} times */
function percentiles(times) {
  const sorted = [...times].sort((one, other) => one - other);
  return [0.5, 0.95].map((share) => formatMs(sorted[Math.floor(sorted.length * share)] ?? Number.NaN));
}
