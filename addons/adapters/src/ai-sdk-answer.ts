import {
  type AnswerEnd,
  answerOf,
  type ModelEvent,
  type ModelPort,
  type ReceivedAnswer,
} from "@holdfast/core/context";
import type { TurnUsage } from "@holdfast/core/conversation/values";
import { writtenMetadata } from "./ai-sdk-prompt.js";

/** A part of a stream of the AI SDK, as far as it is read here; what is not known is passed over. */
export type AiSdkStreamPart = { readonly type: string } & Readonly<Record<string, unknown>>;

interface OpenWords {
  readonly kind: "text" | "thought";
  text: string;
  signature: string | undefined;
  whole: boolean;
}

interface OpenAiSdkCall {
  readonly kind: "call";
  readonly at: number;
  readonly id: string;
  readonly name: string;
  json: string;
  signature: string | undefined;
  whole: boolean;
}

/** An answer of the AI SDK while its parts come. */
export class AiSdkAnswer {
  readonly #parts: (OpenWords | OpenAiSdkCall)[] = [];
  #end: { readonly ended: AnswerEnd; readonly stopReason: string; readonly usage: TurnUsage } | undefined;
  error: unknown;

  /** @returns what the part shows of the answer. */
  take(part: AiSdkStreamPart): readonly ModelEvent[] {
    const { type, delta } = part;
    const text = typeof delta === "string" ? delta : "";
    switch (type) {
      case "text-start":
      case "reasoning-start":
        this.#parts.push({ kind: kindOf(type), text: "", signature: signatureOf(part), whole: false });
        return [];
      case "text-delta":
      case "reasoning-delta":
      case "text-end":
      case "reasoning-end":
        return this.#words(kindOf(type), part, text);
      case "tool-input-start":
        this.#begin(textOf(part.id), textOf(part.toolName));
        return [];
      case "tool-input-delta":
        return this.#argument(textOf(part.id), text);
      case "tool-call":
        return this.#call(part);
      case "finish":
        this.#end = endOf(part);
        return [];
      case "error":
        this.error = part.error ?? new Error("the stream says that it failed");
        return [];
      default:
        return [];
    }
  }

  /** The answer of what has come; `cut` where no end of it came. */
  received(step: string, { provider, model }: ModelPort["target"]): ReceivedAnswer {
    const { ended = "cut", stopReason, usage = {} } = this.#end ?? {};
    const drafts = this.#parts.map((part) => {
      if (part.kind !== "call") return { ...part, whole: part.whole || ended === "complete" };
      const { id, name, json, signature, whole } = part;
      return { kind: "call" as const, callId: id, name, args: { json }, signature, whole };
    });
    return answerOf(drafts, { ended, stopReason, usage }, { step, provider, model });
  }

  #words(kind: OpenWords["kind"], part: AiSdkStreamPart, text: string): readonly ModelEvent[] {
    const open = this.#parts.findLast((one): one is OpenWords => one.kind === kind);
    if (open === undefined) return [];
    open.text += text;
    open.signature = signatureOf(part) ?? open.signature;
    open.whole = part.type.endsWith("-end");
    if (text === "") return [];
    return [{ kind: kind === "text" ? "text-delta" : "thought-delta", text }];
  }

  #begin(id: string, name: string): OpenAiSdkCall {
    const at = this.#parts.filter(({ kind }) => kind === "call").length;
    const call: OpenAiSdkCall = { kind: "call", at, id, name, json: "", signature: undefined, whole: false };
    this.#parts.push(call);
    return call;
  }

  #argument(id: string, json: string): readonly ModelEvent[] {
    const call = this.#open(id);
    if (call === undefined) return [];
    call.json += json;
    return [{ kind: "call-delta", at: call.at, name: call.name, json }];
  }

  /** The whole call; where its pieces came before, the end of them. Two calls may have one id. */
  #call(part: AiSdkStreamPart): readonly ModelEvent[] {
    // Nobody here can answer what the provider carries out by itself; it needs no answer.
    if (part.providerExecuted === true) return [];
    const begun = this.#open(textOf(part.toolCallId));
    const call = begun ?? this.#begin(textOf(part.toolCallId), textOf(part.toolName));
    call.json = textOf(part.input);
    call.signature = signatureOf(part);
    call.whole = true;
    return begun === undefined ? [{ kind: "call-delta", at: call.at, name: call.name, json: call.json }] : [];
  }

  #open(id: string): OpenAiSdkCall | undefined {
    return this.#parts.find(
      (one): one is OpenAiSdkCall => one.kind === "call" && one.id === id && !one.whole,
    );
  }
}

function kindOf(type: string): OpenWords["kind"] {
  return type.startsWith("text") ? "text" : "thought";
}

function signatureOf(part: AiSdkStreamPart): string | undefined {
  return writtenMetadata(part.providerMetadata);
}

function endOf({ finishReason, usage }: AiSdkStreamPart) {
  const reason = textOf(valueAt(finishReason, "unified"));
  const stopReason = textOf(valueAt(finishReason, "raw")) || reason;
  return { ended: ends[reason] ?? "complete", stopReason, usage: usageOf(usage) };
}

/** What is not there is an end like any other: `stop`, `tool-calls`, `other`. */
const ends: Readonly<Record<string, AnswerEnd>> = {
  length: "length",
  "content-filter": "refused",
  error: "failed",
  interrupted: "cut",
};

function usageOf(usage: unknown): TurnUsage {
  const [input, output] = [valueAt(usage, "inputTokens"), valueAt(usage, "outputTokens")];
  const counted = {
    inputTokens: valueAt(input, "total"),
    cachedInputTokens: valueAt(input, "cacheRead"),
    cacheWriteTokens: valueAt(input, "cacheWrite"),
    outputTokens: valueAt(output, "total"),
    thoughtTokens: valueAt(output, "reasoning"),
  };
  return Object.fromEntries(Object.entries(counted).filter(([, count]) => Number.isSafeInteger(count)));
}

/** What stands under a key, where there is one. */
export function valueAt(value: unknown, key: string): unknown {
  // A cast: an object, whose keys are looked at one by one.
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** A text; empty where it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
