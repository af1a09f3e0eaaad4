import type { Effort, ModelStep } from "@holdfast/core/context";
import type OpenAI from "openai";
import { type ProviderOptions, sdkOptions } from "./provider-port.js";

/** How much a model is to think, in the words of the API; undefined where it is not said. */
export function effortOf({ effort }: ModelStep, { form }: ProviderOptions) {
  return effort === undefined || form === "none" ? undefined : effortWords[effort];
}

const effortWords = {
  off: "none",
  low: "low",
  medium: "medium",
  high: "high",
  max: "xhigh",
} as const satisfies Readonly<Record<Effort, string>>;

/** Requests of one conversation go to where its prompt is kept. Other servers may not know the word. */
export function cacheKey({ session }: ModelStep, { provider = "openai" }: ProviderOptions) {
  return session === undefined || provider !== "openai" ? {} : { prompt_cache_key: session };
}

/** The SDK of OpenAI, loaded now; it makes each request once. */
export async function openaiClient(options: ProviderOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import("openai");
  return new Client({
    ...sdkOptions(options),
    baseURL: options.baseUrl ?? "https://api.openai.com/v1",
    organization: null,
    project: null,
  });
}
