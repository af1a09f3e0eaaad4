import type Anthropic from "@anthropic-ai/sdk";
import {
  fromAnthropic,
  type ModelEvent,
  type ModelPort,
  type ModelStep,
  toAnthropic,
} from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import type { ThinkingForm } from "./catalog.js";
import { providerFetch } from "./provider-fetch.js";
import { type ProviderOptions, type ProviderWire, providerPort, requestOptions } from "./provider-port.js";

type AnthropicStreamEvent = Anthropic.RawMessageStreamEvent;

/** What is asked of Anthropic beside the conversation. */
interface AnthropicOptions extends ProviderOptions {
  /** How long the cache keeps a prompt; `5m` unless given. */
  readonly cache?: "5m" | "1h";
  /** How the model is told how much to think (`ModelStep.effort`); `adaptive` unless given. */
  readonly form?: ThinkingForm;
  /**
   * As the API has it, where a step says nothing of it: `{ type: "adaptive" }`, or a budget. Not sent unless given, nor in a tool loop whose thought is lost:
   * the API refuses a loop without the thought that began it.
   */
  readonly thinking?: Anthropic.ThinkingConfigParam;
}

/** Models of Anthropic, through its SDK, which is loaded with the first request. */
export function anthropicModel(options: AnthropicOptions): ModelPort {
  const own = { ...options, provider: "anthropic" };
  const port = providerPort("Anthropic", own, () => new AnthropicWire(options));
  return options.cache === "1h" ? { ...port, cache: "1h" } : port;
}

const outputTokens = 32_000;

/** Tokens that a model with a budget may think. */
const budgets = { low: 4_096, medium: 10_000, high: 20_000, max: 31_999 } as const;

class AnthropicWire implements ProviderWire<AnthropicStreamEvent> {
  readonly read = fromAnthropic;
  #calls = new Map<number, { readonly at: number; readonly name: string }>();

  constructor(private readonly options: AnthropicOptions) {}

  async open(step: ModelStep, signal: AbortSignal): Promise<AsyncIterable<AnthropicStreamEvent>> {
    const { model, maxOutputTokens = outputTokens, onRequest } = this.options;
    const most = Math.min(maxOutputTokens, step.answerTokens ?? maxOutputTokens);
    const body = { ...this.#body(step), max_tokens: most, ...this.#thinking(step, most) };
    onRequest?.({ model, body });
    const client = await this.#client();
    // Not by `messages.create`: it writes to the console that a model is old, once a request.
    const asked = { ...body, model, stream: true } satisfies Anthropic.MessageCreateParamsStreaming;
    return client.post<AsyncIterable<AnthropicStreamEvent>>("/v1/messages", {
      body: asked,
      signal,
      stream: true,
    });
  }

  #thinking({ effort, thinking: allowed }: ModelStep, most: number) {
    const { thinking, form = "adaptive" } = this.options;
    if (allowed === "off" || form === "none") return {};
    if (effort === undefined) return defined({ thinking });
    if (effort === "off") return { thinking: { type: "disabled" as const } };
    if (form === "adaptive")
      return {
        thinking: { type: "adaptive" as const, display: "summarized" as const },
        output_config: { effort },
      };
    // The API wants 1,024 at least, and room for an answer beside them.
    const budget = Math.min(budgets[effort], most - 1_024);
    return budget < 1_024 ? {} : { thinking: { type: "enabled" as const, budget_tokens: budget } };
  }

  readonly countTokens = async (step: ModelStep, signal?: AbortSignal) => {
    const client = await this.#client();
    const body = { ...this.#body(step), model: this.options.model };
    const counted = await client.messages.countTokens(body, signal === undefined ? {} : { signal });
    return counted.input_tokens;
  };

  deltas(event: AnthropicStreamEvent): readonly ModelEvent[] {
    if (event.type === "content_block_start" && event.content_block.type === "tool_use") {
      const { name } = event.content_block;
      const at = this.#calls.size;
      this.#calls.set(event.index, { at, name });
      return [{ kind: "call-delta", at, name, json: "" }];
    }
    if (event.type !== "content_block_delta") return [];
    const { delta, index } = event;
    if (delta.type === "text_delta") return [{ kind: "text-delta", text: delta.text }];
    if (delta.type === "thinking_delta") return [{ kind: "thought-delta", text: delta.thinking }];
    const call = this.#calls.get(index);
    return delta.type === "input_json_delta" && call !== undefined
      ? [{ kind: "call-delta", ...call, json: delta.partial_json }]
      : [];
  }

  #body(step: ModelStep) {
    const { model, cache = "5m" } = this.options;
    return toAnthropic(step.contents, { ...requestOptions(step, model), cache }).body;
  }

  async #client(): Promise<Anthropic> {
    const { Anthropic: Client } = await import("@anthropic-ai/sdk");
    const { key, baseUrl, headers } = this.options;
    return new Client({
      // A server of one's own may want none; the SDK wants a text.
      apiKey: key === "" ? "none" : key,
      ...(headers === undefined ? {} : { defaultHeaders: headers }),
      // What the environment holds besides is not ours to send.
      authToken: null,
      baseURL: baseUrl ?? "https://api.anthropic.com",
      maxRetries: 0,
      fetch: providerFetch,
      // What an SDK says on its own would stand in the output of a program.
      logLevel: "off",
    });
  }
}
