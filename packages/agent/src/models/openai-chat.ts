import { fromOpenAI, type ModelPort, toOpenAI } from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import { cacheKey, effortOf, openaiClient } from "./openai-client.js";
import { type ProviderOptions, providerPort } from "./provider-port.js";

/**
 * Models behind Chat Completions, by a base URL: Ollama, llama.cpp, LM Studio, vLLM, OpenRouter and their like, through the
 * SDK of OpenAI, which is loaded with the first request.
 */
export function openaiChatModel(options: ProviderOptions): ModelPort {
  const { model } = options;
  return providerPort("OpenAI", options, {
    body: (step) => ({
      ...toOpenAI(step.contents, step).body,
      stream_options: { include_usage: true },
      ...defined({ max_tokens: step.answerTokens, reasoning_effort: effortOf(step, options) }),
      ...cacheKey(step, options),
    }),
    async send(body, signal) {
      const client = await openaiClient(options);
      return client.chat.completions.create({ ...body, model, stream: true }, { signal });
    },
    read: fromOpenAI,
  });
}
