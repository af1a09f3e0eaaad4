import { sendEvents, sendJson, startLoopback } from "./loopback.mjs";

/**
 * An Anthropic API on loopback whose model is a script, as `scripted-gemini.mjs` is one of Gemini's.
 *
 * @typedef {{ readonly text: string } | { readonly call: string, readonly args: Readonly<Record<string, unknown>> }} Part
 * @typedef {{ readonly messages?: readonly { readonly role: string, readonly content: any }[],
 *   readonly tools?: readonly { readonly name: string }[], readonly stream?: boolean }} ModelRequest
 * @typedef {(request: ModelRequest) => readonly Part[]} Turn
 * @typedef {{ readonly url: string, readonly requests: readonly ModelRequest[],
 *   readonly faults: readonly unknown[], readonly received: readonly string[], close(): Promise<void> }} ScriptedClaude
 */

/**
 * Starts one. The turns answer the requests that offer tools, in their order; whatever else a client asks
 * for beside the conversation gets a short answer.
 *
 * @param {readonly Turn[]} turns
 * @param {import("./any-client.mjs").Meter} [meter] what the API says that a request took
 * @returns {Promise<ScriptedClaude>}
 */
export async function startScriptedClaude(turns, meter) {
  /** @type {ModelRequest[]} */
  const requests = [];
  const loopback = await startLoopback({
    answer: (url, request, outgoing) => {
      if (!/^\/v1\/messages(\?|$)/.test(url)) return sendJson(outgoing, 200, { input_tokens: 1 });
      const usage = usageOf(meter?.(request));
      const inConversation = (request.tools ?? []).some(isConversation);
      const turn = inConversation ? turns[requests.length] : undefined;
      if (inConversation) requests.push(request);
      const parts = turn?.(request) ?? [{ text: inConversation ? "done" : "ok" }];
      if (request.stream !== true) return sendJson(outgoing, 200, message(parts.map(block), usage));
      sendEvents(outgoing, eventsOf(parts, usage));
    },
    failure: (error) => ({
      type: "error",
      error: {
        type: "invalid_request_error",
        message: error instanceof Error ? error.message : String(error),
      },
    }),
  });
  return { ...loopback, requests };
}

/** A client asks beside the conversation, too: for a title, say; it offers no tools of files then. @param {{ readonly name: string }} tool */
function isConversation({ name }) {
  return name === "Edit" || name === "edit_file" || name.startsWith("mcp__");
}

/** The answers of tools in the last message, as the model sees them. @param {ModelRequest} request @returns {readonly string[]} */
export function toolResults({ messages = [] }) {
  const last = messages.findLast(({ role }) => role === "user")?.content;
  if (!Array.isArray(last)) return [];
  return last
    .filter((part) => part.type === "tool_result")
    .map(({ content }) =>
      typeof content === "string"
        ? content
        : content.map((/** @type {any} */ part) => part.text ?? "").join(""),
    );
}

let ids = 0;

/** @param {Part} part */
function block(part) {
  if ("text" in part) return { type: "text", text: part.text };
  ids += 1;
  return { type: "tool_use", id: `toolu_scripted_${ids}`, name: part.call, input: part.args };
}

/** @param {import("./any-client.mjs").Usage | undefined} counted */
function usageOf(counted) {
  if (counted === undefined) return { input_tokens: 1, output_tokens: 1 };
  const { total, cached, written } = counted;
  return {
    input_tokens: total - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: 1,
  };
}

/** @param {readonly any[]} content @param {object} usage */
function message(content, usage) {
  const calls = content.some(({ type }) => type === "tool_use");
  const stop_reason = calls ? "tool_use" : "end_turn";
  ids += 1;
  return {
    id: `msg_scripted_${ids}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}

/** @param {readonly Part[]} parts @param {object} usage @returns {readonly any[]} */
function eventsOf(parts, usage) {
  const blocks = parts.map(block);
  const whole = message(blocks, usage);
  const inner = blocks.flatMap((one, index) => [
    {
      type: "content_block_start",
      index,
      content_block: "text" in one ? { type: "text", text: "" } : { ...one, input: {} },
    },
    {
      type: "content_block_delta",
      index,
      delta:
        "text" in one
          ? { type: "text_delta", text: one.text }
          : { type: "input_json_delta", partial_json: JSON.stringify(one.input) },
    },
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: { ...whole, content: [], stop_reason: null } },
    ...inner,
    {
      type: "message_delta",
      delta: { stop_reason: whole.stop_reason, stop_sequence: null },
      usage: whole.usage,
    },
    { type: "message_stop" },
  ];
}
