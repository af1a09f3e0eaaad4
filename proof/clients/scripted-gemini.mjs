import { once } from "node:events";
import { createServer } from "node:http";

/**
 * A Gemini API on loopback whose model is a script: it answers what the script says and keeps every
 * request, so that a test can see what a real client really sent to its model.
 *
 * @typedef {{ readonly text: string } | { readonly call: string, readonly args: Readonly<Record<string, unknown>> }} Part
 *   what the model says: words, or a call of a tool
 * @typedef {{ readonly role?: string, readonly parts?: readonly Record<string, any>[] }} Content
 * @typedef {{ readonly contents?: readonly Content[], readonly tools?: readonly Record<string, any>[] }} ModelRequest
 * @typedef {(request: ModelRequest) => readonly Part[]} Turn
 *   one turn of the model. It may look at what it was sent, and do in the world what is to have happened
 *   by then. What it throws ends the run: the client gets an error, and `faults` holds it.
 * @typedef {{ readonly url: string, readonly requests: readonly ModelRequest[],
 *   readonly faults: readonly unknown[], close(): Promise<void> }} ScriptedGemini
 */

/**
 * Starts one. The turns answer the requests of the conversation in their order; after the last the model
 * only says "done". Whatever else a client asks for beside the conversation gets a short answer.
 *
 * @param {readonly Turn[]} turns
 * @returns {Promise<ScriptedGemini>}
 */
export async function startScriptedGemini(turns) {
  /** @type {ModelRequest[]} */
  const requests = [];
  /** @type {unknown[]} */
  const faults = [];
  const server = createServer(async (incoming, outgoing) => {
    const method = /:(\w+)$/.exec(
      decodeURIComponent(new URL(incoming.url ?? "/", "http://loopback").pathname),
    );
    try {
      const request = await readJson(incoming);
      if (method?.[1] === "countTokens") return sendJson(outgoing, 200, { totalTokens: 1 });
      if (method?.[1] === "generateContent") return sendJson(outgoing, 200, answer([{ text: "ok" }]));
      if (method?.[1] !== "streamGenerateContent")
        return sendJson(outgoing, 404, failure(404, "no such method"));
      const turn = turns[requests.length] ?? (() => [{ text: "done" }]);
      requests.push(request);
      const body = JSON.stringify(answer(turn(request)));
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(`data: ${body}\r\n\r\n`);
    } catch (error) {
      faults.push(error);
      sendJson(outgoing, 400, failure(400, String(error)));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${address.port}`, requests, faults, close };
}

/** The answers of tools in the last message, as the model sees them. @param {ModelRequest} request @returns {readonly string[]} */
export function toolAnswers({ contents = [] }) {
  return (contents.at(-1)?.parts ?? [])
    .filter((part) => part.functionResponse !== undefined)
    .map(
      ({ functionResponse: { response } }) => response.output ?? response.error ?? JSON.stringify(response),
    );
}

/** The names of the tools that the model may call. @param {ModelRequest} request @returns {readonly string[]} */
export function toolNames({ tools = [] }) {
  return tools.flatMap(({ functionDeclarations = [] }) =>
    functionDeclarations.map((/** @type {{ name: string }} */ { name }) => name),
  );
}

/** @param {AsyncIterable<Uint8Array>} stream @returns {Promise<ModelRequest>} */
async function readJson(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts.length === 0 ? {} : JSON.parse(Buffer.concat(parts).toString("utf8"));
}

/** @param {import("node:http").ServerResponse} outgoing @param {number} status @param {unknown} body */
function sendJson(outgoing, status, body) {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}

/** @param {number} code @param {string} message */
function failure(code, message) {
  return { error: { code, message, status: "FAILED_PRECONDITION" } };
}

/** @param {readonly Part[]} said */
function answer(said) {
  const parts = said.map((part) =>
    "text" in part ? { text: part.text } : { functionCall: { name: part.call, args: part.args } },
  );
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: "scripted",
  };
}
