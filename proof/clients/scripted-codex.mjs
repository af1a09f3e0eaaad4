import { sendEvents, sendJson, startLoopback } from "./loopback.mjs";

/**
 * OpenAI's Responses API on loopback whose model is a script, as `scripted-gemini.mjs` is one of Gemini's.
 *
 * @typedef {import("./scripted-claude.mjs").Part} Part a tool of a server is called `mcp__SERVER__TOOL`; a call with a
 *   `script` alone is one of a tool that takes free text
 * @typedef {{ readonly input?: readonly Record<string, any>[], readonly tools?: readonly Record<string, any>[] }} ModelRequest
 * @typedef {(request: ModelRequest) => readonly Part[]} Turn
 * @typedef {{ readonly url: string, readonly requests: readonly ModelRequest[],
 *   readonly faults: readonly unknown[], readonly received: readonly string[], close(): Promise<void> }} ScriptedCodex
 */

/**
 * Starts one. The turns answer the requests in their order; after the last the model only says "done".
 *
 * @param {readonly Turn[]} turns
 * @returns {Promise<ScriptedCodex>}
 */
export async function startScriptedCodex(turns) {
  /** @type {ModelRequest[]} */
  const requests = [];
  const loopback = await startLoopback({
    answer: (url, request, outgoing) => {
      if (!url.endsWith("/responses")) return sendJson(outgoing, 404, { error: { message: "no such page" } });
      const turn = turns[requests.length] ?? (() => [{ text: "done" }]);
      requests.push(request);
      sendEvents(outgoing, eventsOf(turn(request)));
    },
    failure: (error) => ({ error: { message: String(error) } }),
  });
  return { ...loopback, requests };
}

/** The answers of tools since the model last spoke, as it sees them. @param {ModelRequest} request @returns {readonly string[]} */
export function codexAnswers({ input = [] }) {
  const spoke = input.findLastIndex(({ type }) => type === "function_call");
  return input
    .slice(spoke + 1)
    .filter(({ type }) => type === "function_call_output")
    .map(({ output }) =>
      typeof output === "string"
        ? output
        : output.map((/** @type {any} */ part) => part.text ?? "").join("\n"),
    );
}

/** What the last script printed, by prints; before them the client says how it ended. @param {ModelRequest} request @returns {readonly string[]} */
export function scriptAnswers({ input = [] }) {
  const output = input.findLast(({ type }) => type === "custom_tool_call_output")?.output;
  return Array.isArray(output) ? output.slice(1).map(({ text = "" }) => text) : [];
}

/** The tools that the model may call, those of a server by its name before theirs. @param {ModelRequest} request @returns {readonly Record<string, any>[]} */
export function codexTools({ tools = [], input = [] }) {
  const added = input.filter(({ type }) => type === "additional_tools").flatMap(({ tools }) => tools);
  return [...tools, ...added].flatMap((tool) =>
    tool.type === "namespace"
      ? tool.tools.map((/** @type {any} */ one) => ({ ...one, name: `${tool.name}__${one.name}` }))
      : [tool],
  );
}

let ids = 0;

/** @param {Part} part */
function itemOf(part) {
  ids += 1;
  if ("text" in part) {
    const content = [{ type: "output_text", text: part.text }];
    return { type: "message", id: `msg_${ids}`, role: "assistant", content };
  }
  const { script } = part.args;
  if (typeof script === "string")
    return {
      type: "custom_tool_call",
      id: `ctc_${ids}`,
      name: part.call,
      call_id: `call_${ids}`,
      input: script,
    };
  const [, namespace, name = part.call] = /^(mcp__\w+?)__(.*)$/.exec(part.call) ?? [];
  const call = { name, call_id: `call_${ids}`, arguments: JSON.stringify(part.args) };
  return {
    type: "function_call",
    id: `fc_${ids}`,
    ...(namespace === undefined ? {} : { namespace }),
    ...call,
  };
}

/** @param {readonly Part[]} parts */
function eventsOf(parts) {
  ids += 1;
  const response = { id: `resp_${ids}` };
  const usage = {
    input_tokens: 1,
    input_tokens_details: null,
    output_tokens: 1,
    output_tokens_details: null,
    total_tokens: 2,
  };
  return [
    { type: "response.created", response },
    ...parts.map(itemOf).flatMap((item, output_index) => [
      { type: "response.output_item.added", output_index, item },
      { type: "response.output_item.done", output_index, item },
    ]),
    { type: "response.completed", response: { ...response, usage } },
  ];
}
