import { claudeCode } from "../../proof/clients/claude-code.mjs";
import { geminiCli } from "../../proof/clients/gemini-cli.mjs";
import { built } from "../../proof/machine.mjs";
import { claudeHand, geminiHand, oursHand } from "../turns/hands.mjs";

/**
 * An agent, the API that its scripted model speaks, and how it uses its tools.
 *
 * @typedef {import("../../proof/clients/any-client.mjs").Client} Client
 * @typedef {{ readonly name: string, readonly client: Client, hand(project: string): import("../turns/hands.mjs").Hand }} Contender
 */

const key = { GEMINI_API_KEY: "none", ANTHROPIC_API_KEY: "none" };

/** Ours beside each of the others, with the API of that one. @type {readonly Contender[]} */
export const contenders = [
  ours(geminiCli, "gemini-2.5-pro", (url) => ({ ...key, GOOGLE_GEMINI_BASE_URL: url })),
  { name: geminiCli.title, client: geminiCli, hand: geminiHand },
  ours(claudeCode, "claude-sonnet-4-5", (url) => ({ ...key, ANTHROPIC_BASE_URL: url })),
  { name: claudeCode.title, client: claudeCode, hand: claudeHand },
];

/**
 * @param {Client} beside whose API it speaks @param {string} model
 * @param {(url: string) => Readonly<Record<string, string>>} env
 * @returns {Contender}
 */
function ours({ title, startModel, answers, offered }, model, env) {
  const args = ["-p", "Please do as we said.", "--approval-mode", "auto-edit", "-o", "json", "-m", model];
  /** @type {Client} */
  const client = {
    title: `holdfast, as ${title}`,
    version: "",
    install: () => ({ kind: "installed", program: built.cli }),
    startModel,
    launch: (program, _, url) => ({ file: process.execPath, args: [program, ...args], env: env(url) }),
    toolName: (_, tool) => tool,
    answers,
    offered,
  };
  return { name: client.title, client, hand: () => oursHand((tool) => tool) };
}
