import { join } from "node:path";
import { called, installClient, offeredOf, platform, runClient, setUp } from "./any-client.mjs";
import { startScriptedClaude, toolResults } from "./scripted-claude.mjs";

/** The version whose behaviour was looked at; a newer one is tried by changing this line. */
export const claudeVersion = "2.1.332";

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
      ...["--model", "claude-sonnet-4-5", "--allowedTools", "mcp__holdfast", "mcp__filesystem", "Bash"],
    ],
    env: {
      ANTHROPIC_API_KEY: "none",
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
  own: (project) => ({
    read: (file, lines) =>
      called("Read", {
        file_path: join(project, file),
        ...(lines && { offset: lines.from, limit: lines.count }),
      }),
    edit: (file, old_string, new_string) =>
      called("Edit", { file_path: join(project, file), old_string, new_string }),
    write: (file, content) => called("Write", { file_path: join(project, file), content }),
    shell: (command) => called("Bash", { command, description: "Runs it" }),
  }),
  toolName: (server, tool) => `mcp__${server}__${tool}`,
  answers: toolResults,
  offered: ({ tools = [] }) => offeredOf(tools),
};

export function installClaude() {
  const path = ["@anthropic-ai", `claude-code-${platform}`, "claude"];
  return installClient("claude-code", "@anthropic-ai/claude-code", claudeVersion, path);
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
