import type { JsonObject, TurnUsage } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { countOf, objectOf, textOf } from "../lines/fields.js";
import type { EntryNode } from "../tree/foreign-entry.js";
import {
  argsOf,
  blocksOf,
  madeNode,
  mediaOf,
  noteForModel,
  noteForPerson,
  resultNodes,
  splitTexts,
  unknown,
  userNodes,
} from "./blocks.js";
import type { ClaudeShaped } from "./claude-shaped.js";

/** What a line of the user becomes: the results in it, and what was said beside them. */
interface UserContent {
  readonly results: readonly { readonly callId: string; readonly nodes: readonly EntryNode[] }[];
  readonly said: readonly EntryNode[];
}

/** What the lines of Claude Code and of its SDK say, as nodes. */
export class ClaudeContent {
  /** Who answered: of the others it is not known which provider they asked. */
  private readonly provider: string;
  private readonly names = new Map<string, string>();
  private readonly usage = new Map<string, TurnUsage>();

  constructor(private readonly format: "claude" | ClaudeShaped) {
    this.provider = format === "claude" ? "anthropic" : "unknown";
  }

  /** Collects what a line says about others: the names of calls, the last count of an answer. */
  lookAhead(value: JsonObject): void {
    const message = objectOf(value, "message");
    if (value.type !== "assistant" || message === undefined) return;
    for (const block of blocksOf(message.content)) {
      const [id, name] = [textOf(block, "id"), textOf(block, "name")];
      if (block.type === "tool_use" && id !== undefined && name !== undefined) this.names.set(id, name);
    }
    const [step, usage] = [textOf(message, "id"), objectOf(message, "usage")];
    if (step !== undefined && usage !== undefined) this.usage.set(step, usageOf(usage));
  }

  /** The parts of an answer that one line holds. */
  answer(message: JsonObject, step: string | undefined): readonly EntryNode[] {
    const from = { provider: this.provider, model: textOf(message, "model") ?? "unknown" };
    if (message.content === undefined) return [unknown(this.format, message)];
    return blocksOf(message.content).map((block) =>
      answerNode(block, { from, ...defined({ step }) }, this.format),
    );
  }

  /** What was counted for the answer, told once. */
  usageOf(message: JsonObject, step: string | undefined): TurnUsage | undefined {
    const own = objectOf(message, "usage");
    const usage = step === undefined ? own && usageOf(own) : this.usage.get(step);
    if (step !== undefined) this.usage.delete(step);
    return usage;
  }

  user(value: JsonObject, message: JsonObject): UserContent {
    if (message.content === undefined) return { results: [], said: [unknown(this.format, message)] };
    const blocks = blocksOf(message.content);
    const isResult = ({ type }: JsonObject) => type === "tool_result";
    const results = blocks.filter(isResult).map((block) => this.resultOf(block, value));
    const rest = blocks.filter((block) => !isResult(block));
    return {
      results,
      said: rest.length === 0 && results.length > 0 ? [] : saidNodes(value, rest, this.format),
    };
  }

  private resultOf(block: JsonObject, value: JsonObject): UserContent["results"][number] {
    const callId = textOf(block, "tool_use_id") ?? "";
    const name = this.names.get(callId) ?? "unknown";
    const isError = block.is_error === true;
    const details = value.toolUseResult ?? value.tool_use_result;
    return {
      callId,
      nodes: resultNodes({ callId, name, isError }, resultBlocks(block), this.format, details),
    };
  }
}

/** What is no block in a result is a text: a program of another make keeps its own object there. */
function resultBlocks({ content }: JsonObject): readonly JsonObject[] {
  return blocksOf(content).map((block) =>
    block.type === undefined ? { type: "text", text: JSON.stringify(block) } : block,
  );
}

/** Words of the program in the user's place are notes; its images are the user's. */
function saidNodes(value: JsonObject, blocks: readonly JsonObject[], format: string): readonly EntryNode[] {
  const { text, rest } = splitTexts(blocks);
  if (rest.some((block) => mediaOf(block) !== undefined)) return userNodes(blocks, format);
  const note =
    value.isVisibleInTranscriptOnly === true
      ? noteForPerson(text)
      : value.isMeta === true || value.isSynthetic === true || isOfTask(value)
        ? noteForModel(text)
        : undefined;
  if (note === undefined) return userNodes(blocks, format);
  return [...(text === "" ? [] : [note]), ...rest.map((block) => unknown(format, block))];
}

/** What a helper in the background tells. */
function isOfTask(value: JsonObject): boolean {
  return objectOf(value, "origin")?.kind === "task-notification";
}

/**
 * Words that the user sent while the model was at work, and what was shown with a prompt: files, parts of them, what
 * others changed. All else that the program tells the model is its own.
 */
export function attachmentNodes(value: JsonObject): readonly EntryNode[] {
  const attachment = objectOf(value, "attachment");
  if (attachment === undefined) return [];
  if (attachment.type === "queued_command") {
    const blocks = blocksOf(attachment.prompt);
    const isHosts = attachment.commandMode === "task-notification" || value.isMeta === true;
    return isHosts ? [noteForModel(splitTexts(blocks).text)] : userNodes(blocks, "claude");
  }
  const content = objectOf(attachment, "content");
  const file = content === undefined ? undefined : objectOf(content, "file");
  const [data, mimeType] = [file && textOf(file, "base64"), file && textOf(file, "type")];
  if (attachment.type === "file" && content?.type === "image" && data !== undefined && mimeType !== undefined)
    return [{ payload: { kind: "user_message", text: "", media: [{ mimeType, data }] } }];
  const text = shownText(attachment);
  return text === undefined || text.trim() === "" ? [] : [noteForModel(text)];
}

/** The text that an attachment put before the model, below the name of the file that it is of. */
function shownText(attachment: JsonObject): string | undefined {
  const content = objectOf(attachment, "content");
  const of = (text: string | undefined, name = textOf(attachment, "filename")) =>
    text === undefined || name === undefined ? text : `${name}:\n${text}`;
  switch (attachment.type) {
    case "file":
      return of(textOf((content && objectOf(content, "file")) ?? {}, "content"));
    case "edited_text_file":
      return of(textOf(attachment, "snippet") || undefined);
    case "selected_lines_in_ide":
      return of(textOf(attachment, "content"));
    case "directory":
      return of(textOf(attachment, "content"), textOf(attachment, "path"));
    case "nested_memory":
      return of(content && textOf(content, "content"), textOf(attachment, "path"));
    case "hook_additional_context":
      return splitTexts(blocksOf(attachment.content)).text;
    case "mcp_resource":
      return splitTexts(blocksOf(content?.contents).map((resource) => ({ type: "resource", resource }))).text;
    default:
      return undefined;
  }
}

type SaidBy = {
  readonly from: { readonly provider: string; readonly model: string };
  readonly step?: string;
};

function answerNode(block: JsonObject, origin: SaidBy, format: string): EntryNode {
  switch (block.type) {
    case "text":
      return { payload: { kind: "model_message", text: textOf(block, "text") ?? "", ...origin } };
    case "thinking": {
      const signature = textOf(block, "signature");
      const thought = textOf(block, "thinking") ?? "";
      const sign = defined({ signature });
      return { payload: { kind: "model_message", text: "", thought, ...sign, ...origin } };
    }
    case "redacted_thinking": {
      const redactedThought = textOf(block, "data") ?? "";
      return { payload: { kind: "model_message", text: "", redactedThought, ...origin } };
    }
    case "tool_use": {
      const call = { callId: textOf(block, "id") ?? "", name: textOf(block, "name") ?? "unknown" };
      return { payload: { kind: "tool_call", ...call, args: argsOf(block.input), ...origin } };
    }
    default:
      return madeNode(format, block, origin);
  }
}

function usageOf(usage: JsonObject): TurnUsage {
  const cached = countOf(usage, "cache_read_input_tokens");
  return {
    inputTokens: countOf(usage, "input_tokens") + cached + countOf(usage, "cache_creation_input_tokens"),
    cachedInputTokens: cached,
    outputTokens: countOf(usage, "output_tokens"),
  };
}
