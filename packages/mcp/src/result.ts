import { escapeInJson, isObject } from "@holdfast/core/text";
import { factsOf, type ToolReply } from "@holdfast/core/tools";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Host } from "./hosts.js";

/** How replies are sent to one client. */
interface ResultForm {
  /** As `McpOptions.structured`; `facts`: for a script, which takes facts from the JSON form and prints the text. */
  readonly structured: boolean | "facts";
  readonly host: Pick<Host, "passesErrors">;
}

/**
 * A reply as a tool result. A refusal is an error where the client passes its text on; other clients answer
 * `isError` by echoing every argument to the model, doubly encoded, or by words of their own before ours. Its
 * first line says that it failed, and with which code, either way.
 */
export function toCallResult(reply: ToolReply, { structured, host }: ResultForm): CallToolResult {
  const isError = host.passesErrors ? !reply.success : reply.code === "internal_error";
  const facts = structured === "facts" ? factsOf(reply.json) : undefined;
  if (isObject(facts))
    return { content: [{ type: "text", text: reply.text }], structuredContent: facts, isError };
  if (structured && !reply.bearsContent && isObject(reply.json)) {
    return {
      content: [{ type: "text", text: escapeInJson(JSON.stringify(reply.json)) }],
      structuredContent: reply.json,
      isError,
    };
  }
  return { content: [{ type: "text", text: reply.text }], isError };
}
