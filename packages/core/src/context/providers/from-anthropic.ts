import type { TurnUsage } from "../../conversation/index.js";
import { defined, isObject } from "../../text/index.js";
import { countIn, listIn, recordIn, textIn } from "./fields.js";
import {
  type AnswerEnd,
  type AnswerOptions,
  answerOf,
  type DraftedAnswerPart,
  type ReceivedAnswer,
} from "./received-answer.js";
import { isStream, readStream } from "./stream.js";

/** A whole response of the Messages API (`Message` of its SDK). */
export interface AnthropicResponse {
  readonly content: readonly { readonly type: string }[];
  readonly stop_reason?: string | null;
  readonly usage?: object | null;
}

/** An event of its stream (`RawMessageStreamEvent` of its SDK). */
export interface AnthropicEvent {
  readonly type: string;
}

/**
 * The model's answer out of a response of the Messages API: thoughts with their signatures and redacted ones
 * byte for byte, texts, calls, usage. What came of a stream that broke off is told apart in `ended` and
 * `flaws`; a call that was not closed is none. Never throws, and never rejects for what the stream throws.
 */
export function fromAnthropic(response: AnthropicResponse, options: AnswerOptions): ReceivedAnswer;
export function fromAnthropic(
  stream: AsyncIterable<AnthropicEvent>,
  options: AnswerOptions,
): Promise<ReceivedAnswer>;
export function fromAnthropic(
  source: AnthropicResponse | AsyncIterable<AnthropicEvent>,
  options: AnswerOptions,
): ReceivedAnswer | Promise<ReceivedAnswer> {
  const given = { provider: "anthropic", ...options };
  if (isStream(source)) return fromStream(source, given);
  const stopReason = textIn(source, "stop_reason");
  const ended = endOf(stopReason);
  const blocks = listIn(source, "content");
  const drafts = blocks.map((block, at) => {
    // The library has parsed the arguments: nothing shows whether they were all.
    const stopped = ended === "length" && at === blocks.length - 1 && textIn(block, "type") === "tool_use";
    return draftOf({ start: block, json: undefined, text: "", signature: "", whole: !stopped });
  });
  return answerOf(drafts, { ended, stopReason, usage: usageOf(recordIn(source, "usage")) }, given);
}

/** A block while its deltas come. */
interface OpenBlock {
  readonly start: unknown;
  /** Arguments as far as they came; undefined where none did. */
  json: string | undefined;
  text: string;
  signature: string;
  whole: boolean;
}

async function fromStream(
  stream: AsyncIterable<AnthropicEvent>,
  options: AnswerOptions & { readonly provider: string },
): Promise<ReceivedAnswer> {
  const blocks = new Map<number, OpenBlock>();
  let usage: Readonly<Record<string, unknown>> = {};
  let stopReason: string | undefined;
  let failed = false;
  const { error } = await readStream(stream, (event) => {
    switch (textIn(event, "type")) {
      case "message_start": {
        // How much is said is not known yet; the number that stands here is that of the first tokens.
        const {
          output_tokens: _,
          output_tokens_details: __,
          ...input
        } = recordIn(recordIn(event, "message"), "usage");
        usage = input;
        return;
      }
      case "message_delta":
        usage = { ...usage, ...present(recordIn(event, "usage")) };
        stopReason = textIn(recordIn(event, "delta"), "stop_reason") ?? stopReason;
        return;
      case "error":
        failed = true;
        return;
      default:
        takeBlockEvent(blocks, event);
    }
  });
  const ended = stopReason !== undefined ? endOf(stopReason) : failed ? "failed" : "cut";
  const drafts = [...blocks].sort(([one], [other]) => one - other).map(([, block]) => draftOf(block));
  return answerOf(drafts, { ended, stopReason, usage: usageOf(usage), ...defined({ error }) }, options);
}

function takeBlockEvent(blocks: Map<number, OpenBlock>, event: unknown): void {
  const index = countIn(event, "index");
  if (index === undefined) return;
  if (textIn(event, "type") === "content_block_start") {
    const start = recordIn(event, "content_block");
    // Most often the arguments begin empty and come in pieces.
    const json = Object.keys(recordIn(start, "input")).length === 0 ? "" : undefined;
    blocks.set(index, { start, json, text: "", signature: "", whole: false });
    return;
  }
  const block = blocks.get(index);
  if (block === undefined) return;
  if (textIn(event, "type") === "content_block_stop") block.whole = true;
  else takeDelta(block, recordIn(event, "delta"));
}

function takeDelta(block: OpenBlock, delta: Readonly<Record<string, unknown>>): void {
  switch (textIn(delta, "type")) {
    case "text_delta":
      block.text += textIn(delta, "text") ?? "";
      return;
    case "thinking_delta":
      block.text += textIn(delta, "thinking") ?? "";
      return;
    case "signature_delta":
      block.signature += textIn(delta, "signature") ?? "";
      return;
    case "input_json_delta":
      block.json = (block.json ?? "") + (textIn(delta, "partial_json") ?? "");
      return;
    default:
      return;
  }
}

function draftOf({ start, json, text, signature, whole }: OpenBlock): DraftedAnswerPart {
  const type = textIn(start, "type") ?? "";
  switch (type) {
    case "text":
      return { kind: "text", text: (textIn(start, "text") ?? "") + text, whole };
    case "thinking": {
      const signed = (textIn(start, "signature") ?? "") + signature;
      const thought = (textIn(start, "thinking") ?? "") + text;
      // A signature of which the end is missing signs nothing.
      return {
        kind: "thought",
        text: thought,
        whole,
        signature: whole && signed !== "" ? signed : undefined,
      };
    }
    case "redacted_thinking":
      return { kind: "redacted_thought", data: textIn(start, "data") ?? "" };
    case "tool_use": {
      const value = isObject(start) ? start.input : undefined;
      const args = json === undefined ? { value } : { json };
      return { kind: "call", callId: textIn(start, "id"), name: textIn(start, "name"), args, whole };
    }
    default:
      return { kind: "unknown", type };
  }
}

function endOf(stopReason: string | undefined): AnswerEnd {
  switch (stopReason) {
    case undefined:
      return "cut";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refused";
    case "pause_turn":
      return "paused";
    default:
      return "complete";
  }
}

function present(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** Anthropic counts what it read of its cache, and what it wrote there, beside the rest of the prompt. */
function usageOf(usage: Readonly<Record<string, unknown>>): TurnUsage {
  const rest = countIn(usage, "input_tokens");
  const cachedInputTokens = countIn(usage, "cache_read_input_tokens");
  const cacheWriteTokens = countIn(usage, "cache_creation_input_tokens");
  const inputTokens =
    rest === undefined ? undefined : rest + (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0);
  return defined({
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: countIn(usage, "output_tokens"),
    thoughtTokens: countIn(recordIn(usage, "output_tokens_details"), "thinking_tokens"),
  });
}
