import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built, cacheFolder, installPeers } from "../machine.mjs";
import { startScriptedClaude } from "./scripted-claude.mjs";

/** The version whose behaviour was looked at; a newer one is tried by changing this line. */
export const claudeVersion = "2.1.330";

/**
 * @param {boolean} quick whether not to download it (it has 380 MB)
 * @returns {{ kind: "installed", program: string } | { kind: "missing", reason: string }}
 */
export function installClaude(quick) {
  if (quick && !existsSync(join(cacheFolder("claude-code"), "node_modules")))
    return { kind: "missing", reason: "not downloaded for a quick run" };
  const installed = installPeers("claude-code", { "@anthropic-ai/claude-code": claudeVersion });
  if (installed.kind === "missing") return installed;
  const name = `claude-code-${process.platform}-${process.arch}`;
  const program = join(installed.folder, "node_modules", "@anthropic-ai", name, "claude");
  return existsSync(program)
    ? { kind: "installed", program }
    : { kind: "missing", reason: `no program for ${process.platform} ${process.arch}` };
}

/**
 * One run of the real client, headless, with its own tools behind the hooks that
 * `holdfast setup claude --guard` sets, in a fresh project with a home of its own.
 *
 * @template Result
 * @param {{ readonly program: string, readonly files: Readonly<Record<string, string>>, readonly guard: boolean,
 *   turns(project: string): readonly import("./scripted-claude.mjs").Turn[] }} session
 * @param {(told: { readonly exit: number | null, readonly complaint: string, readonly faults: readonly unknown[],
 *   readonly requests: readonly import("./scripted-claude.mjs").ModelRequest[], bytes(name: string): Buffer }) => Result} look
 * @returns {Promise<Result>}
 */
export async function runClaude({ program, files, guard, turns }, look) {
  const top = mkdtempSync(join(tmpdir(), "holdfast-claude-"));
  const [project, home] = [join(top, "project"), join(top, "home")];
  for (const folder of [project, join(home, "tmp")]) mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(project, name), content);
  if (guard) setGuard(project, home);
  const model = await startScriptedClaude(turns(project));
  try {
    const ended = await start(program, project, home, model.url);
    const { requests, faults } = model;
    return look({ ...ended, requests, faults, bytes: (name) => readFileSync(join(project, name)) });
  } finally {
    await model.close();
    rmSync(top, { recursive: true, force: true });
  }
}

/** @param {string} project @param {string} home */
function setGuard(project, home) {
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const args = [built.cli, "setup", "claude", "--guard", "--yes"];
  const run = spawnSync(process.execPath, args, { cwd: project, env, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the setup failed: ${run.stderr}`);
}

/**
 * @param {string} program @param {string} cwd @param {string} home @param {string} url
 * @returns {Promise<{ exit: number | null, complaint: string }>}
 */
function start(program, cwd, home, url) {
  const args = ["-p", "Please do as we said.", "--permission-mode", "acceptEdits", "--output-format", "json"];
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TMPDIR: join(home, "tmp"),
    ANTHROPIC_API_KEY: "none",
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
  const child = spawn(program, [...args, "--model", "claude-sonnet-4-5"], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 90_000,
  });
  let complaint = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      complaint += part;
    });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, complaint }));
  });
}
