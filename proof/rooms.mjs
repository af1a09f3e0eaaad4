import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { cacheFolder } from "./machine.mjs";

/** A fresh folder in the system's folder for temporary files; its maker removes it. */
export function freshFolder(below = tmpdir()) {
  return mkdtempSync(join(below, "holdfast-proof-"));
}

/** @param {string} folder */
export function remove(folder) {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * A child program with our built packages as one file, which starts in a tenth of a second.
 *
 * @param {string} path of a module of this folder, `faults/call.mjs`
 * @returns {string} the file to run
 */
export function bundle(path) {
  const outfile = join(cacheFolder("children"), path.replaceAll("/", "-").replace(/\.ts$/, ".mjs"));
  buildSync({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["fs-native-extensions"],
    banner: {
      js: 'import { createRequire as proofRequire } from "node:module"; const require = proofRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
}

/** Text by path, of all regular files below a folder. @param {string} root @returns {Record<string, string>} */
export function treeOf(root) {
  /** @type {Record<string, string>} */
  const tree = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    tree[path.slice(root.length + 1)] = readFileSync(path, "latin1");
  }
  return tree;
}

/** Whether two trees hold the same. @param {Readonly<Record<string, string>>} one @param {Readonly<Record<string, string>>} other */
export function sameTree(one, other) {
  const paths = Object.keys(one);
  return paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path]);
}

/** Files of ours that lie in somebody's folder. @param {Readonly<Record<string, string>>} tree */
export function stagesIn(tree) {
  return Object.keys(tree).filter((path) => /(^|\/)\.holdfast-/.test(path));
}

/** Records of writes that are not over. @param {string} stateDir */
export function recordsIn(stateDir) {
  return ["intents", "changes"].flatMap((room) => {
    try {
      return readdirSync(join(stateDir, room)).map((name) => `${room}/${name}`);
    } catch {
      return [];
    }
  });
}

/**
 * Works on each, some at a time, in order of their beginning.
 *
 * @template Item
 * @param {readonly Item[]} items @param {(item: Item) => Promise<void>} work @param {number} [atOnce]
 */
export async function eachOf(items, work, atOnce = 2) {
  const rest = items.values();
  const lane = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/**
 * So many of them, spread evenly; all where that is more.
 *
 * @template Item @param {readonly Item[]} items @param {number} count @returns {readonly Item[]}
 */
export function spread(items, count) {
  if (items.length <= count) return items;
  const stride = items.length / count;
  return Array.from({ length: count }, (_, at) => items[Math.floor(at * stride)]).filter(
    (item) => item !== undefined,
  );
}

/** @param {string} folder */
export function makeFolder(folder) {
  mkdirSync(folder, { recursive: true });
  return folder;
}
