import { sendJson, startLoopback } from "./loopback.mjs";

/**
 * OpenAI's chat completions on loopback whose model is a script, as `scripted-gemini.mjs` is one of Gemini's.
 *
 * @typedef {import("./scripted-claude.mjs").Part} Part
 * @typedef {{ readonly messages?: readonly Record<string, any>[], readonly stream?: boolean,
 *   readonly tools?: readonly { readonly function?: { readonly name: string, readonly description?: string } }[] }} ModelRequest
 * @typedef {(request: ModelRequest) => readonly Part[]} Turn
 * @typedef {{ readonly url: string, readonly requests: readonly ModelRequest[],
 *   readonly faults: readonly unknown[], readonly received: readonly string[], close(): Promise<void> }} ScriptedChat
 */

/**
 * Starts one; a client finds it at `URL/v1`. The turns answer the requests that offer tools, in their order;
 * after the last the model only says "done". Whatever else a client asks for (a title, say) gets a short answer.
 *
 * @param {readonly Turn[]} turns
 * @returns {Promise<ScriptedChat>}
 */
export async function startScriptedChat(turns) {
  /** @type {ModelRequest[]} */
  const requests = [];
  const loopback = await startLoopback({
    answer: (url, request, outgoing) => {
      if (/\/models(\?|$)/.test(url)) return sendJson(outgoing, 200, models);
      if (!/\/chat\/completions(\?|$)/.test(url))
        return sendJson(outgoing, 404, { error: { message: "no such page" } });
      const inConversation = (request.tools ?? []).length > 0;
      const turn = inConversation ? (turns[requests.length] ?? (() => [{ text: "done" }])) : undefined;
      if (inConversation) requests.push(request);
      const parts = turn?.(request) ?? [{ text: "ok" }];
      if (request.stream === true) sendChunks(outgoing, chunksOf(parts));
      else sendJson(outgoing, 200, completion(parts));
    },
    failure: (error) => ({ error: { message: String(error), type: "invalid_request_error" } }),
  });
  return { ...loopback, requests };
}

/** The answers of tools since the model last spoke, as it sees them. @param {ModelRequest} request @returns {readonly string[]} */
export function chatAnswers({ messages = [] }) {
  const spoke = messages.findLastIndex(({ role }) => role === "assistant");
  return messages
    .slice(spoke + 1)
    .filter(({ role }) => role === "tool")
    .map(({ content }) => textOf(content));
}

/** The text of a message's content. @param {unknown} content @returns {string} */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => part.text ?? "").join("");
}

/** The tools that the model may call. @param {ModelRequest} request @returns {readonly import("./any-client.mjs").Offered[]} */
export function chatTools({ tools = [] }) {
  return tools.map((tool) => ({
    name: tool.function?.name ?? "",
    description: tool.function?.description ?? "",
    text: JSON.stringify(tool),
  }));
}

const models = { object: "list", data: [{ id: "scripted", object: "model", owned_by: "scripted" }] };

let ids = 0;

function nextId() {
  ids += 1;
  return `scripted_${ids}`;
}

/** @param {Part} part */
function callOf(part) {
  if ("text" in part) return [];
  const called = { name: part.call, arguments: JSON.stringify(part.args) };
  return [{ id: `call_${nextId()}`, type: "function", function: called }];
}

/** @param {readonly Part[]} parts */
function messageOf(parts) {
  const words = parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("");
  const calls = parts.flatMap(callOf);
  const content = words === "" ? null : words;
  return { role: "assistant", content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** @param {readonly Part[]} parts */
function completion(parts) {
  const message = messageOf(parts);
  const finish_reason = "tool_calls" in message ? "tool_calls" : "stop";
  const choices = [{ index: 0, message, finish_reason }];
  return { id: nextId(), object: "chat.completion", created: 0, model: "scripted", choices, usage };
}

/** The message in one piece, then its end, then what it took. @param {readonly Part[]} parts */
function chunksOf(parts) {
  const whole = completion(parts);
  const chunk = { ...whole, object: "chat.completion.chunk", usage: null };
  return whole.choices.flatMap(({ index, message: { tool_calls, ...delta }, finish_reason }) => {
    const calls = tool_calls?.map((call, at) => ({ index: at, ...call }));
    const said = calls === undefined ? delta : { ...delta, tool_calls: calls };
    return [
      { ...chunk, choices: [{ index, delta: said, finish_reason: null }] },
      { ...chunk, choices: [{ index, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
    ];
  });
}

/** @param {import("node:http").ServerResponse} outgoing @param {readonly unknown[]} chunks */
function sendChunks(outgoing, chunks) {
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunks) outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`);
  outgoing.end("data: [DONE]\n\n");
}
