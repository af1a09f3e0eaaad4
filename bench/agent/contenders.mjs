import { claudeCode } from "../../proof/clients/claude-code.mjs";
import { geminiCli } from "../../proof/clients/gemini-cli.mjs";
import { built } from "../../proof/machine.mjs";
import { claudeHand, geminiHand, oursHand } from "../turns/hands.mjs";

/**
 * An agent, the API that its scripted model speaks, and how it uses its tools.
 *
 * @typedef {import("../../proof/clients/any-client.mjs").Client} Client
 * @typedef {{ readonly name: string, readonly client: Client, readonly wire: "anthropic" | "gemini", hand(project: string): import("../turns/hands.mjs").Hand }} Contender
 */

/** Ours stops after 200 steps unless told otherwise; the others do not. */
const own = { GEMINI_API_KEY: "none", ANTHROPIC_API_KEY: "none", HOLDFAST_MAX_TURNS: "400" };

/**
 * Ours beside each of the others, with the API of that one.
 *
 * @param {"auto-edit" | "yolo"} mode of ours: `yolo` where the script runs commands, as the others may anyway
 * @returns {readonly Contender[]}
 */
export function contendersWith(mode) {
  return [
    ours(geminiCli, "gemini", "gemini-2.5-pro", mode, (url) => ({ ...own, GOOGLE_GEMINI_BASE_URL: url })),
    { name: geminiCli.title, client: geminiCli, wire: "gemini", hand: geminiHand },
    ours(claudeCode, "anthropic", "claude-sonnet-4-5", mode, (url) => ({ ...own, ANTHROPIC_BASE_URL: url })),
    { name: claudeCode.title, client: claudeCode, wire: "anthropic", hand: claudeHand },
  ];
}

/**
 * @param {Client} beside whose API it speaks @param {Contender["wire"]} wire @param {string} model @param {string} mode
 * @param {(url: string) => Readonly<Record<string, string>>} env
 * @returns {Contender}
 */
function ours({ title, startModel, answers, offered }, wire, model, mode, env) {
  const args = ["-p", "Please do as we said.", "--approval-mode", mode, "-o", "json", "-m", model];
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
  return { name: client.title, client, wire, hand: () => oursHand((tool) => tool) };
}
