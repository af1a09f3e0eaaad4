import {
  fromOpenAI,
  type ModelEvent,
  type ModelPort,
  type ModelStep,
  toOpenAI,
} from "@holdfast/core/context";
import { defined, isObject } from "@holdfast/core/text";
import type OpenAI from "openai";
import { cacheKey, effortWords, openaiClient } from "./openai-client.js";
import {
  mostTokens,
  type ProviderOptions,
  type ProviderWire,
  providerPort,
  requestOptions,
} from "./provider-port.js";

type ChatChunk = OpenAI.Chat.ChatCompletionChunk;

/** What is asked of a server with Chat Completions beside the conversation. */
interface OpenAIChatOptions extends ProviderOptions {
  /** Whether the model reasons, so that it may be told how much. True unless given. */
  readonly reasons?: boolean;
}

/**
 * Models behind Chat Completions, by a base URL: Ollama, llama.cpp, LM Studio, vLLM, OpenRouter and their like, through the
 * SDK of OpenAI, which is loaded with the first request.
 */
export function openaiChatModel(options: OpenAIChatOptions): ModelPort {
  return providerPort("OpenAI", options, () => new ChatWire(options));
}

/** Some servers send the content in parts; of a sound the transcript is what a person can read. */
function textOf(delta: unknown): string {
  if (!isObject(delta)) return "";
  const { content, audio } = delta;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.map((part) => (isObject(part) ? part.text : undefined));
  const spoken = isObject(audio) ? audio.transcript : undefined;
  return [...texts, spoken].filter((text) => typeof text === "string").join("");
}

/** No part of the API of OpenAI: servers of open models send it, by one of two names. */
function thoughtOf(delta: unknown): string {
  const { reasoning_content: words, reasoning } = isObject(delta) ? delta : {};
  return [words, reasoning].find((text) => typeof text === "string") ?? "";
}

class ChatWire implements ProviderWire<ChatChunk> {
  readonly read = fromOpenAI;
  readonly #names = new Map<number, string>();

  constructor(private readonly options: OpenAIChatOptions) {}

  async open(step: ModelStep, signal: AbortSignal): Promise<AsyncIterable<ChatChunk>> {
    const { model, maxOutputTokens, reasons = true, onRequest } = this.options;
    const effort = step.effort === undefined || !reasons ? undefined : effortWords[step.effort];
    const body = {
      ...toOpenAI(step.contents, requestOptions(step, model)).body,
      stream_options: { include_usage: true },
      ...defined({ max_tokens: mostTokens(step, maxOutputTokens), reasoning_effort: effort }),
      ...cacheKey(step, this.options),
    };
    onRequest?.({ model, body });
    const client = await openaiClient(this.options);
    return client.chat.completions.create({ ...body, model, stream: true }, { signal });
  }

  deltas({ choices }: ChatChunk): readonly ModelEvent[] {
    const delta = choices[0]?.delta;
    const text = textOf(delta);
    const thought = thoughtOf(delta);
    const calls = delta?.tool_calls ?? [];
    return [
      ...(thought === "" ? [] : [{ kind: "thought-delta", text: thought } as const]),
      ...(text === "" ? [] : [{ kind: "text-delta", text } as const]),
      ...calls.map(({ index, function: called }): ModelEvent => {
        const name = called?.name ?? this.#names.get(index) ?? "";
        this.#names.set(index, name);
        return { kind: "call-delta", at: index, name, json: called?.arguments ?? "" };
      }),
    ];
  }
}
