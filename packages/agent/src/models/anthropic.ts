import type Anthropic from "@anthropic-ai/sdk";
import { fromAnthropic, type ModelPort, type ModelStep, toAnthropic } from "@holdfast/core/context";
import { type ProviderOptions, providerPort, sdkOptions, type WireStep } from "./provider-port.js";

/** Models of Anthropic, through its SDK, which is loaded with the first request. */
export function anthropicModel(options: ProviderOptions): ModelPort {
  const { model, cache = "5m" } = options;
  const form = (step: WireStep) => toAnthropic(step.contents, { ...step, cache }).body;
  // Whoever speaks for Anthropic, thoughts are bound and the cache is marked by its rules: it is `anthropic` in the tree.
  const own = { maxOutputTokens: outputTokens, ...options, provider: "anthropic" };
  const port = providerPort("Anthropic", own, {
    body: (step) => {
      const { answerTokens = outputTokens, searches = false } = step;
      const tools = searches ? { tools: [webSearch] } : {};
      return {
        ...form(step),
        ...tools,
        max_tokens: answerTokens,
        ...thinkingOf(step, answerTokens, options),
      };
    },
    async send(body, signal) {
      const client = await anthropicClient(options);
      // Not by `messages.create`: it writes to the console that a model is old, once a request.
      const asked = { ...body, model, stream: true } satisfies Anthropic.MessageCreateParamsStreaming;
      return client.post<AsyncIterable<Anthropic.RawMessageStreamEvent>>("/v1/messages", {
        body: asked,
        signal,
        stream: true,
      });
    },
    read: fromAnthropic,
    async countTokens(step, signal) {
      const client = await anthropicClient(options);
      const body = { ...form(step), model };
      const counted = await client.messages.countTokens(body, signal === undefined ? {} : { signal });
      return counted.input_tokens;
    },
  });
  return cache === "1h" ? { ...port, cache } : port;
}

const outputTokens = 32_000;
const webSearch = { type: "web_search_20250305" as const, name: "web_search" as const, max_uses: 5 };

/** Tokens that a model with a budget may think. */
const budgets = { low: 4_096, medium: 10_000, high: 20_000, max: 31_999 } as const;

function thinkingOf({ effort, thinking }: ModelStep, most: number, { form = "adaptive" }: ProviderOptions) {
  // The API refuses a loop without the thought that began it.
  if (thinking === "off" || form === "none" || effort === undefined) return {};
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

async function anthropicClient(options: ProviderOptions): Promise<Anthropic> {
  const { Anthropic: Client } = await import("@anthropic-ai/sdk");
  return new Client({
    ...sdkOptions(options),
    // What the environment holds besides is not ours to send.
    authToken: null,
    baseURL: options.baseUrl ?? "https://api.anthropic.com",
  });
}
