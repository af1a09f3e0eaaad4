import { defined } from "@holdfast/core/text";
import type { ApprovalRule } from "../config/approval.js";
import { commandTool } from "../loop/approval.js";
import type { CommandHost, CommandSpec, GivenWords } from "./command.js";
import { refused, told, unavailable } from "./results.js";

/** A command that shows what settings say of some keys. */
function settingsCommand(name: string, says: string, keys: readonly string[]): CommandSpec {
  return {
    name,
    says,
    run: async (_, { settings: read }) =>
      read === undefined
        ? unavailable("Showing settings")
        : told("Settings:", { text: (await read(keys)).join("\n") || `Nothing is set: ${keys.join(", ")}.` }),
  };
}

const permissions: CommandSpec = {
  ...settingsCommand("permissions", "", ["approval"]),
  usage: "[allow|ask|deny COMMAND… | --tool NAME [--path GLOB]]",
  says: "Shows the rules of approval and where each comes from, or puts one before yours, from now on.",
  options: { tool: "value", path: "value" },
  operands: { least: 0, most: "text" },
  run: async (given, host) => {
    const [, decision, words = ""] = /^(allow|ask|deny)(?:\s+([\s\S]+))?$/.exec(given.text.trim()) ?? [];
    if (given.text === "" && given.value("tool") === undefined)
      return settingsCommand("permissions", "", ["approval"]).run(given, host);
    const rule = ruleOf(decision, words, given);
    if (rule === undefined)
      return refused("invalid_arguments", "A rule is allow, ask or deny, and a command or --tool NAME.");
    if (host.addRule === undefined) return unavailable("Adding a rule");
    const said = await host.addRule(rule);
    return typeof said === "string" ? told(said) : refused(said.code, said.message);
  },
};

function ruleOf(decision: string | undefined, words: string, given: GivenWords): ApprovalRule | undefined {
  const [tool, path] = [given.value("tool"), given.value("path")];
  const isDecision = decision === "allow" || decision === "ask" || decision === "deny";
  if (!isDecision || (words === "") === (tool === undefined)) return undefined;
  return tool === undefined
    ? { tool: commandTool, command: words, decision }
    : { tool, decision, ...defined({ path }) };
}

const mcp: CommandSpec = {
  name: "mcp",
  usage: "[NAME] [--retry]",
  says: "Shows how each MCP server stands, or one; --retry starts those that failed once more.",
  options: { retry: "switch" },
  operands: { least: 0, most: 1 },
  operand: "server",
  run: async (given, { servers }: CommandHost) => {
    if (servers === undefined) return unavailable("Looking at MCP servers");
    const all = await servers(given.has("retry"));
    const states = given.text === "" ? all : all.filter(({ name }) => name === given.text);
    if (states.length < Math.min(1, all.length))
      return refused("invalid_arguments", `There are: ${all.map(({ name }) => name).join(", ")}.`);
    const lines = states.flatMap(({ name, kind, tools, messages }) => [
      `${name}  ${kind === "ready" ? `${tools} tools` : kind}`,
      ...messages.map((message) => `  ${message}`),
    ]);
    const none = "There is none. `holdfast config set mcpServers.NAME …` or a .mcp.json names one.";
    return told(`MCP servers: ${states.length}.`, { text: lines.join("\n") || none });
  },
};

const trust: CommandSpec = {
  name: "trust",
  usage: "[yes|no]",
  says: "Shows what trust in this folder switches on; yes trusts it as it is now, no takes trust back.",
  operands: { least: 0, most: 1 },
  run: async ({ text }, { trust: change }) => {
    if (change === undefined) return unavailable("Trust");
    if (text !== "" && text !== "yes" && text !== "no")
      return refused("invalid_arguments", "Say yes or no, or nothing.");
    const [message = "", ...lines] = await change(text === "" ? undefined : text);
    return told(message, { text: lines.join("\n") });
  },
};

/** The commands on what the model and the project may do. */
export const rightsCommands: readonly CommandSpec[] = [
  permissions,
  mcp,
  settingsCommand("hooks", "Shows the hooks and the check after edits, and where each comes from.", [
    "hooks",
    "diagnostics",
  ]),
  trust,
];
