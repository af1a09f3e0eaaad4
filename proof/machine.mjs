import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const home = fileURLToPath(new URL("../", import.meta.url));
const cache = join(home, "node_modules", ".cache", "holdfast-proof");

/** Our packages, as built: `npm run build` first. Child processes import these files. */
export const built = {
  core: join(home, "packages", "core", "dist", "index.js"),
  node: join(home, "packages", "core", "dist", "node", "index.js"),
  agent: join(home, "packages", "agent", "dist", "index.js"),
  /** The table of hosts. */
  hosts: join(home, "packages", "mcp", "dist", "hosts.js"),
  postgres: join(home, "addons", "postgres", "dist", "index.js"),
  /** The bundled command. */
  cli: join(home, "packages", "cli", "bin", "holdfast.js"),
};
if (!existsSync(built.node)) throw new Error("packages/core is not built: run npm run build first.");

/** What the figures were measured on. @param {readonly string[]} command */
export function describeMachine(command) {
  const commit = firstLine("git", ["-C", home, "rev-parse", "--short", "HEAD"]);
  return [
    "| what | which |",
    "|---|---|",
    `| command | \`npm run proof${command.length > 0 ? ` -- ${command.join(" ")}` : ""}\` |`,
    `| date | ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC |`,
    `| machine | ${cpus().length} × ${cpus()[0]?.model.trim() ?? "?"}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${type()} ${release()}, Node ${process.version} |`,
    `| holdfast | ${commit ?? "no git"} |`,
    "",
  ].join("\n");
}

/** Whether this can be run here. @param {string} program @param {readonly string[]} [args] */
export function hasProgram(program, args = ["--version"]) {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

export const isRoot = process.geteuid?.() === 0;

/**
 * A folder that outlives the run and is never committed, `node_modules/.cache/holdfast-proof/NAME`.
 *
 * @param {string} name
 */
export function cacheFolder(name) {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Installs peers, exactly these versions, into the cache: they are no dependencies of the project.
 *
 * @param {string} name of the folder in the cache
 * @param {Readonly<Record<string, string>>} versions by package name
 * @returns {{ kind: "installed", folder: string } | { kind: "missing", reason: string }} modules are at
 *   `folder/node_modules/NAME`
 */
export function installPeers(name, versions) {
  const folder = cacheFolder(name);
  const wanted = Object.entries(versions).map(([peer, version]) => `${peer}@${version}`);
  const stamp = join(folder, `installed-${wanted.join("_").replaceAll(/[^\w.@-]/g, "+")}`);
  if (existsSync(stamp)) return { kind: "installed", folder };
  if (process.argv.includes("--short"))
    return {
      kind: "missing",
      reason: `${name} is not installed, and the short form of a bench installs nothing`,
    };
  const flags = ["--no-save", "--no-fund", "--no-audit", "--ignore-scripts", "--force", "--silent"];
  const run = spawnSync("npm", ["install", "--prefix", folder, ...flags, ...wanted], { encoding: "utf8" });
  if (run.status !== 0) return { kind: "missing", reason: `npm install ${wanted.join(" ")} failed` };
  writeFileSync(stamp, "");
  return { kind: "installed", folder };
}

/** @param {string} program @param {readonly string[]} args */
function firstLine(program, args) {
  const run = spawnSync(program, args, { encoding: "utf8" });
  return run.status === 0 ? run.stdout.split("\n")[0]?.trim() : undefined;
}
