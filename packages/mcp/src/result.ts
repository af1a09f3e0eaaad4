import { escapeInJson, type ToolReply } from "@holdfast/core";
import type { CallToolResult } from "@modelcontextprotocol/server";

/**
 * A reply as a tool result. A refusal is no error here: some clients answer `isError` by echoing every
 * argument to the model, doubly encoded. Its first line says that it failed, and with which code.
 */
export function toCallResult(reply: ToolReply, structured: boolean): CallToolResult {
  const isError = reply.code === "internal_error";
  if (structured && !reply.bearsContent && isRecord(reply.json)) {
    return {
      content: [{ type: "text", text: escapeInJson(JSON.stringify(reply.json)) }],
      structuredContent: reply.json,
      isError,
    };
  }
  return { content: [{ type: "text", text: reply.text }], isError };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
