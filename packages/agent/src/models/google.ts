import type { GenerateContentResponse, GoogleGenAI, ThinkingLevel } from "@google/genai/web";
import {
  fromGemini,
  type ModelEvent,
  type ModelPort,
  type ModelStep,
  toGemini,
} from "@holdfast/core/context";
import { defined } from "@holdfast/core/text";
import type { ThinkingForm } from "./catalog.js";
import { providerFetch } from "./provider-fetch.js";
import {
  mostTokens,
  type ProviderOptions,
  type ProviderWire,
  providerPort,
  requestOptions,
} from "./provider-port.js";

/** What is asked of Gemini beside the conversation. */
interface GoogleOptions extends ProviderOptions {
  /** Whether thoughts are sent along, as summaries. True unless given. */
  readonly includeThoughts?: boolean;
  /** How the model is told how much to think (`ModelStep.effort`); by a level unless given. */
  readonly form?: ThinkingForm;
}

/** Models of Google, through its SDK, which is loaded with the first request. */
export function googleModel(options: GoogleOptions): ModelPort {
  return providerPort("Google", options, () => new GoogleWire(options));
}

/** Tokens that a model of the generation 2.5 may think. */
const budgets = { off: 0, low: 1_024, medium: 8_192, high: 16_384, max: 24_576 } as const;
const levels = { off: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH", max: "HIGH" } as const;

class GoogleWire implements ProviderWire<GenerateContentResponse> {
  readonly read = fromGemini;
  #calls = 0;

  constructor(private readonly options: GoogleOptions) {}

  async open(step: ModelStep, signal: AbortSignal): Promise<AsyncIterable<GenerateContentResponse>> {
    const { model, maxOutputTokens, includeThoughts = true, onRequest } = this.options;
    const { contents, config } = this.#body(step);
    const body = {
      contents,
      config: {
        ...config,
        ...(includeThoughts ? { thinkingConfig: { includeThoughts, ...this.#thinking(step) } } : {}),
        ...defined({ maxOutputTokens: mostTokens(step, maxOutputTokens) }),
      },
    };
    onRequest?.({ model, body });
    const client = await this.#client();
    return client.models.generateContentStream({
      model,
      contents: body.contents,
      config: { ...body.config, abortSignal: signal },
    });
  }

  #thinking({ effort }: ModelStep) {
    if (effort === undefined) return {};
    if (this.options.form === "budget") return { thinkingBudget: budgets[effort] };
    // A cast: the words are the members of the SDK's enum, which costs its whole library to load.
    const thinkingLevel = levels[effort] as ThinkingLevel;
    return { thinkingLevel };
  }

  readonly countTokens = async (step: ModelStep, signal?: AbortSignal) => {
    const client = await this.#client();
    const { contents } = this.#body(step);
    const config = signal === undefined ? {} : { abortSignal: signal };
    const { totalTokens = 0 } = await client.models.countTokens({
      model: this.options.model,
      contents,
      config,
    });
    return totalTokens;
  };

  deltas({ candidates }: GenerateContentResponse): readonly ModelEvent[] {
    return (candidates?.[0]?.content?.parts ?? []).flatMap((part): readonly ModelEvent[] => {
      if (part.functionCall !== undefined) {
        const { name = "", args = {} } = part.functionCall;
        this.#calls += 1;
        return [{ kind: "call-delta", at: this.#calls - 1, name, json: JSON.stringify(args) }];
      }
      if (part.text === undefined || part.text === "") return [];
      return [{ kind: part.thought === true ? "thought-delta" : "text-delta", text: part.text }];
    });
  }

  #body(step: ModelStep) {
    return toGemini(step.contents, requestOptions(step, this.options.model)).body;
  }

  async #client(): Promise<GoogleGenAI> {
    const { GoogleGenAI: Client } = await import("@google/genai/web");
    const { key, baseUrl, headers } = this.options;
    return new Client({
      // A server of one's own may want none; the SDK wants a text.
      apiKey: key === "" ? "none" : key,
      vertexai: false,
      httpOptions: {
        ...defined({ baseUrl }),
        ...copied(headers),
        retryOptions: { attempts: 1 },
        fetch: providerFetch,
      },
    });
  }
}

/** The SDK changes what it is given. */
function copied(headers: ProviderOptions["headers"]): { readonly headers?: Record<string, string> } {
  return headers === undefined ? {} : { headers: { ...headers } };
}
