import type { Effort, ModelStep } from "@holdfast/core/context";
import type OpenAI from "openai";
import { providerFetch } from "./provider-fetch.js";
import type { ProviderOptions } from "./provider-port.js";

/** How much a model is to think, in the words of the API. */
export const effortWords = {
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
export async function openaiClient({ key, baseUrl, headers }: ProviderOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import("openai");
  return new Client({
    // A server of one's own may want none; the SDK wants a text.
    apiKey: key === "" ? "none" : key,
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    ...(headers === undefined ? {} : { defaultHeaders: headers }),
    organization: null,
    project: null,
    maxRetries: 0,
    fetch: providerFetch,
    // What an SDK says on its own would stand in the output of a program.
    logLevel: "off",
  });
}
