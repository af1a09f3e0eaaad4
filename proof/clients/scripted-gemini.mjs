import { sendJson, startLoopback } from "./loopback.mjs";

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
 *   readonly faults: readonly unknown[], readonly received: readonly string[], close(): Promise<void> }} ScriptedGemini
 */

/**
 * Starts one. The turns answer the requests of the conversation in their order; after the last the model
 * only says "done". Whatever else a client asks for beside the conversation gets a short answer.
 *
 * @param {readonly Turn[]} turns
 * @param {import("./any-client.mjs").Meter} [meter] what the API says that a request took
 * @returns {Promise<ScriptedGemini>}
 */
export async function startScriptedGemini(turns, meter) {
  /** @type {ModelRequest[]} */
  const requests = [];
  const loopback = await startLoopback({
    answer: (url, request, outgoing) => {
      const path = decodeURIComponent(new URL(url, "http://loopback").pathname);
      const method = /:(\w+)$/.exec(path)?.[1];
      if (method === "countTokens") return sendJson(outgoing, 200, { totalTokens: 1 });
      if (method === "generateContent")
        return sendJson(outgoing, 200, answer([{ text: sideAnswer(request) }], meter?.(request)));
      if (method !== "streamGenerateContent") return sendJson(outgoing, 404, failure(404, "no such method"));
      const turn = turns[requests.length] ?? (() => [{ text: "done" }]);
      requests.push(request);
      const body = JSON.stringify(answer(turn(request), meter?.(request)));
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(`data: ${body}\r\n\r\n`);
    },
    failure: (error) => failure(400, String(error)),
  });
  return { ...loopback, requests };
}

/**
 * What a client asks beside its conversation is answered in the form that it asks for: it would ask again and again, and
 * wait longer each time. @param {any} request
 */
export function sideAnswer({ generationConfig = {} }) {
  const schema = generationConfig.responseJsonSchema ?? generationConfig.responseSchema;
  return schema === undefined ? "ok" : JSON.stringify(leastOf(schema));
}

/** The least that holds to a schema. @param {any} schema @returns {unknown} */
function leastOf({ type, enum: choices, properties = {} }) {
  if (choices !== undefined) return choices[0];
  switch (String(type).toLowerCase()) {
    case "object":
      return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, leastOf(part)]));
    case "array":
      return [];
    case "number":
    case "integer":
      return 0;
    case "boolean":
      return false;
    default:
      return "";
  }
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

/** @param {number} code @param {string} message */
function failure(code, message) {
  return { error: { code, message, status: "FAILED_PRECONDITION" } };
}

/** @param {readonly Part[]} said @param {import("./any-client.mjs").Usage | undefined} counted */
function answer(said, { total, cached } = { total: 1, cached: 0, written: 0 }) {
  const parts = said.map((part) =>
    "text" in part ? { text: part.text } : { functionCall: { name: part.call, args: part.args } },
  );
  return {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: total,
      ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
      candidatesTokenCount: 1,
      totalTokenCount: total + 1,
    },
    modelVersion: "scripted",
  };
}
