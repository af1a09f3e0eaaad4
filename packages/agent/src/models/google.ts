import type { ThinkingLevel } from "@google/genai/web";
import { fromGemini, type ModelPort, type ModelStep, toGemini } from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import { googleClient } from "./google-client.js";
import { providerFetch } from "./provider-fetch.js";
import { type ProviderOptions, providerPort } from "./provider-port.js";

/** Models of Google, through its SDK, which is loaded with the first request. */
export function googleModel(options: ProviderOptions): ModelPort {
  const { model } = options;
  return providerPort("Google", options, {
    body: (step) => {
      const { contents, config } = toGemini(step.contents, step).body;
      const own = { thinkingConfig: thinkingOf(step, options), maxOutputTokens: step.answerTokens };
      return { contents, config: { ...config, ...defined(own) } };
    },
    async send({ contents, config }, signal) {
      const client = await googleClient(options, oneRequest);
      return client.models.generateContentStream({
        model,
        contents,
        config: { ...config, abortSignal: signal },
      });
    },
    read: fromGemini,
    async countTokens(step, signal) {
      const client = await googleClient(options, oneRequest);
      const { contents } = toGemini(step.contents, step).body;
      const config = signal === undefined ? {} : { abortSignal: signal };
      const { totalTokens = 0 } = await client.models.countTokens({ model, contents, config });
      return totalTokens;
    },
  });
}

const oneRequest = { retryOptions: { attempts: 1 }, fetch: providerFetch };

/** Tokens that a model of the generation 2.5 may think. */
const budgets = { off: 0, low: 1_024, medium: 8_192, high: 16_384, max: 24_576 } as const;
const levels = { off: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH", max: "HIGH" } as const;

function thinkingOf({ effort }: ModelStep, { form }: ProviderOptions) {
  if (form === "none") return undefined;
  // Thoughts are sent along, as summaries.
  const includeThoughts = true;
  if (effort === undefined) return { includeThoughts };
  if (form === "budget") return { includeThoughts, thinkingBudget: budgets[effort] };
  // A cast: the words are the members of the SDK's enum, which costs its whole library to load.
  return { includeThoughts, thinkingLevel: levels[effort] as ThinkingLevel };
}
