import { createServer } from "node:http";

/**
 * A server on loopback that speaks the Messages API as far as this example needs it, and is as strict about
 * it as the real one: every tool_use has to be answered by the next message.
 *
 * @param {(() => object)[]} script the content block of each answer
 */
export async function serveScript(script) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const flaw =
      request.url === "/v1/messages" ? unanswered(body.messages) : `no such address: ${request.url}`;
    response.setHeader("content-type", "application/json");
    response.statusCode = flaw === undefined ? 200 : 400;
    response.end(JSON.stringify(flaw === undefined ? answer(body.model) : refusal(flaw)));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");

  /** @param {string} model */
  function answer(model) {
    const block = script.shift()?.() ?? { type: "text", text: "" };
    const stop_reason = "id" in block ? "tool_use" : "end_turn";
    const usage = { input_tokens: 0, output_tokens: 0 };
    return {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model,
      content: [block],
      stop_reason,
      stop_sequence: null,
      usage,
    };
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** @param {string} message */
function refusal(message) {
  return { type: "error", error: { type: "invalid_request_error", message } };
}

/**
 * @param {{ role: string, content: string | { type: string, id?: string, tool_use_id?: string }[] }[]} messages
 * @returns {string | undefined}
 */
function unanswered(messages) {
  for (const [at, { content }] of messages.entries()) {
    const uses = typeof content === "string" ? [] : content.filter(({ type }) => type === "tool_use");
    const next = messages[at + 1]?.content ?? [];
    const answers = typeof next === "string" ? [] : next.map(({ tool_use_id }) => tool_use_id);
    const open = uses.find(({ id }) => !answers.includes(id));
    if (open !== undefined) return `tool_use ${open.id} has no tool_result in the next message`;
  }
  return undefined;
}
