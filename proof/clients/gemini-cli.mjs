import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, installPeers } from "../machine.mjs";
import { startScriptedGemini } from "./scripted-gemini.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const geminiVersion = "0.61.0";

/** @returns {{ kind: "installed", program: string } | { kind: "missing", reason: string }} */
export function installGemini() {
  const installed = installPeers("gemini-cli", { "@google/gemini-cli": geminiVersion });
  if (installed.kind === "missing") return installed;
  const program = join(installed.folder, "node_modules", "@google", "gemini-cli", "bundle", "gemini.js");
  return { kind: "installed", program };
}

/**
 * One run of the real client, headless, in a fresh project with a home of its own.
 *
 * @typedef {{ readonly program: string, readonly files: Readonly<Record<string, string | Uint8Array>>,
 *   readonly serve: boolean, readonly guard?: boolean, turns(project: string): readonly import("./scripted-gemini.mjs").Turn[] }} Session
 *   `serve`: with `holdfast mcp` as its only writing tools; else with the client's own, `guard`: behind the
 *   hooks that `holdfast setup gemini --guard` sets.
 * @typedef {{ readonly exit: number | null, readonly complaint: string, readonly faults: readonly unknown[],
 *   readonly requests: readonly import("./scripted-gemini.mjs").ModelRequest[],
 *   bytes(name: string): Buffer }} Told
 */

/**
 * @template Result
 * @param {Session} session
 * @param {(told: Told) => Result} look at the project, before it is removed
 * @returns {Promise<Result>}
 */
export async function runGemini({ program, files, serve, guard = false, turns }, look) {
  const top = mkdtempSync(join(tmpdir(), "holdfast-gemini-"));
  const project = join(top, "project");
  mkdirSync(join(project, ".gemini"), { recursive: true });
  for (const name of [".gemini", "tmp"]) mkdirSync(join(top, "home", name), { recursive: true });
  writeFileSync(join(top, "home", ".gemini", "settings.json"), JSON.stringify(userSettings));
  if (serve) writeFileSync(join(project, ".gemini", "settings.json"), JSON.stringify(projectSettings(top)));
  if (guard) setGuard(project, join(top, "home"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);
  const model = await startScriptedGemini(turns(project));
  try {
    const ended = await start(program, project, join(top, "home"), model.url);
    const { requests, faults } = model;
    return look({ ...ended, requests, faults, bytes: (name) => readFileSync(join(project, name)) });
  } finally {
    await model.close();
    rmSync(top, { recursive: true, force: true });
  }
}

/** No sign-in, no telemetry, no update: the only connection is the one to the scripted model. */
const userSettings = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

/** As docs/guard.md says. @param {string} project @param {string} home */
function setGuard(project, home) {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const args = [built.cli, "setup", "gemini", "--guard", "--yes"];
  const run = spawnSync(process.execPath, args, { cwd: project, env, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the setup failed: ${run.stderr}`);
}

/** As docs/mcp.md says, with the client's own tools taken away: the model has none but ours. @param {string} top */
function projectSettings(top) {
  const args = [built.cli, "mcp", "--state-dir", join(top, "state")];
  return {
    mcpServers: { holdfast: { command: process.execPath, args, trust: true, timeout: 20_000 } },
    tools: { core: ["mcp_holdfast_*"] },
  };
}

/**
 * @param {string} program @param {string} cwd @param {string} home @param {string} url
 * @returns {Promise<{ exit: number | null, complaint: string }>}
 */
function start(program, cwd, home, url) {
  const args = ["-p", "Please do as we said.", "--approval-mode", "auto_edit", "--skip-trust"];
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: join(home, "tmp"),
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_NO_RELAUNCH: "1",
  };
  const child = spawn(process.execPath, [program, ...args, "-o", "json", "-m", "gemini-2.5-pro"], {
    cwd,
    env,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 90_000,
  });
  let complaint = "";
  child.stderr.on("data", (part) => {
    complaint += part;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, complaint }));
  });
}
