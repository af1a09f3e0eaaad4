import type { ConversationContext, JsonObject } from "@holdfast/core/conversation/values";
import { todoLines, todosOf } from "../host/todos.js";
import { cacheBrokeWords } from "../loop/cache-watch.js";
import type { CommandHost, CommandOutcome, CommandSpec } from "./command.js";
import { refused, told } from "./results.js";

const context: CommandSpec = {
  name: "context",
  says: "Shows what fills the prompt, by kind and by file.",
  run: async (_, { agent }) => {
    const { tokens, headTokens, kinds, files } = agent.contextMap;
    const { savings, cacheBroke } = agent;
    const data: JsonObject = {
      tokens,
      headTokens,
      kinds: kinds.map((one) => ({ ...one })),
      files: files.map((one) => ({ ...one })),
      savings: { ...savings },
      ...(cacheBroke === undefined ? {} : { cacheBroke: { ...cacheBroke } }),
    };
    const rows = [
      `${headTokens} system text and tools`,
      ...kinds.map(({ rule, parts, tokens: own }) => `${own} ${rule} (${parts})`),
      ...files.slice(0, mostFiles).map(({ path, tokens: own }) => `${own} of ${path}`),
      ...savingsWords(savings),
      ...(cacheBroke === undefined ? [] : [cacheBrokeWords(cacheBroke)]),
    ];
    return told(`About ${tokens} tokens:`, { data, text: rows.join("\n") });
  },
};

function savingsWords({ clearings, predicted, realised, regret }: CommandHost["agent"]["savings"]) {
  if (clearings === 0) return [];
  const times = clearings === 1 ? "Cleared once" : `Cleared ${clearings} times`;
  return [
    `${times}: ${realised} tokens of plain input saved so far, ${predicted} expected in all; ${regret} were needed again.`,
  ];
}

const mostFiles = 20;

const why: CommandSpec = {
  name: "why",
  usage: "NODE|PATH:LINE",
  says: "Shows how a node, or a line of a file, stands in the prompt, by which rule, and what a change of it would cost.",
  operands: { least: 1, most: 1 },
  operand: "node",
  run: async ({ text }, host) => {
    const { agent } = host;
    const found = agent.why(text);
    const [, path, line] = /^(.+):([1-9]\d*)$/u.exec(text) ?? [];
    if (found === undefined && path !== undefined) return whyLine(path, Number(line), host);
    if (found === undefined) return refused("unknown_node", `There is no node "${text}".`);
    const { nodeId, state, rules, decidedBy, tokens, tokensAfter } = found;
    const by = decidedBy === undefined ? "" : `, decided by ${decidedBy}`;
    const shown = rules.length === 0 ? "" : ` (${rules.join(", ")})`;
    const data: JsonObject = {
      nodeId,
      state,
      rules: [...rules],
      tokens,
      tokensAfter,
      ...(decidedBy === undefined ? {} : { decidedBy }),
    };
    return told(`${nodeId} is ${state}${shown}${by}: ${tokens} tokens, ${tokensAfter} after it.`, { data });
  },
};

/** Which node shows a line of a file to the model, and whether the file on the disk still has that state. */
async function whyLine(
  path: string,
  line: number,
  { agent, workspace }: CommandHost,
): Promise<CommandOutcome> {
  const blocks = agent.visibility.blocks(path).filter(({ from, to }) => from <= line && line <= to);
  if (blocks.length === 0)
    return told(`The model does not see line ${line} of ${path}.`, { data: { nodes: [] } });
  const [now] = await workspace.fileStates([path]);
  const rows = blocks.map(({ nodeId, sha256, from, to }) => {
    const age = sha256 === now?.sha256 ? "as it is on the disk" : "older than what is on the disk";
    const { state = "shown", tokens = 0 } = agent.why(nodeId) ?? {};
    return `lines ${from}-${to} in ${nodeId.slice(-8)}: ${age}; ${state}, ${tokens} tokens`;
  });
  const count = blocks.length === 1 ? "one place" : `${blocks.length} places`;
  const data = { nodes: blocks.map(({ nodeId }) => nodeId) };
  return told(`The model sees line ${line} of ${path} at ${count}:`, { data, text: rows.join("\n") });
}

const compact: CommandSpec = {
  name: "compact",
  usage: "[FOCUS]",
  says: "Sums up all but the tail of the conversation; what it is to dwell on may be said.",
  operands: { least: 0, most: "text" },
  run: async ({ text }, { agent, signal }) => {
    const done = await agent.compact(text === "" ? undefined : text, signal);
    if (done.kind === "not_compacted")
      return refused(done.reason === "cancelled" ? "cancelled" : "no_summary", done.message);
    const { tokensBefore, tokensAfter } = done;
    const message = `The conversation was summed up: about ${tokensBefore} tokens became ${tokensAfter}.`;
    return told(message, { data: { tokensBefore, tokensAfter } });
  },
};

const cost: CommandSpec = {
  name: "cost",
  says: "Tells what this session has used: tokens, and money where the prices of its models are known.",
  run: async (_, { agent, manager }) => {
    const { costUsd, unpriced } = agent.meter.spent;
    const tokens = sentTokens(manager.context);
    const share =
      tokens.input === 0 ? "" : ` (${Math.round((100 * tokens.cached) / tokens.input)} % from a cache)`;
    const money = [
      `$${costUsd.toFixed(4)} in this session`,
      ...(unpriced === 0 ? [] : [`${unpriced} answers of models whose prices are not known are not in it`]),
    ].join("; ");
    const message = `${tokens.input} tokens were sent${share}, ${tokens.output} came back. ${money}.`;
    return told(message, { data: { tokens, cost_usd: costUsd, unpriced } });
  },
};

const todos: CommandSpec = {
  name: "todos",
  says: "Shows the list of what is to be done, as the model keeps it.",
  run: async (_, { manager }) => {
    const list = todosOf(manager.context);
    const left = list.filter(({ state }) => state !== "done").length;
    const data = { todos: list.map((one) => ({ ...one })) };
    if (list.length === 0) return told("The model keeps no list.", { data });
    return told(`${left} of ${list.length} are to be done:`, { data, text: todoLines(list).join("\n") });
  },
};

/** The tokens of all answers of a session. */
export function sentTokens({ nodes }: ConversationContext): {
  input: number;
  cached: number;
  output: number;
} {
  const tokens = { input: 0, cached: 0, output: 0 };
  for (const { metadata } of nodes.values()) {
    tokens.input += metadata.usage?.inputTokens ?? 0;
    tokens.cached += metadata.usage?.cachedInputTokens ?? 0;
    tokens.output += metadata.usage?.outputTokens ?? 0;
  }
  return tokens;
}

/** The commands that look at the prompt and its cost, and make it smaller. */
export const contextCommands: readonly CommandSpec[] = [context, why, cost, todos, compact];
