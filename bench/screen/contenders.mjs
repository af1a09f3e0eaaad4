import { join } from "node:path";
import { writeInto } from "../../proof/clients/any-client.mjs";
import { geminiCli } from "../../proof/clients/gemini-cli.mjs";
import { built } from "../../proof/machine.mjs";
import { installPeer } from "../agent/peers.mjs";

/**
 * An agent at a terminal.
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {() => import("../../proof/clients/any-client.mjs").Installed} install
 * @property {(ground: import("../../proof/clients/any-client.mjs").Ground, url: string) => Readonly<Record<string, string>>} settle
 *   writes what a person's own settings would say; the variables of its environment
 * @property {(program: string) => readonly string[]} command
 * @property {string} ready words on the screen once it takes input
 */

const key = "sk-ant-bench-key-00000000";
const model = "claude-sonnet-4-5";

/** @type {readonly Contender[]} */
export const contenders = [
  {
    name: "holdfast",
    install: () => ({ kind: "installed", program: built.cli }),
    settle: (_, url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
    command: (program) => [process.execPath, program, "-m", `anthropic/${model}`],
    ready: "? for help",
  },
  {
    name: "Claude Code",
    install: () => installPeer("@anthropic-ai/claude-code"),
    settle: ({ home, project }, url) => {
      const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
      const customApiKeyResponses = { approved: [key.slice(-20)], rejected: [] };
      const known = { hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses, projects };
      writeInto(home, ".claude.json", JSON.stringify(known));
      const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
      return { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url, ...quiet };
    },
    command: (program) => [program, "--model", model],
    ready: "? for shortcuts",
  },
  {
    name: "Gemini CLI",
    install: () => installPeer("@google/gemini-cli"),
    settle: (ground, url) => {
      geminiCli.settle?.(ground, url);
      return { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url };
    },
    command: (program) => [process.execPath, program, "-m", "gemini-2.5-pro"],
    ready: "Type your message",
  },
  {
    name: "pi",
    install: () => installPeer("@mariozechner/pi-coding-agent"),
    settle: ({ home }, url) => {
      const providers = { anthropic: { baseUrl: url, apiKey: "none" } };
      writeInto(home, join(".pi", "agent", "models.json"), JSON.stringify({ providers }));
      return { ANTHROPIC_API_KEY: "none", PI_OFFLINE: "1" };
    },
    command: (program) => [process.execPath, program, "--model", `anthropic/${model}`],
    ready: "(auto)",
  },
];
