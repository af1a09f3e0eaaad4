import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("../", import.meta.url));
const require = createRequire(import.meta.url);

/**
 * Installs what package-lock.json of this folder names, if it is not there yet.
 *
 * @returns {string | undefined} why peers are missing, if they are
 */
export function installPeers() {
  return installInto(home, ["diff", "@modelcontextprotocol/server-filesystem"]);
}

/**
 * Installs what a folder's package-lock.json names, unless these packages are there already.
 *
 * @param {string} folder
 * @param {readonly string[]} peers
 * @returns {string | undefined} why they are missing, if they are
 */
export function installInto(folder, peers) {
  if (peers.every((peer) => existsSync(join(folder, "node_modules", peer)))) return undefined;
  if (process.argv.includes("--short")) return "they are not installed, and the short form installs nothing";
  const name = relative(join(home, ".."), folder);
  process.stderr.write(`Installing the peers into ${name}/node_modules (npm ci) …\n`);
  const run = spawnSync("npm", ["ci", "--no-fund", "--no-audit"], { cwd: folder, encoding: "utf8" });
  return run.status === 0
    ? undefined
    : `npm ci in ${name}/ failed: ${run.stderr?.split("\n")[0] ?? run.error}`;
}

/** The versions of everybody who takes part; `undefined` for a peer that cannot be had. */
export function findVersions() {
  return {
    holdfast: versionOf("../../packages/core/package.json"),
    commit: firstLine("git", ["-C", home, "rev-parse", "--short", "HEAD"]),
    jsdiff: versionOf("diff/package.json"),
    patch: firstLine("patch", ["--version"]),
    git: firstLine("git", ["--version"]),
    codex: codexBinary() === undefined ? undefined : versionOf("@openai/codex/package.json"),
  };
}

/** The program that reads V4A patches, where its package of this platform is installed. @returns {string | undefined} */
export function codexBinary() {
  try {
    const folder = join(require.resolve("@openai/codex/package.json"), "..");
    const script = join(folder, "bin", "codex.js");
    return spawnSync(process.execPath, [script, "--version"]).status === 0 ? script : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Who takes part, as rows.
 *
 * @param {{ seed: string, pool: import("../generator/texts.mjs").Pool, missing: string | undefined }} facts
 * @returns {readonly (readonly [string, string])[]}
 */
export function partRows({ seed, pool, missing }) {
  const versions = findVersions();
  const { history, packages, repetitive, fingerprint } = pool;
  /** @returns {readonly [string, string]} */
  const row = (
    /** @type {string} */ peer,
    /** @type {string | undefined} */ version,
    /** @type {string} */ how,
  ) => [peer, version ?? `not to be had here (${how})`];
  return [
    [
      "seed",
      `\`${seed}\`; texts ${fingerprint}: ${history.length} changes of this repository's history, ${packages.length} files of npm packages, ${repetitive.length} repetitive texts`,
    ],
    row("jsdiff (`diff`)", versions.jsdiff, missing ?? "npm ci in bench/"),
    row("GNU patch", versions.patch, "Debian package patch"),
    row("git apply", versions.git, "Debian package git"),
    row(
      "codex apply_patch (`@openai/codex`)",
      versions.codex,
      "an optional dependency; no binary for this platform",
    ),
  ];
}

/** @param {string} file */
function versionOf(file) {
  try {
    return String(JSON.parse(readFileSync(require.resolve(file), "utf8")).version);
  } catch {
    return undefined;
  }
}

/** @param {string} program @param {readonly string[]} args */
function firstLine(program, args) {
  const run = spawnSync(program, args, { encoding: "utf8" });
  return run.status === 0 ? run.stdout.split("\n")[0]?.trim() : undefined;
}
