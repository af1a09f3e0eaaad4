import type { TurnUsage } from "../../conversation/values/index.js";
import { countIn, defined, isObject, listIn, recordIn, textIn } from "../../text/index.js";
import {
  type AnswerDeltas,
  type AnswerDraft,
  type AnswerEnd,
  type AnswerReader,
  answerReader,
  type DraftedAnswerPart,
} from "./received-answer.js";

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
export const fromAnthropic: AnswerReader<AnthropicResponse, AnthropicEvent> = answerReader(
  "anthropic",
  (deltas) => new AnthropicDraft(deltas),
);

/** A block while its deltas come. */
interface OpenBlock {
  readonly start: unknown;
  /** Arguments as far as they came; undefined where none did. */
  json: string | undefined;
  text: string;
  signature: string;
  whole: boolean;
}

class AnthropicDraft implements AnswerDraft {
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: Readonly<Record<string, unknown>> = {};
  #stopReason: string | undefined;
  #failed = false;

  constructor(private readonly deltas: AnswerDeltas) {}

  take(event: unknown): void {
    switch (textIn(event, "type")) {
      case "message_start": {
        // How much is said is not known yet; the number that stands here is that of the first tokens.
        const {
          output_tokens: _,
          output_tokens_details: __,
          ...input
        } = recordIn(recordIn(event, "message"), "usage");
        this.#usage = input;
        return;
      }
      case "message_delta":
        this.#usage = { ...this.#usage, ...present(recordIn(event, "usage")) };
        this.#stopReason = textIn(recordIn(event, "delta"), "stop_reason") ?? this.#stopReason;
        return;
      case "error":
        this.#failed = true;
        return;
      default:
        this.#takeBlockEvent(event);
    }
  }

  takeWhole(response: unknown): void {
    this.#usage = recordIn(response, "usage");
    this.#stopReason = textIn(response, "stop_reason");
    const blocks = listIn(response, "content");
    for (const [at, start] of blocks.entries()) {
      // The library has parsed the arguments: nothing shows whether they were all.
      const mayBeCut = isCall(start) && at === blocks.length - 1 && endOf(this.#stopReason) === "length";
      this.#blocks.set(at, { start, json: undefined, text: "", signature: "", whole: !mayBeCut });
    }
  }

  #takeBlockEvent(event: unknown): void {
    const index = countIn(event, "index");
    if (index === undefined) return;
    if (textIn(event, "type") === "content_block_start") {
      const start = recordIn(event, "content_block");
      // Most often the arguments begin empty and come in pieces.
      const json = Object.keys(recordIn(start, "input")).length === 0 ? "" : undefined;
      this.#blocks.set(index, { start, json, text: "", signature: "", whole: false });
      if (isCall(start)) this.deltas.call(index, "", textIn(start, "name"));
      return;
    }
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    if (textIn(event, "type") === "content_block_stop") block.whole = true;
    else this.#takeDelta(index, block, recordIn(event, "delta"));
  }

  #takeDelta(index: number, block: OpenBlock, delta: Readonly<Record<string, unknown>>): void {
    const piece = (member: string) => textIn(delta, member) ?? "";
    switch (textIn(delta, "type")) {
      case "text_delta":
        block.text += piece("text");
        this.deltas.text(piece("text"));
        return;
      case "thinking_delta":
        block.text += piece("thinking");
        this.deltas.thought(piece("thinking"));
        return;
      case "signature_delta":
        block.signature += piece("signature");
        return;
      case "input_json_delta":
        block.json = (block.json ?? "") + piece("partial_json");
        if (isCall(block.start)) this.deltas.call(index, piece("partial_json"));
        return;
      default:
        return;
    }
  }

  finish() {
    const stopReason = this.#stopReason;
    const ended = stopReason === undefined && this.#failed ? "failed" : endOf(stopReason);
    const parts = [...this.#blocks].sort(([one], [other]) => one - other).map(([, block]) => draftOf(block));
    const found = [...this.#blocks.values()].flatMap(({ start }) =>
      textIn(start, "type") === "web_search_tool_result" ? listIn(start, "content") : [],
    );
    return { parts, ended, stopReason, usage: usageOf(this.#usage), found };
  }
}

function isCall(block: unknown): boolean {
  return textIn(block, "type") === "tool_use";
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
