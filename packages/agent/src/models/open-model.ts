import type { ThinkingLevel } from "@google/genai/web";
import {
  type Effort,
  fromGemini,
  fromOpenAI,
  fromOpenAIResponses,
  type ModelPort,
  type ModelStep,
  toGemini,
  toOpenAI,
  toOpenAIResponses,
} from "@holdfast/core/context";
import type { TurnUsage } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import type OpenAI from "openai";
import { anthropicModel } from "./anthropic.js";
import { costOf, factsOfModel, type ModelFacts, type ModelPrices } from "./catalog.js";
import { type GoogleAccount, googleClient } from "./google-client.js";
import { type ProviderOptions, providerFetch, providerPort, sdkOptions } from "./provider-port.js";

/** The variables of a process, by name. */
type Environment = Readonly<Record<string, string | undefined>>;

/** The protocols: Chat Completions, Responses, Messages of Anthropic, generateContent of Google. */
export type ProviderKind = "chat" | "responses" | "anthropic" | "google";

/** A provider that settings name. */
export interface NamedProvider {
  /** What it speaks; Chat Completions unless given. */
  readonly kind?: ProviderKind;
  /** May be left out for one that is known, such as `openrouter`. */
  readonly baseUrl?: string;
  /** The variable that holds its key; without one it needs none. */
  readonly keyVariable?: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a model is opened with. */
export interface OpenModelOptions
  extends Pick<ProviderOptions, "retry" | "idleMs" | "maxOutputTokens" | "onRequest" | "cache"> {
  readonly environment: Environment;
  /** Where the key in a variable of `environment` comes from, for messages; the variable itself unless given. */
  readonly keySources?: Readonly<Record<string, string>>;
  /** Providers of the settings, by name. */
  readonly providers?: Readonly<Record<string, NamedProvider>>;
  /** What settings say of models, by name; it goes before the list. */
  readonly facts?: Readonly<
    Record<string, Partial<Pick<ModelFacts, "contextWindow" | "maxOutput" | "prices">>>
  >;
}

/** A model that can be asked, with what is known of it. */
interface OpenedModel {
  readonly kind: "model";
  readonly port: ModelPort;
  /** `provider/name`. */
  readonly name: string;
  readonly contextWindow?: number;
  readonly prices?: ModelPrices;
}

/** Why no model could be opened. */
export interface ModelRefusal {
  readonly kind: "model_refused";
  readonly reason: "auth" | "unknown_model" | "unpriced" | "effort";
  /** One sentence: what is missing and how to give it. */
  readonly message: string;
}

interface Family {
  readonly provider: "anthropic" | "openai" | "google";
  readonly kind: ProviderKind;
  /** The first of these variables that is set holds the key. */
  readonly keys: readonly string[];
  readonly baseUrl: string;
  readonly isName: RegExp;
  /** What is meant where no name is given. */
  readonly usual: string;
}

const families: readonly Family[] = [
  {
    provider: "anthropic",
    kind: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    baseUrl: "ANTHROPIC_BASE_URL",
    isName: /^claude-/u,
    usual: "claude-sonnet-5-5",
  },
  {
    provider: "openai",
    kind: "responses",
    keys: ["OPENAI_API_KEY"],
    baseUrl: "OPENAI_BASE_URL",
    isName: /^(gpt-|o\d|codex-|chatgpt-)/u,
    usual: "gpt-6.2-sol",
  },
  {
    provider: "google",
    kind: "google",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    baseUrl: "GOOGLE_GEMINI_BASE_URL",
    isName: /^(gemini-|gemma-)/u,
    usual: "gemini-4-neon",
  },
];

/** A server with its address. */
export interface Server extends NamedProvider {
  readonly baseUrl: string;
}

/** Servers that usually run on this machine, with Chat Completions and without a key. */
export const localProviders: Readonly<Record<string, Server>> = {
  ollama: { baseUrl: "http://127.0.0.1:11434/v1" },
  lmstudio: { baseUrl: "http://127.0.0.1:1234/v1" },
  llamacpp: { baseUrl: "http://127.0.0.1:8080/v1" },
  vllm: { baseUrl: "http://127.0.0.1:8000/v1" },
  openrouter: { baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
};

/**
 * Opens a model by its name: `provider/name`, or a bare name whose family is known (`claude-…`, `gpt-…`, `gemini-…`).
 * Nothing is sent, and no SDK is loaded, until it is asked.
 */
export function openModel(name: string, options: OpenModelOptions): OpenedModel | ModelRefusal {
  const slash = name.indexOf("/");
  const [prefix, model] = slash < 0 ? ["", name] : [name.slice(0, slash), name.slice(slash + 1)];
  const family = families.find((one) => (prefix === "" ? one.isName.test(model) : one.provider === prefix));
  const place = family === undefined ? ofServer(prefix, options) : ofFamily(family, options);
  if (place === undefined || model === "") return refused("unknown_model", unknownModel(name, options));
  return "reason" in place ? place : opened(model, place, options);
}

function unknownModel(name: string, { providers = {} }: OpenModelOptions): string {
  const known = [...families.map(({ provider }) => provider), ...Object.keys(localProviders)];
  const names = [...known, ...Object.keys(providers)].join(", ");
  return (
    `There is no model ${JSON.stringify(name)}: give provider/name (providers: ${names}), ` +
    "or a name that begins with claude-, gpt- or gemini-."
  );
}

function refused(reason: ModelRefusal["reason"], message: string): ModelRefusal {
  return { kind: "model_refused", reason, message };
}

/** What settings say of a server goes before what is known of it. */
export function serverOf(
  name: string,
  { providers = {} }: Pick<OpenModelOptions, "providers">,
): Server | undefined {
  const known = Object.hasOwn(localProviders, name) ? localProviders[name] : undefined;
  const given = ofName(name, providers);
  const baseUrl = given?.baseUrl ?? known?.baseUrl;
  return baseUrl === undefined ? undefined : { ...known, ...given, baseUrl };
}

function ofName<Value>(name: string, values: Readonly<Record<string, Value>>): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** The model that the environment is set up for: of the first provider whose key is there. */
export function configuredModel(environment: Environment): string | undefined {
  const named = environment.HOLDFAST_MODEL;
  if (named !== undefined && named !== "") return named;
  const family = families.find(({ keys }) => keyOf(keys, { environment }) !== undefined);
  return family === undefined ? undefined : `${family.provider}/${family.usual}`;
}

/** Who uploads are made for: the key and address of Google's models; undefined where there is no key. */
export function googleAccount(environment: Environment): GoogleAccount | undefined {
  const family = families.find(({ provider }) => provider === "google");
  const found = family && keyOf(family.keys, { environment });
  if (family === undefined || found === undefined) return undefined;
  const baseUrl = environment[family.baseUrl] || undefined;
  return { key: found.key, ...(baseUrl === undefined ? {} : { baseUrl }) };
}

/** Where a model is asked, and by what. */
interface ModelPlace {
  readonly provider: string;
  readonly kind: ProviderKind;
  /** The first of these variables that is set holds the key; without any, none is needed. */
  readonly keys: readonly string[];
  /** What is to be set where no key is. */
  readonly wanted: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether windows, limits and prices of the list are those of its models. */
  readonly isListed: boolean;
}

function ofFamily(
  family: Family,
  { environment, providers = {} }: OpenModelOptions,
): ModelPlace | ModelRefusal {
  const { provider, keys } = family;
  const { kind = family.kind, headers } = ofName(provider, providers) ?? {};
  if (kind !== family.kind && !(provider === "openai" && kind === "chat"))
    return refused("unknown_model", otherKind(provider, kind));
  const baseUrl = environment[family.baseUrl] || undefined;
  return {
    provider,
    kind,
    keys,
    wanted: keys.join(" or "),
    isListed: true,
    ...defined({ baseUrl, headers }),
  };
}

function ofServer(provider: string, options: OpenModelOptions): ModelPlace | undefined {
  const server = serverOf(provider, options);
  if (server === undefined) return undefined;
  const { kind = "chat", keyVariable = "", baseUrl, headers } = server;
  const keys = keyVariable === "" ? [] : [keyVariable];
  const wanted = options.keySources?.[keyVariable] ?? keyVariable;
  return { provider, kind, keys, wanted, baseUrl, isListed: false, ...defined({ headers }) };
}

function opened(model: string, place: ModelPlace, options: OpenModelOptions): OpenedModel | ModelRefusal {
  const { provider, kind, keys, wanted, baseUrl, headers, isListed } = place;
  const key = keys.length === 0 ? { key: "", keyName: "the server's settings" } : keyOf(keys, options);
  if (key === undefined) return refused("auth", `There is no key for ${provider}: set ${wanted}.`);
  const listed = factsOfModel(model);
  const facts: Partial<ModelFacts> = { ...(isListed ? listed : {}), ...factsOf(provider, model, options) };
  const { contextWindow, maxOutput, prices, efforts } = facts;
  const { retry, idleMs, maxOutputTokens = maxOutput, onRequest, cache } = options;
  const form = listed?.thinking;
  const given = defined({ baseUrl, headers, form, cache, maxOutputTokens, retry, idleMs, onRequest });
  const port = clients[kind]({ model, provider, ...key, ...given });
  const window =
    contextWindow === undefined ? undefined : defined({ tokens: contextWindow, answerTokens: maxOutput });
  const costs = prices === undefined ? undefined : (usage: TurnUsage) => costOf(usage, prices);
  // By its own server tool; a server that only speaks its form may have none.
  const searches = isListed && kind !== "chat";
  return {
    kind: "model",
    port: { ...port, name: `${provider}/${model}`, searches, ...defined({ window, efforts, costOf: costs }) },
    name: `${provider}/${model}`,
    ...defined({ contextWindow, prices }),
  };
}

/** What settings say of a model, by either of its names; the longer one goes first. */
function factsOf(provider: string, model: string, { facts = {} }: OpenModelOptions) {
  return { ...ofName(model, facts), ...ofName(`${provider}/${model}`, facts) };
}

function otherKind(provider: string, kind: ProviderKind): string {
  return (
    `The provider ${provider} is not asked by the protocol ${kind} (model.providers.${provider}.kind): ` +
    "give the server another name in model.providers, with its baseUrl."
  );
}

const clients: Readonly<Record<ProviderKind, (options: ProviderOptions) => ModelPort>> = {
  chat: openaiChatModel,
  responses: openaiResponsesModel,
  anthropic: anthropicModel,
  google: googleModel,
};

function keyOf(
  keys: readonly string[],
  { environment, keySources = {} }: OpenModelOptions,
): { readonly key: string; readonly keyName: string } | undefined {
  for (const variable of keys) {
    const key = environment[variable];
    if (key !== undefined && key !== "") return { key, keyName: keySources[variable] ?? variable };
  }
  return undefined;
}

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

/** Models of OpenAI, by the Responses API, through its SDK, which is loaded with the first request. */
export function openaiResponsesModel(options: ProviderOptions): ModelPort {
  const { model, form } = options;
  return providerPort("OpenAI", options, {
    body: (step) => {
      const effort = effortOf(step, options);
      return {
        ...toOpenAIResponses(step.contents, step).body,
        ...(step.searches === true ? { tools: [{ type: "web_search" as const }] } : {}),
        // Nothing is kept at the provider: the tree is here.
        store: false,
        // What it reasoned is sent back.
        ...(form === "none" ? {} : { include: ["reasoning.encrypted_content" as const] }),
        ...(effort === undefined ? {} : { reasoning: { effort, summary: "auto" as const } }),
        ...cacheKey(step, options),
        ...defined({ max_output_tokens: step.answerTokens }),
      };
    },
    async send(body, signal) {
      const client = await openaiClient(options);
      return client.responses.create({ ...body, model, stream: true }, { signal });
    },
    read: fromOpenAIResponses,
  });
}

/** How much a model is to think, in the words of the API; undefined where it is not said. */
function effortOf({ effort }: ModelStep, { form }: ProviderOptions) {
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
function cacheKey({ session }: ModelStep, { provider = "openai" }: ProviderOptions) {
  return session === undefined || provider !== "openai" ? {} : { prompt_cache_key: session };
}

/** The SDK of OpenAI, loaded now; it makes each request once. */
async function openaiClient(options: ProviderOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import("openai");
  return new Client({
    ...sdkOptions(options),
    baseURL: options.baseUrl ?? "https://api.openai.com/v1",
    organization: null,
    project: null,
  });
}

/** Models of Google, through its SDK, which is loaded with the first request. */
export function googleModel(options: ProviderOptions): ModelPort {
  const { model } = options;
  return providerPort("Google", options, {
    body: (step) => {
      const { contents, config } = toGemini(step.contents, step).body;
      const own = { thinkingConfig: thinkingOf(step, options), maxOutputTokens: step.answerTokens };
      const tools = step.searches === true ? { tools: [{ googleSearch: {} }] } : {};
      return { contents, config: { ...config, ...defined(own), ...tools } };
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
