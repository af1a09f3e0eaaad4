import { createInterface } from "node:readline";

/**
 * A server whose answers show what a client lets through: a text of a given length, an error, a result with a
 * text and a structured part that differ, the name that the client gives itself, an image, a PDF. Run as a
 * process: `node probe-server.mjs`.
 */
const number = { type: "object", properties: { count: { type: "integer" } } };
const meta = { _meta: { "anthropic/maxResultSizeChars": 262_144, "anthropic/alwaysLoad": true } };

/** What stands in the second paragraph of each tool's description. */
export const secondParagraph = "The second paragraph.";

/** @type {Readonly<Record<string, (count: number) => object>>} */
const answers = {
  size: (count) => ({ content: [{ type: "text", text: textOf(count) }] }),
  fail: () => ({ content: [{ type: "text", text: "FAILED (probe): as asked." }], isError: true }),
  both: () => ({ content: [{ type: "text", text: "the text" }], structuredContent: { part: "structured" } }),
  who: () => ({ content: [{ type: "text", text: `clientInfo.name=${clientName};` }] }),
  image: () => ({
    content: [
      { type: "text", text: "an image" },
      { type: "image", data: image, mimeType: "image/png" },
    ],
  }),
  pdf: () => ({
    content: [
      { type: "text", text: "a PDF" },
      {
        type: "resource",
        resource: { uri: "file:///probe.pdf", mimeType: "application/pdf", blob: pdf },
      },
    ],
  }),
};

const tools = Object.keys(answers).map((name) => ({
  name,
  description: `Answers for a probe: ${name}.\n\n${secondParagraph}`,
  inputSchema: number,
  ...meta,
}));

let clientName = "";

/** One red point, as base64 of a PNG. */
export const image =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A page without anything on it, as base64. */
export const pdf = Buffer.from(
  [
    "%PDF-1.4",
    "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj",
    "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj",
    "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>> endobj",
    "trailer <</Root 1 0 R>>",
    "%%EOF",
    "",
  ].join("\n"),
).toString("base64");

/** The text of a probe, in lines of 50 characters. @param {number} count */
export function textOf(count) {
  return Array.from({ length: Math.ceil(count / 50) }, (_, n) => `${`${n} `.padEnd(49, "x")}\n`)
    .join("")
    .slice(0, count);
}

/** @param {any} request */
function reply({ method, params }) {
  if (method === "initialize") {
    clientName = params.clientInfo?.name;
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "probe", version: "1" },
    };
  }
  if (method === "tools/list") return { tools };
  if (method === "tools/call") return answers[params.name]?.(params.arguments?.count ?? 0);
  return {};
}

if (process.argv[1] === import.meta.filename)
  createInterface({ input: process.stdin }).on("line", (line) => {
    const request = JSON.parse(line);
    if (request.id === undefined) return;
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: reply(request) })}\n`);
  });
