import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { sideAnswer } from "../../proof/clients/scripted-gemini.mjs";

/**
 * A model on loopback that speaks one of the four APIs, with faults. What its answers look like is said by the providers of
 * the agent's tests (`packages/agent/test/loopback`).
 *
 * @typedef {import("../../proof/clients/any-client.mjs").Part} Part
 * @typedef {import("../../proof/clients/any-client.mjs").Usage} Usage
 * @typedef {"anthropic" | "responses" | "chat" | "gemini"} WireName
 * @typedef {{ readonly text: string, readonly carries: "frame" | "thought" | "words" | "call" }} WireEvent
 * @typedef {{ readonly parts: readonly Part[], readonly thought?: string, readonly isCut?: true,
 *   readonly change?: (events: readonly WireEvent[], wire: WireName) => readonly WireEvent[],
 *   readonly ends?: "destroyed" | "stalled" }} Said an answer, and what becomes of its events and of the connection behind them
 * @typedef {{ readonly status: number, readonly headers?: Readonly<Record<string, string>>,
 *   readonly says: string | object | Uint8Array }} Refused `says`: words that the API wraps, a whole body, or bytes
 * @typedef {Said | Refused | "destroyed"} Step
 * @typedef {(text: string) => Refused | undefined} Gate what the API refuses of any request, of summaries as well
 * @typedef {(request: any, text: string) => Step} Next what one request of the conversation is answered
 */

const folder = mkdtempSync(join(tmpdir(), "agent-bench-wires-"));
const outfile = join(folder, "loopback.mjs");
const entry = fileURLToPath(new URL("../../packages/agent/test/loopback/index.ts", import.meta.url));
buildSync({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm" });
const loopback = await import(pathToFileURL(outfile).href);
rmSync(folder, { recursive: true });

/** @type {Readonly<Record<WireName, any>>} */
const wires = {
  anthropic: loopback.anthropicWire,
  responses: loopback.responsesWire,
  chat: loopback.chatWire,
  gemini: loopback.geminiWire,
};

/**
 * @param {WireName} name @param {Next} next
 * @param {{ readonly meter?: import("../../proof/clients/any-client.mjs").Meter | undefined, readonly gate?: Gate,
 *   readonly isStrict?: boolean }} how
 *   `isStrict`: a request that the API would not take is refused, too
 * @returns {Promise<import("../../proof/clients/any-client.mjs").Model & { readonly malformed: readonly string[] }>}
 */
export async function startModel(name, next, { meter, gate, isStrict = false } = {}) {
  const wire = wires[name];
  const ledger = new loopback.Ledger();
  const requests = /** @type {any[]} */ ([]);
  const [faults, received, malformed] = [
    /** @type {unknown[]} */ ([]),
    /** @type {string[]} */ ([]),
    /** @type {string[]} */ ([]),
  ];
  const step = (/** @type {any} */ request, /** @type {string} */ text) => {
    const complaints = isStrict ? [...wire.complaints(request, ledger)] : [];
    const complaint = complaints.find((one) => !excused.test(one) || request.thinking !== undefined);
    if (complaint === undefined) return next(request, text);
    malformed.push(complaint);
    return { status: 400, says: complaint };
  };
  const answer = async (
    /** @type {import("node:http").IncomingMessage} */ incoming,
    /** @type {Response} */ outgoing,
  ) => {
    const text = await textOf(incoming);
    received.push(text);
    const request = text === "" ? {} : JSON.parse(text);
    const path = new URL(incoming.url ?? "/", "http://loopback").pathname;
    if (!asks.test(path)) return beside(path, request, outgoing);
    const excess = gate?.(text);
    if (excess !== undefined) return refuse(outgoing, wire, excess);
    const isWhole = name === "anthropic" && request.stream !== true;
    if ((request.tools ?? []).length === 0)
      return play(outgoing, { parts: [{ text: "A short summary." }] }, { isWhole });
    const usage = meter?.(request);
    requests.push(request);
    return play(outgoing, step(request, text), { isWhole, prompt: usage });
  };
  const play = async (
    /** @type {Response} */ outgoing,
    /** @type {Step} */ one,
    /** @type {{ isWhole: boolean, prompt?: Usage | undefined }} */ { isWhole, prompt },
  ) => {
    if (one === "destroyed") return outgoing.destroy();
    if ("status" in one) return refuse(outgoing, wire, one);
    if (isWhole) return send(outgoing, 200, wholeMessage(one));
    const text = one.parts.flatMap((part) => ("text" in part ? [part.text] : [])).join("") || undefined;
    const calls = one.parts.flatMap((part) => ("call" in part ? [{ name: part.call, args: part.args }] : []));
    const { thought, isCut, change = (/** @type {readonly WireEvent[]} */ events) => events } = one;
    const served = { thought, text, isCut, prompt, ...(calls.length === 0 ? {} : { calls }) };
    const events = change(wire.stream(served, ledger), name);
    ledger.endAnswer(one.ends === undefined);
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write(events.map((event) => event.text).join(""));
    if (one.ends === undefined) outgoing.end();
    if (one.ends === "destroyed") setTimeout(() => outgoing.destroy(), 50);
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error) => {
      faults.push(error);
      refuse(outgoing, wire, { status: 400, says: String(error.message) });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A cast: a server that listens on a port has an address with one.
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${port}`, requests, faults, received, malformed, close };
}

/** @typedef {import("node:http").ServerResponse} Response */

/**
 * What the loopback says beyond its API: an item differs from what it made, though a fault changed it on its way; a thought is
 * missing before a call, though the request does not ask for thoughts.
 */
const excused = /^Item with id '.*' was changed\.$|^[\w.]+: Expected `thinking`/;

/** Where an answer is asked for. */
const asks = /\/(messages|responses|chat\/completions)$|:streamGenerateContent$/;

let wholeCalls = 0;

/** Claude Code asks without a stream where a stream was broken. @param {Said} said */
function wholeMessage({ parts }) {
  const content = parts.map((part) => {
    if ("text" in part) return { type: "text", text: part.text };
    wholeCalls += 1;
    return { type: "tool_use", id: `toolu_whole${wholeCalls}`, name: part.call, input: part.args };
  });
  const stop_reason = parts.some((part) => "call" in part) ? "tool_use" : "end_turn";
  const usage = { input_tokens: 100, output_tokens: 10 };
  return {
    id: "msg_whole",
    type: "message",
    role: "assistant",
    model: "scripted",
    content,
    stop_reason,
    usage,
  };
}

/** What a client asks beside its conversation. @param {string} path @param {any} request @param {Response} outgoing */
function beside(path, request, outgoing) {
  const parts = [{ text: sideAnswer(request) }];
  if (path.endsWith(":generateContent"))
    return send(outgoing, 200, { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] });
  if (/count_?tokens$/i.test(path)) return send(outgoing, 200, { input_tokens: 1, totalTokens: 1 });
  return send(outgoing, 404, { error: { message: "no such page", type: "not_found_error" } });
}

/** @param {Response} outgoing @param {any} wire @param {Refused} refused */
function refuse(outgoing, wire, { status, says, headers = {} }) {
  if (!(says instanceof Uint8Array))
    return send(outgoing, status, typeof says === "string" ? wire.error(status, says) : says, headers);
  outgoing.writeHead(status, headers);
  outgoing.end(says);
}

/** @param {Response} outgoing @param {number} status @param {object} body @param {Readonly<Record<string, string>>} headers */
function send(outgoing, status, body, headers = {}) {
  outgoing.writeHead(status, { "content-type": "application/json", ...headers });
  outgoing.end(JSON.stringify(body));
}

/** @param {AsyncIterable<Uint8Array>} stream */
async function textOf(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}
