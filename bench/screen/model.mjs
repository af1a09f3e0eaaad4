import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { sideAnswer } from "../../proof/clients/scripted-gemini.mjs";

/**
 * A model on loopback that streams one long text, as slowly as a model does, to whoever asks for it, and one short line to anybody
 * else. It speaks the APIs of Anthropic and of Gemini.
 */

/** The words of a prompt that ask for the long text. */
export const wanted = "stream the text";
/** How the long text ends. */
export const lastWords = "The end.";

/** @param {readonly string[]} tokens @param {number} perSecond */
export async function startModel(tokens, perSecond) {
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    const path = new URL(request.url ?? "/", "http://loopback").pathname;
    const body = text === "" ? {} : JSON.parse(text);
    const speak = path.endsWith(":streamGenerateContent") ? gemini : anthropic;
    const isAsked = speak === gemini || (path.endsWith("/messages") && body.stream === true);
    if (!isAsked || (body.tools ?? []).length === 0) return beside(path, body, response);
    const asked = JSON.stringify((body.messages ?? body.contents).at(-1)).toLowerCase();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { open, word, close } = speak(response);
    open();
    if (asked.includes(wanted)) {
      const begun = performance.now();
      for (let at = 0; at < tokens.length; await wait(5)) {
        const due = Math.min(tokens.length, Math.floor(((performance.now() - begun) / 1_000) * perSecond));
        while (at < due) word(tokens[at++] ?? "");
      }
      word(`\n\n${lastWords}\n`);
    } else word(`The answer is ${/turn (\d+)/.exec(asked)?.[1] ?? "here"}.`);
    close();
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  // A cast: a server that listens on a port has an address with one.
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** @typedef {import("node:http").ServerResponse} Response */

/** @param {Response} response */
function anthropic(response) {
  const send = (/** @type {any} */ value) =>
    response.write(`event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`);
  const usage = { input_tokens: 1_000, output_tokens: 10 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted", content: [], usage };
  return {
    open: () => {
      send({ type: "message_start", message });
      send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    },
    word: (/** @type {string} */ text) =>
      send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    close: () => {
      send({ type: "content_block_stop", index: 0 });
      send({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
      send({ type: "message_stop" });
    },
  };
}

/** @param {Response} response */
function gemini(response) {
  const send = (/** @type {string} */ text, /** @type {object} */ more = {}) =>
    response.write(
      `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }] })}\n\n`,
    );
  return { open: () => {}, word: send, close: () => send("", { finishReason: "STOP" }) };
}

/** What a program asks beside its conversation. @param {string} path @param {any} body @param {Response} response */
function beside(path, body, response) {
  const text = path.includes(":") ? sideAnswer(body) : "A title";
  const whole = path.endsWith("/messages")
    ? {
        ...{ id: "msg_2", type: "message", role: "assistant", model: "scripted", stop_reason: "end_turn" },
        ...{ content: [{ type: "text", text }], usage: { input_tokens: 10, output_tokens: 2 } },
      }
    : {
        ...{ input_tokens: 1, totalTokens: 1 },
        candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
      };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(whole));
}

/** Tokens of about four letters: paragraphs, headings, lists, code. @param {number} length @returns {readonly string[]} */
export function markdown(length) {
  const words =
    "each reader finds the first line that is wrong before a second one hides it from everybody who looks".split(
      " ",
    );
  const begins = "\n,\n,\n- ,\n- ,\n\n,\n```ts\n,\n,\n,\n,\n```\n\n,\n,\n- ".split(",");
  const made = [];
  for (let at = 0, line = 0, column = 0; made.length < length; at = (at * 7 + 3) % 1_009) {
    const word = words[at % words.length] ?? "";
    const part = line % 12 > 5 || at % 20 > 0 ? word : `**${word}**`;
    made.push(`${part} `);
    column += part.length + 1;
    if (column < 70) continue;
    [line, column] = [line + 1, 0];
    made.push(line % 12 === 0 ? `\n\n## Part ${line}\n\n` : (begins[line % 12] ?? "\n"));
  }
  return made;
}
