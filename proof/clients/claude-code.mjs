import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPeers } from "../machine.mjs";
import { runClient, setUp } from "./any-client.mjs";
import { startScriptedClaude, toolResults } from "./scripted-claude.mjs";

/** The version whose behaviour was looked at; a newer one is tried by changing this line. */
export const claudeVersion = "2.1.330";

/** @type {import("./any-client.mjs").Client} */
export const claudeCode = {
  title: "Claude Code",
  version: claudeVersion,
  setup: "claude",
  install: installClaude,
  startModel: startScriptedClaude,
  launch: (program, _, url) => ({
    file: program,
    args: [
      ...["-p", "Please do as we said.", "--permission-mode", "acceptEdits", "--output-format", "json"],
      ...[
        "--model",
        "claude-sonnet-4-5",
        "--allowedTools",
        "mcp__holdfast",
        "mcp__filesystem",
        "mcp__probe",
        "Bash",
      ],
    ],
    env: {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
  own: (project) => ({
    read: (file) => ({ call: "Read", args: { file_path: join(project, file) } }),
    edit: (file, old_string, new_string) => ({
      call: "Edit",
      args: { file_path: join(project, file), old_string, new_string },
    }),
  }),
  toolName: (server, tool) => `mcp__${server}__${tool}`,
  answers: toolResults,
  offered: ({ tools = [] }) =>
    tools.map((/** @type {any} */ tool) => ({
      name: tool.name,
      description: tool.description ?? "",
      text: JSON.stringify(tool),
    })),
};

/** @returns {import("./any-client.mjs").Installed} */
export function installClaude() {
  const installed = installPeers("claude-code", { "@anthropic-ai/claude-code": claudeVersion });
  if (installed.kind === "missing") return installed;
  const name = `claude-code-${process.platform}-${process.arch}`;
  const program = join(installed.folder, "node_modules", "@anthropic-ai", name, "claude");
  return existsSync(program)
    ? { kind: "installed", program }
    : { kind: "missing", reason: `no program for ${process.platform} ${process.arch}` };
}

/**
 * One run of the real client, headless, with its own tools, `guard`: behind the hooks that
 * `holdfast setup claude --guard` sets with these flags.
 *
 * @template Result
 * @param {{ readonly program: string, readonly files: Readonly<Record<string, string>>, readonly guard?: readonly string[],
 *   turns(project: string): readonly import("./scripted-claude.mjs").Turn[] }} session
 * @param {(told: import("./any-client.mjs").Told) => Result} look
 * @returns {Promise<Result>}
 */
export function runClaude({ guard, ...session }, look) {
  /** @param {import("./any-client.mjs").Ground} ground */
  const prepare = (ground) => {
    if (guard !== undefined) setUp(claudeCode, ground, ["--guard", ...guard]);
  };
  return runClient(claudeCode, { ...session, prepare }, look);
}
