import { once } from "node:events";
import { createServer } from "node:http";

/**
 * A server on loopback that answers with what a handler says; what the handler throws goes to `faults`, and
 * the client gets status 400 with `failure` for a body.
 *
 * @param {{ answer(url: string, body: any, outgoing: import("node:http").ServerResponse): void,
 *   failure(error: unknown): unknown }} handler
 * @returns {Promise<{ readonly url: string, readonly faults: readonly unknown[], readonly received: readonly string[],
 *   close(): Promise<void> }>} `received`: the body of every request, whatever it asks
 */
export async function startLoopback({ answer, failure }) {
  /** @type {unknown[]} */
  const faults = [];
  /** @type {string[]} */
  const received = [];
  const server = createServer(async (incoming, outgoing) => {
    try {
      const text = await readText(incoming);
      received.push(text);
      answer(incoming.url ?? "/", text === "" ? {} : JSON.parse(text), outgoing);
    } catch (error) {
      faults.push(error);
      sendJson(outgoing, 400, failure(error));
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
  return { url: `http://127.0.0.1:${address.port}`, faults, received, close };
}

/** @param {import("node:http").ServerResponse} outgoing @param {number} status @param {unknown} body */
export function sendJson(outgoing, status, body) {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}

/** Events as a stream, each under its `type`. @param {import("node:http").ServerResponse} outgoing @param {readonly any[]} events */
export function sendEvents(outgoing, events) {
  outgoing.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) outgoing.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  outgoing.end();
}

/** @param {AsyncIterable<Uint8Array>} stream @returns {Promise<string>} */
async function readText(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
