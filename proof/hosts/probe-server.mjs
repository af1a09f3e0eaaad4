import { createInterface } from "node:readline";

/**
 * A server whose answers show what a client lets through: a text of a given length, an error, and a result
 * with a text and a structured part that differ. Run as a process: `node probe-server.mjs`.
 */
const number = { type: "object", properties: { count: { type: "integer" } } };
const meta = { _meta: { "anthropic/maxResultSizeChars": 262_144, "anthropic/alwaysLoad": true } };
const tools = ["size", "fail", "both"].map((name) => ({
  name,
  description: `Answers for a probe: ${name}.`,
  inputSchema: number,
  ...meta,
}));

/** The text of a probe, in lines of 50 characters. @param {number} count */
export function textOf(count) {
  return Array.from({ length: Math.ceil(count / 50) }, (_, n) => `${`${n} `.padEnd(49, "x")}\n`)
    .join("")
    .slice(0, count);
}

/** @param {string} name @param {number} count */
function answer(name, count) {
  if (name === "size") return { content: [{ type: "text", text: textOf(count) }] };
  if (name === "fail")
    return { content: [{ type: "text", text: "FAILED (probe): as asked." }], isError: true };
  return { content: [{ type: "text", text: "the text" }], structuredContent: { part: "structured" } };
}

/** @param {any} request */
function reply({ method, params }) {
  if (method === "initialize")
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "probe", version: "1" },
    };
  if (method === "tools/list") return { tools };
  if (method === "tools/call") return answer(params.name, params.arguments?.count ?? 0);
  return {};
}

if (process.argv[1] === import.meta.filename)
  createInterface({ input: process.stdin }).on("line", (line) => {
    const request = JSON.parse(line);
    if (request.id === undefined) return;
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: reply(request) })}\n`);
  });
