import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { countOf, objectOf, textOf } from "../lines/fields.js";

/**
 * Programs whose sessions are a chain of lines as a transcript of Claude Code is, with other names. A line is rewritten
 * in Claude Code's names and read as one; what has no such name keeps its bytes as a block of its own type.
 */
export type ClaudeShaped = "copilot" | "qwen" | "cline";

/** A line in the names of Claude Code. @param at its index, which names a line without an id. */
export function inClaudeShape(format: ClaudeShaped, value: JsonObject, at: number): JsonObject {
  switch (format) {
    case "copilot":
      return ofCopilot(value);
    case "qwen":
      return ofQwen(value);
    case "cline":
      return ofCline(value, at);
    default:
      return format satisfies never;
  }
}

/** An event of GitHub Copilot CLI: `{type, data, id, parentId, timestamp}`. */
export function isCopilot({ type, data, id }: JsonObject): boolean {
  return (
    typeof type === "string" && /^[a-z_]+\.[a-z_.]+$/.test(type) && isJsonObject(data) && id !== undefined
  );
}

/** A record of Qwen Code: the frame of Claude Code around a content of Gemini's. */
export function isQwen(value: JsonObject): boolean {
  const isFramed = typeof value.uuid === "string" && typeof value.sessionId === "string";
  return isFramed && (Array.isArray(objectOf(value, "message")?.parts) || isJsonObject(value.systemPayload));
}

/** A message in a task's `api_conversation_history.json` of Cline or Roo Code. */
export function isCline({ role, content, type, id }: JsonObject): boolean {
  const blocks = Array.isArray(content) ? (content as readonly JsonValue[]) : [];
  const isMessage = (role === "user" || role === "assistant") && type === undefined && id === undefined;
  return isMessage && blocks.some((block) => isJsonObject(block) && clineBlocks.has(String(block.type)));
}

const clineBlocks: ReadonlySet<string> = new Set(["text", "tool_use", "tool_result", "thinking", "image"]);

function ofCopilot(value: JsonObject): JsonObject {
  const data = objectOf(value, "data") ?? {};
  const agent = textOf(data, "parentToolCallId");
  const context = objectOf(data, "context");
  const frame = defined({
    uuid: textOf(value, "id"),
    parentUuid: value.parentId,
    timestamp: value.timestamp,
    sessionId: textOf(data, "sessionId"),
    cwd: context && textOf(context, "cwd"),
    ...(agent === undefined ? {} : { isSidechain: true, agentId: agent }),
  });
  const said = (type: string, content: JsonValue, more: JsonObject = {}): JsonObject => ({
    ...frame,
    ...more,
    type,
    message: defined({ content, id: data.messageId, model: textOf(data, "model") }),
  });
  switch (value.type) {
    case "user.message":
      return said("user", [...words(textOf(data, "content")), ...blocksIn(data.attachments)]);
    case "assistant.message":
      return said("assistant", answerOfCopilot(data));
    case "tool.execution_complete":
      return said("user", [resultOfCopilot(data)], detailsIn(objectOf(data, "result")?.detailedContent));
    case "session.compaction_complete": {
      const summary = textOf(data, "summaryContent");
      return summary === undefined
        ? { ...frame, type: value.type }
        : said("user", words(summary), { isCompactSummary: true });
    }
    default:
      return copilotChatter.test(String(value.type))
        ? { ...frame, type: String(value.type) }
        : said("user", [{ ...data, type: String(value.type) }]);
  }
}

/** What is told of a run besides what was said and done in it. */
const copilotChatter =
  /^(session|system|hook|permission|subagent|skill|abort|external_tool|elicitation|command|mcp)\.|^(assistant\.(turn_|intent|usage|reasoning|.*delta)|tool\.(execution_(start|progress|partial)|user_requested))/;

function answerOfCopilot(data: JsonObject): JsonValue {
  const thought = textOf(data, "reasoningText");
  const calls = blocksIn(data.toolRequests).map((call) => ({
    type: "tool_use",
    ...defined({ id: call.toolCallId, name: call.name, input: call.arguments }),
  }));
  return [
    ...(thought === undefined || thought === "" ? [] : [{ type: "thinking", thinking: thought }]),
    ...words(textOf(data, "content")),
    ...calls,
  ];
}

function resultOfCopilot(data: JsonObject): JsonObject {
  const [result, error] = [objectOf(data, "result"), objectOf(data, "error")];
  const content = (result && textOf(result, "content")) ?? (error && textOf(error, "message")) ?? "";
  const of = { type: "tool_result", tool_use_id: textOf(data, "toolCallId") ?? "" };
  return { ...of, content, is_error: data.success === false };
}

function ofQwen(value: JsonObject): JsonObject {
  const message = objectOf(value, "message");
  const parts = message?.parts;
  if (message === undefined || !Array.isArray(parts)) return value;
  const usage = objectOf(value, "usageMetadata");
  return {
    ...value,
    ...detailsIn(objectOf(value, "toolCallResult")?.resultDisplay),
    type: value.type === "assistant" ? "assistant" : "user",
    message: defined({
      id: value.uuid,
      model: textOf(value, "model"),
      content: blocksIn(parts).map(blockOfPart),
      usage: usage && {
        input_tokens: countOf(usage, "promptTokenCount") - countOf(usage, "cachedContentTokenCount"),
        cache_read_input_tokens: countOf(usage, "cachedContentTokenCount"),
        output_tokens: countOf(usage, "candidatesTokenCount"),
      },
    }),
  };
}

function blockOfPart(part: JsonObject): JsonObject {
  const text = textOf(part, "text");
  const [call, result] = [objectOf(part, "functionCall"), objectOf(part, "functionResponse")];
  if (text !== undefined && part.thought === true) return { type: "thinking", thinking: text };
  if (text !== undefined) return { type: "text", text };
  if (call !== undefined)
    return { ...defined({ id: call.id, name: call.name, input: call.args }), type: "tool_use" };
  if (result === undefined) return { type: Object.keys(part)[0] ?? "part", ...part };
  const response = objectOf(result, "response") ?? {};
  const error = textOf(response, "error");
  const output = textOf(response, "output") ?? error ?? JSON.stringify(response);
  const of = { type: "tool_result", tool_use_id: textOf(result, "id") ?? "" };
  return { ...of, content: [...words(output), ...blocksIn(result.parts)], is_error: error !== undefined };
}

function ofCline(value: JsonObject, at: number): JsonObject {
  const { role, content, ts } = value;
  const model = textOf(objectOf(value, "modelInfo") ?? {}, "modelId");
  const message = { ...defined({ model }), content: content ?? null };
  return { ...defined({ timestamp: ts }), type: role ?? null, uuid: `message ${at}`, message };
}

function words(text: string | undefined): readonly JsonObject[] {
  return text === undefined || text === "" ? [] : [{ type: "text", text }];
}

/** What is no object in a list of blocks is a text. */
function blocksIn(list: JsonValue | undefined): readonly JsonObject[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).map((one) =>
    isJsonObject(one) ? one : { type: "text", text: typeof one === "string" ? one : JSON.stringify(one) },
  );
}

/** What the program shows a person of a result. */
function detailsIn(shown: JsonValue | undefined): JsonObject {
  return shown === undefined || shown === "" ? {} : { toolUseResult: shown };
}
