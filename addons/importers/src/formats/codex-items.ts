import type { ModelOrigin, TurnPayload } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";
import type { EntryNode } from "../tree/foreign-entry.js";
import { argsOf, blocksOf, noteForPerson, resultNodes, unknown } from "./blocks.js";
import { blockOfDataUrl } from "./data-url.js";

/** Which answer of which model an item belongs to. */
export interface CodexAnswer {
  readonly from: ModelOrigin;
  readonly step: string;
  /** The reasoning item before it in the same answer. */
  readonly follows?: string | undefined;
}

/** What an item of the Responses API is in a conversation. */
export type CodexItem =
  | { readonly kind: "reasoning"; readonly item: JsonObject }
  | { readonly kind: "said"; readonly nodes: readonly EntryNode[] }
  | {
      readonly kind: "called";
      readonly callId: string;
      readonly name: string;
      readonly nodes: readonly EntryNode[];
    }
  /** A call that the provider carried out itself, with what came of it. */
  | { readonly kind: "done"; readonly nodes: readonly EntryNode[]; readonly results: readonly EntryNode[] }
  | { readonly kind: "answered"; readonly callId: string; readonly output: JsonValue | undefined }
  | { readonly kind: "message"; readonly role: string; readonly blocks: readonly JsonObject[] }
  /** What one agent said to another. */
  | { readonly kind: "told"; readonly blocks: readonly JsonObject[] }
  | { readonly kind: "other"; readonly nodes: readonly EntryNode[] };

/** Reads one item; those that mean nothing for a conversation are undefined. */
export function codexItem(item: JsonObject, answer: CodexAnswer): CodexItem | undefined {
  switch (item.type) {
    case "message":
      return item.role === "assistant"
        ? { kind: "said", nodes: said(item, answer) }
        : { kind: "message", role: textOf(item, "role") ?? "user", blocks: codexBlocks(item.content) };
    case "agent_message":
      return { kind: "told", blocks: codexBlocks(item.content).map(withWords) };
    case "reasoning":
      return { kind: "reasoning", item: withoutPassthrough(item) };
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
    case "tool_search_call":
      return called(item, answer);
    case "function_call_output":
    case "custom_tool_call_output":
      return answered(item, item.output);
    case "tool_search_output":
      return answered(item, item.tools === undefined ? undefined : JSON.stringify(item.tools));
    case "image_generation_call":
      return image(item, answer);
    case "web_search_call":
      return { kind: "other", nodes: [webSearch(item)] };
    case "compaction":
    case "compaction_summary":
    case "context_compaction":
      return { kind: "other", nodes: [unknown("codex", item)] };
    default:
      return undefined;
  }
}

/** Texts and images of a message or of a result, as blocks. */
function codexBlocks(content: JsonValue | undefined): readonly JsonObject[] {
  return blocksOf(content).map((block): JsonObject => {
    if (block.type === "input_text" || block.type === "output_text") return { ...block, type: "text" };
    const url = textOf(block, "image_url");
    return (url === undefined ? undefined : blockOfDataUrl(url)) ?? block;
  });
}

/** What agents say to each other is kept sealed where the provider sealed it, else as it is. */
function withWords(block: JsonObject): JsonObject {
  const sealed = block.type === "encrypted_content" ? textOf(block, "encrypted_content") : undefined;
  return sealed !== undefined && /\s/u.test(sealed) ? { type: "text", text: sealed } : block;
}

/** Reasoning items that follow each other, as the one thought that `toOpenAIResponses` gives back whole. */
export function thoughtOf(items: readonly JsonObject[], { from, step }: CodexAnswer): EntryNode {
  const thought = items.flatMap((item) => [...wordsIn(item.summary), ...wordsIn(item.content)]).join("\n\n");
  const signature = JSON.stringify(items);
  return { payload: { kind: "model_message", text: "", thought, signature, from, step } };
}

/** The result of a call. An output is a text, a list of contents, or in older files an object with a text. */
export function resultOf(callId: string, name: string, output: JsonValue | undefined): readonly EntryNode[] {
  const isOld = isJsonObject(output) && (typeof output.content === "string" || "success" in output);
  const content = isOld ? output.content : output;
  const isError = isOld && output.success === false;
  return resultNodes({ callId, name, isError }, codexBlocks(content), "codex", undefined);
}

function wordsIn(list: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly JsonValue[]).flatMap((one) =>
    isJsonObject(one) ? (textOf(one, "text") ?? []) : [],
  );
}

/** What the program keeps beside an item for itself; the API knows nothing of it. */
function withoutPassthrough(item: JsonObject): JsonObject {
  const { internal_chat_message_metadata_passthrough: _, ...rest } = item;
  return rest;
}

function said(item: JsonObject, answer: CodexAnswer): readonly EntryNode[] {
  const { from, step } = answer;
  return blocksOf(item.content).map((part) => {
    const isRefusal = part.type === "refusal";
    const text = textOf(part, isRefusal ? "refusal" : "text");
    if (text === undefined) return unknown("codex", part);
    const annotations =
      Array.isArray(part.annotations) && part.annotations.length > 0 ? part.annotations : undefined;
    const signature = signatureOf(item, answer, { annotations, refusal: isRefusal ? true : undefined });
    return { payload: { kind: "model_message", text, ...defined({ signature }), from, step } };
  });
}

function called(item: JsonObject, answer: CodexAnswer): CodexItem | undefined {
  const callId = callIdOf(item) ?? textOf(item, "id");
  if (callId === undefined) return undefined;
  const { from, step } = answer;
  const { name, args, written } = callOf(item);
  const isFunction = item.type === "function_call";
  const signature = isFunction ? signatureOf(item, answer, { arguments: written }) : undefined;
  const payload: TurnPayload = {
    kind: "tool_call",
    callId,
    name,
    args,
    ...defined({ signature }),
    from,
    step,
  };
  return { kind: "called", callId, name, nodes: [{ payload }] };
}

function callOf(item: JsonObject): {
  readonly name: string;
  readonly args: JsonObject;
  readonly written?: string | undefined;
} {
  switch (item.type) {
    case "custom_tool_call":
      return { name: textOf(item, "name") ?? "unknown", args: { input: textOf(item, "input") ?? "" } };
    case "local_shell_call":
      return { name: "local_shell", args: objectOf(item, "action") ?? {} };
    case "tool_search_call":
      return { name: "tool_search", args: argsOf(item.arguments) };
    default: {
      const json = textOf(item, "arguments");
      const value = json === undefined ? item.arguments : (parsedObject(json) ?? json);
      const args = argsOf(value);
      const written = json === undefined || JSON.stringify(args) === json ? undefined : json;
      return { name: textOf(item, "name") ?? "unknown", args, written };
    }
  }
}

function parsedObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function answered(item: JsonObject, output: JsonValue | undefined): CodexItem | undefined {
  const callId = callIdOf(item);
  return callId === undefined ? undefined : { kind: "answered", callId, output };
}

/** A number is kept as its text: it names the call as well, and without it the call and its result would be no turns. */
function callIdOf(item: JsonObject): string | undefined {
  const { call_id: callId } = item;
  return typeof callId === "number" ? String(callId) : textOf(item, "call_id");
}

/** An image that the model had made by the provider: a call, and the image for its result. */
function image(item: JsonObject, { from, step }: CodexAnswer): CodexItem | undefined {
  const callId = textOf(item, "id");
  if (callId === undefined) return undefined;
  const name = "image_generation";
  const args = defined({ prompt: textOf(item, "revised_prompt") });
  const data = textOf(item, "result");
  const blocks = data === undefined || data === "" ? [] : [{ type: "image", mimeType: "image/png", data }];
  const results = resultNodes(
    { callId, name, isError: item.status === "failed" },
    blocks,
    "codex",
    undefined,
  );
  return {
    kind: "done",
    nodes: [{ payload: { kind: "tool_call", callId, name, args, from, step } }],
    results,
  };
}

/** The provider searched; what it found is not in the file. */
function webSearch(item: JsonObject): EntryNode {
  const action = objectOf(item, "action") ?? {};
  return noteForPerson(
    `Web search: ${textOf(action, "query") ?? textOf(action, "url") ?? JSON.stringify(action)}`,
  );
}

/** As `fromOpenAIResponses` keeps what the API gave with a text or a call. */
function signatureOf(
  item: JsonObject,
  { follows }: CodexAnswer,
  rest: Readonly<Record<string, JsonValue | undefined>>,
): string | undefined {
  const { id, status, phase, namespace } = item;
  const text = (value: JsonValue | undefined) => (typeof value === "string" ? value : undefined);
  const kept = defined({
    id: text(id),
    status: text(status),
    phase: text(phase),
    namespace: text(namespace),
    follows,
    ...rest,
  });
  return Object.keys(kept).length === 0 ? undefined : JSON.stringify(kept);
}
