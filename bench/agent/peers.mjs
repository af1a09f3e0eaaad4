import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { platform } from "../../proof/clients/any-client.mjs";

/**
 * The agents that ours is measured beside, in the versions of the lockfile of this folder.
 *
 * @typedef {keyof typeof programs} Peer
 */

const programs = {
  "@anthropic-ai/claude-code": ["@anthropic-ai", `claude-code-${platform}`, "claude"],
  "@google/gemini-cli": ["@google", "gemini-cli", "bundle", "gemini.js"],
  "@mariozechner/pi-coding-agent": ["@mariozechner", "pi-coding-agent", "dist", "cli.js"],
  "@openai/codex": ["@openai", "codex", "bin", "codex.js"],
  "opencode-ai": [`opencode-${platform}`, "bin", "opencode"],
};
const home = fileURLToPath(new URL("./", import.meta.url));

/** @type {Readonly<Record<Peer, string>>} */
export const versions = JSON.parse(readFileSync(join(home, "package.json"), "utf8")).dependencies;

/**
 * Installs all peers, once, in a folder of TMPDIR: they are too large for the repository's own.
 *
 * @param {Peer} peer @returns {import("../../proof/clients/any-client.mjs").Installed}
 */
export function installPeer(peer) {
  const lock = readFileSync(join(home, "package-lock.json"));
  const name = createHash("sha256").update(lock).digest("hex").slice(0, 12);
  const folder = join(tmpdir(), `holdfast-bench-agents-${name}`);
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json", ".npmrc"])
    cpSync(join(home, file), join(folder, file));
  if (!existsSync(join(folder, "node_modules"))) {
    process.stderr.write(`Installing the peers into ${folder} …\n`);
    // No `npm ci`: it refuses a lockfile without packages of other platforms that a mirror does not have.
    const run = spawnSync("npm", ["install"], { cwd: folder, encoding: "utf8" });
    if (run.status !== 0)
      return { kind: "missing", reason: run.stderr.split("\n").at(-2) ?? String(run.error) };
  }
  const program = join(folder, "node_modules", ...programs[peer]);
  return existsSync(program)
    ? { kind: "installed", program }
    : { kind: "missing", reason: `no program for ${platform}` };
}
