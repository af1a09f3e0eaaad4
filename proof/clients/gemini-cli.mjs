import { join } from "node:path";
import { built } from "../machine.mjs";
import { called, installClient, offeredOf, runClient, setUp, writeInto } from "./any-client.mjs";
import { startScriptedGemini, toolAnswers } from "./scripted-gemini.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const geminiVersion = "0.61.0";

/** @type {import("./any-client.mjs").OwnTools} */
export const ownTools = {
  read: (file_path, lines) =>
    called("read_file", { file_path, ...(lines && { start_line: lines.from, end_line: lines.to }) }),
  edit: (file_path, old_string, new_string) =>
    called("replace", { file_path, old_string, new_string, instruction: "as asked" }),
  write: (file_path, content) => called("write_file", { file_path, content }),
  shell: (command) => called("run_shell_command", { command, description: "Runs it" }),
};

/** @type {import("./any-client.mjs").Client} */
export const geminiCli = {
  title: "Gemini CLI",
  version: geminiVersion,
  setup: "gemini",
  install: installGemini,
  startModel: startScriptedGemini,
  settle: ({ home }) => writeInto(home, ".gemini/settings.json", JSON.stringify(userSettings)),
  // Headless it asks nobody: what a person would have to allow is refused unless all is allowed.
  launch: (program, _, url) => launchWith(program, url, "yolo"),
  own: () => ownTools,
  toolName: (server, tool) => `mcp_${server}_${tool}`,
  answers: toolAnswers,
  offered: ({ tools = [] }) =>
    offeredOf(tools.flatMap((/** @type {any} */ { functionDeclarations = [] }) => functionDeclarations)),
};

export function installGemini() {
  const path = ["@google", "gemini-cli", "bundle", "gemini.js"];
  return installClient("gemini-cli", "@google/gemini-cli", geminiVersion, path);
}

/**
 * What one run of the real client is about, headless, in a fresh project with a home of its own.
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
export function runGemini({ serve, guard = false, ...session }, look) {
  const client = {
    ...geminiCli,
    launch: (/** @type {string} */ program, /** @type {unknown} */ _, /** @type {string} */ url) =>
      launchWith(program, url, "auto_edit"),
  };
  /** @param {import("./any-client.mjs").Ground} ground */
  const prepare = (ground) => {
    if (serve) {
      writeInto(ground.project, ".gemini/settings.json", JSON.stringify(projectSettings(ground.home)));
    }
    if (guard) setUp(geminiCli, ground, ["--guard", "--on-mismatch", "rebase-own"]);
  };
  return runClient(client, { ...session, prepare }, ({ bytes, ...told }) =>
    look({ ...told, bytes: (name) => bytes(name) ?? Buffer.alloc(0) }),
  );
}

/** No sign-in, no telemetry, no update: the only connection is the one to the scripted model. */
const userSettings = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

/** As docs/mcp.md says, with the client's own tools taken away: the model has none but ours. @param {string} home */
function projectSettings(home) {
  const args = [built.cli, "mcp", "--state-dir", join(home, "state")];
  return {
    mcpServers: { holdfast: { command: process.execPath, args, trust: true, timeout: 20_000 } },
    tools: { core: ["mcp_holdfast_*"] },
  };
}

/**
 * @param {string} program @param {string} url @param {"auto_edit" | "yolo"} mode what is allowed without a person
 * @returns {import("./any-client.mjs").Launch}
 */
function launchWith(program, url, mode) {
  const args = ["-p", "Please do as we said.", "--approval-mode", mode, "--skip-trust", "-o", "json"];
  return {
    file: process.execPath,
    args: [program, ...args, "-m", "gemini-2.5-pro"],
    env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: "1" },
  };
}
