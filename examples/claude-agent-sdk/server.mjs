import { createServer } from "node:http";

/**
 * A server on loopback that speaks the streaming Messages API as far as this example needs it.
 *
 * @typedef {{ role: string, content: any }} Message
 * @param {(messages: readonly Message[]) => object} answer the content block of the answer to these messages
 */
export async function serveModel(answer) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (!request.url?.startsWith("/v1/messages?") && request.url !== "/v1/messages") {
      response.writeHead(404).end();
      return;
    }
    const { messages, tools = [] } = JSON.parse(text);
    // What the SDK asks for beside the conversation offers no tools.
    const block = tools.length === 0 ? { type: "text", text: "ok" } : answer(messages);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of eventsOf(block))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** @param {any} block */
function eventsOf(block) {
  const isCall = block.type === "tool_use";
  const content_block = isCall ? { ...block, input: {} } : { ...block, text: "" };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    : { type: "text_delta", text: block.text };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const stop = { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null };
  const message = {
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  return [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: stop, usage },
    { type: "message_stop" },
  ];
}
