import { type ImportProblem, type SourceLine, whereOf } from "@holdfast/core/conversation/import";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { objectOf } from "../lines/fields.js";
import type { ForeignFormat } from "../tree/foreign-session.js";
import { inClaudeShape } from "./claude-shaped.js";

/**
 * Tells the lines that are JSON, and in which something is missing, or is of another type than their program writes,
 * without which they say less than they did: a text, a call's name, what an answer is to. What can be read of them is
 * kept; a kind that is not known is no such line.
 */
export function incompleteLines(
  format: ForeignFormat,
  lines: readonly SourceLine[],
  file?: string,
): readonly ImportProblem[] {
  return lines.flatMap(({ line, value }): readonly ImportProblem[] => {
    const missing = checks[format](value);
    if (missing === undefined) return [];
    const where = { line, ...defined({ file }) };
    const message = `${whereOf(where)} has no ${missing} that can be read; what is left of it was kept.`;
    return [{ ...where, what: "incomplete_line", message }];
  });
}

/** The name of what is missing, as a path; undefined where nothing is. */
type Missing = string | undefined;

const checks: Readonly<Record<ForeignFormat, (value: JsonObject) => Missing>> = {
  claude: (value) => ofClaude(value) ?? (isTurn(value) ? need(value, { uuid: isText }) : undefined),
  "claude-sdk": ofClaude,
  copilot: (value) => ofClaude(inClaudeShape("copilot", value, 1)),
  qwen: (value) => ofClaude(inClaudeShape("qwen", value, 1)),
  cline: (value) => ofClaude(inClaudeShape("cline", value, 1)),
  codex: (value) => ("payload" in value || "ordinal" in value ? ofCodex(value) : undefined),
  gemini: ofGemini,
  opencode: (value) => {
    const info = objectOf(value, "info");
    return info === undefined ? ofOpencode(value) : (ofOpencode(info) ?? inList(value, "parts", ofOpencode));
  },
  pi: ofPi,
};

function ofClaude(value: JsonObject): Missing {
  const missing = need(value, { type: isText });
  if (missing !== undefined || !isTurn(value)) return missing;
  const message = objectOf(value, "message");
  if (message === undefined) return "message";
  return below("message", need(message, { content: isContent }) ?? inList(message, "content", ofClaudeBlock));
}

function isTurn({ type }: JsonObject): boolean {
  return type === "user" || type === "assistant";
}

function ofClaudeBlock(block: JsonObject): Missing {
  switch (block.type) {
    case "text":
      return need(block, { text: isText });
    case "thinking":
      return need(block, { thinking: isText });
    case "tool_use":
      return need(block, { id: isText, name: isText, input: isJsonObject });
    case "tool_result":
      return need(block, { tool_use_id: isText }) ?? inList(block, "content", ofClaudeBlock);
    default:
      return need(block, { type: isText });
  }
}

function ofCodex(value: JsonObject): Missing {
  const payload = objectOf(value, "payload");
  if (payload === undefined) return "payload";
  const missing = need(value, { type: isText });
  return missing ?? (value.type === "response_item" ? below("payload", ofCodexItem(payload)) : undefined);
}

function ofCodexItem(item: JsonObject): Missing {
  switch (item.type) {
    case "message":
      return need(item, { role: isText, content: isContent }) ?? inList(item, "content", ofCodexBlock);
    case "reasoning":
      return need(item, { summary: Array.isArray }) ?? inList(item, "summary", ofCodexBlock);
    case "function_call":
      return need(item, { name: isText, call_id: isId, arguments: isText });
    case "custom_tool_call":
      return need(item, { name: isText, call_id: isId, input: isText });
    case "function_call_output":
    case "custom_tool_call_output":
      return need(item, { call_id: isId, output: isSomething }) ?? inList(item, "output", ofCodexBlock);
    default:
      return need(item, { type: isText });
  }
}

function ofCodexBlock(block: JsonObject): Missing {
  const type = need(block, { type: isText });
  return type ?? (/_text$/.test(String(block.type)) ? need(block, { text: isText }) : undefined);
}

function ofGemini(value: JsonObject): Missing {
  const set = objectOf(value, "$set");
  if (set !== undefined)
    return below(
      "$set",
      "messages" in set
        ? (need(set, { messages: Array.isArray }) ?? inList(set, "messages", ofGeminiMessage))
        : undefined,
    );
  if ("$set" in value) return "$set";
  const isTyped = isTurn(value) || value.type === "gemini";
  const isMessage = isTyped || ["content", "toolCalls", "thoughts"].some((key) => key in value);
  return isMessage ? ofGeminiMessage(value) : undefined;
}

function ofGeminiMessage(value: JsonObject): Missing {
  const missing = need(value, { id: isText, type: isText });
  if (missing !== undefined || (value.type !== "user" && value.type !== "gemini")) return missing;
  return (
    need(value, { content: isContent }) ??
    inList(value, "content", ofGeminiPart) ??
    inList(value, "toolCalls", ofGeminiCall)
  );
}

function ofGeminiCall(call: JsonObject): Missing {
  return need(call, { id: isText, name: isText, args: isJsonObject }) ?? inList(call, "result", ofGeminiPart);
}

function ofGeminiPart(part: JsonObject): Missing {
  if ("text" in part) return need(part, { text: isText });
  if ("functionCall" in part) return need(part, { functionCall: isJsonObject });
  if ("functionResponse" in part) return need(part, { functionResponse: isJsonObject });
  return Object.keys(part).length === 0 ? "part" : undefined;
}

const opencodeParts: ReadonlySet<string> = new Set(["text", "reasoning", "tool", "file"]);

function ofOpencode(value: JsonObject): Missing {
  if (typeof value.type === "string" && !opencodeParts.has(value.type)) return undefined;
  const missing = need(value, { id: isText });
  if (missing !== undefined) return missing;
  if (typeof value.role === "string") return need(value, { sessionID: isText, time: isJsonObject });
  if ("projectID" in value) return need(value, { projectID: isText, time: isJsonObject });
  const part = need(value, { messageID: isText, type: isText });
  if (part !== undefined) return "role" in value || "modelID" in value ? "role" : part;
  switch (value.type) {
    case "text":
    case "reasoning":
      return need(value, { text: isText });
    case "tool":
      return (
        need(value, { callID: isText, tool: isText, state: isJsonObject }) ??
        below("state", ofOpencodeState(objectOf(value, "state") ?? {}))
      );
    case "file":
      return need(value, { url: isText });
    default:
      return undefined;
  }
}

function ofOpencodeState(state: JsonObject): Missing {
  const missing = need(state, { status: isText });
  return (
    missing ??
    (state.status === "completed" ? need(state, { input: isJsonObject, output: isText }) : undefined)
  );
}

function ofPi(value: JsonObject): Missing {
  const missing = need(value, { type: isText });
  if (missing !== undefined || value.type !== "message") return missing;
  const message = objectOf(value, "message");
  if (message === undefined) return "message";
  const role = need(message, { role: isText });
  if (role !== undefined || !piRoles.has(String(message.role))) return below("message", role);
  const result =
    message.role === "toolResult" ? need(message, { toolCallId: isText, toolName: isText }) : undefined;
  return below(
    "message",
    result ?? need(message, { content: isContent }) ?? inList(message, "content", ofPiBlock),
  );
}

const piRoles: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

function ofPiBlock(block: JsonObject): Missing {
  switch (block.type) {
    case "text":
      return need(block, { text: isText });
    case "thinking":
      return need(block, { thinking: isText });
    case "toolCall":
      return need(block, { id: isText, name: isText, arguments: isJsonObject });
    default:
      return need(block, { type: isText });
  }
}

/** The first of these that is not as it should be. */
function need(
  value: JsonObject,
  keys: Readonly<Record<string, (field: JsonValue | undefined) => boolean>>,
): Missing {
  return Object.entries(keys).find(([key, isRight]) => !isRight(value[key]))?.[0];
}

/** The first flaw in the items of a list; what is no list has none. */
function inList(value: JsonObject, key: string, check: (item: JsonObject) => Missing): Missing {
  const list = value[key];
  if (!Array.isArray(list)) return undefined;
  for (const [at, item] of (list as readonly JsonValue[]).entries()) {
    const here = `${key}.${at}`;
    if (typeof item === "string") continue;
    if (!isJsonObject(item)) return here;
    const missing = check(item);
    if (missing !== undefined) return `${here}.${missing}`;
  }
  return undefined;
}

function below(key: string, missing: Missing): Missing {
  return missing === undefined ? undefined : `${key}.${missing}`;
}

function isText(field: JsonValue | undefined): boolean {
  return typeof field === "string";
}

function isId(field: JsonValue | undefined): boolean {
  return typeof field === "string" || typeof field === "number";
}

function isSomething(field: JsonValue | undefined): boolean {
  return field !== undefined && field !== null;
}

function isContent(field: JsonValue | undefined): boolean {
  return typeof field === "string" || Array.isArray(field);
}
