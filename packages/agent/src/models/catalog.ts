import { type Effort, efforts, type ModelPort } from "@holdfast/core/context";
import type { TurnUsage } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";

/** What is known of a model. */
export interface ModelFacts {
  readonly provider: "anthropic" | "openai" | "google";
  /** Tokens of a prompt and its answer together. */
  readonly contextWindow: number;
  /** Tokens of an answer. */
  readonly maxOutput: number;
  /** How its provider is told how much it is to think. */
  readonly thinking: ThinkingForm;
  /** How much it can be asked to think; `off` alone of a model that does not think. */
  readonly efforts: readonly Effort[];
  readonly prices?: ModelPrices;
}

/** US dollars for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  /** Of the input, what was read of a cache. */
  readonly cached: number;
  /** Of the input, what was written to a cache; as other input unless given. */
  readonly cacheWrite?: number;
  readonly output: number;
  /** Absent where a long prompt costs no more. */
  readonly long?: LongPrice;
}

/** `adaptive`: as it finds right, by a word; `budget`: by tokens; `level`: by a word of its API; `none`: not at all. */
export type ThinkingForm = "adaptive" | "budget" | "level" | "none";

/**
 * What of it a model can be asked. The types of the providers' SDKs say the words. Which model takes which word, and the
 * windows and prices below, are of 2026-11-30 from the list in the npm package `@earendil-works/pi-ai` 1.6.0; five models
 * that are not in it any more are of 2026-11-23, from the providers' pages. No model was asked.
 */
const thinkingKinds = {
  none: ["none", ["off"]],
  adaptive: ["adaptive", efforts],
  /** It cannot be told not to think. */
  adaptiveOn: ["adaptive", ["low", "medium", "high", "max"]],
  budget: ["budget", efforts],
  budgetOn: ["budget", ["low", "medium", "high", "max"]],
  level: ["level", ["low", "medium", "high"]],
  lowHigh: ["level", ["low", "high"]],
  levelOff: ["level", ["off", "low", "medium", "high"]],
  levelMax: ["level", ["low", "medium", "high", "max"]],
  levelAll: ["level", efforts],
} as const satisfies Readonly<Record<string, readonly [ThinkingForm, readonly Effort[]]>>;

type Row = readonly [
  id: string,
  contextWindow: number,
  maxOutput: number,
  thinking: keyof typeof thinkingKinds,
  input: number,
  cached: number,
  output: number,
  cacheWrite?: number,
  long?: LongPrice,
];

/** From so many tokens of a prompt on, what its tokens and those of the answer cost, as multiples. */
type LongPrice = readonly [tokens: number, input: number, output: number];

const anthropic: readonly Row[] = [
  ["claude-fable-5", 1_000_000, 128_000, "adaptiveOn", 10, 1, 50, 12.5],
  ["claude-fable-5-1", 1_000_000, 128_000, "adaptiveOn", 10, 0.25, 50, 12.5],
  ["claude-fable-5-2", 1_000_000, 128_000, "adaptiveOn", 8, 0.2, 40, 10],
  ["claude-haiku-4-5", 200_000, 64_000, "budget", 1, 0.1, 5, 1.25],
  ["claude-haiku-5-5", 1_000_000, 128_000, "adaptive", 0.1, 0.01, 0.5, 0.125, [100_000, 5, 5]],
  ["claude-opus-4-1", 200_000, 32_000, "budget", 15, 1.5, 75, 18.75],
  ["claude-opus-4-5", 200_000, 64_000, "budget", 5, 0.5, 25, 6.25],
  ["claude-opus-4-6", 1_000_000, 128_000, "adaptive", 5, 0.5, 25, 6.25],
  ["claude-opus-4-7", 1_000_000, 128_000, "adaptive", 5, 0.5, 25, 6.25],
  ["claude-opus-4-8", 1_000_000, 128_000, "adaptive", 5, 0.5, 25, 6.25],
  ["claude-opus-5", 1_000_000, 128_000, "adaptive", 5, 0.5, 25, 6.25],
  ["claude-opus-5-5", 1_000_000, 128_000, "adaptiveOn", 4, 0.2, 20, 5],
  ["claude-sonnet-4-5", 200_000, 64_000, "budget", 3, 0.3, 15, 3.75],
  ["claude-sonnet-4-6", 1_000_000, 128_000, "adaptive", 3, 0.3, 15, 3.75],
  ["claude-sonnet-5", 1_000_000, 128_000, "adaptive", 2, 0.2, 10, 2.5],
  ["claude-sonnet-5-5", 1_000_000, 128_000, "adaptiveOn", 2, 0.1, 10, 2.5],
];
const openai: readonly Row[] = [
  ["gpt-4.1", 1_047_576, 32_768, "none", 2, 0.5, 8],
  ["gpt-4.1-mini", 1_047_576, 32_768, "none", 0.4, 0.1, 1.6],
  ["gpt-4.1-nano", 1_047_576, 32_768, "none", 0.1, 0.025, 0.4],
  ["gpt-4o", 128_000, 16_384, "none", 2.5, 1.25, 10],
  ["gpt-4o-mini", 128_000, 16_384, "none", 0.15, 0.075, 0.6],
  ["gpt-5", 400_000, 128_000, "level", 1.25, 0.125, 10],
  ["gpt-5-codex", 400_000, 128_000, "level", 1.25, 0.125, 10],
  ["gpt-5-mini", 400_000, 128_000, "level", 0.25, 0.025, 2],
  ["gpt-5-nano", 400_000, 128_000, "level", 0.05, 0.005, 0.4],
  ["gpt-5.1", 400_000, 128_000, "levelOff", 1.25, 0.125, 10],
  ["gpt-5.1-codex", 400_000, 128_000, "level", 1.25, 0.125, 10],
  ["gpt-5.2", 400_000, 128_000, "levelAll", 1.75, 0.175, 14],
  ["gpt-5.2-codex", 400_000, 128_000, "levelMax", 1.75, 0.175, 14],
  ["gpt-5.3-codex", 400_000, 128_000, "levelAll", 1.75, 0.175, 14],
  ["gpt-5.4", 272_000, 128_000, "levelAll", 2.5, 0.25, 15],
  ["gpt-5.4-mini", 400_000, 128_000, "levelAll", 0.75, 0.075, 4.5],
  ["gpt-5.4-nano", 400_000, 128_000, "levelAll", 0.2, 0.02, 1.25],
  ["gpt-5.5", 272_000, 128_000, "levelAll", 5, 0.5, 30],
  ["gpt-5.6-luna", 272_000, 128_000, "levelAll", 0.2, 0.02, 1.2, 0.25],
  ["gpt-5.6-sol", 272_000, 128_000, "levelAll", 4, 0.4, 20, 5],
  ["gpt-5.6-terra", 272_000, 128_000, "levelAll", 2, 0.2, 12, 2.5],
  ["gpt-6-astra", 272_000, 128_000, "levelMax", 10, 1, 50, 12.5],
  ["gpt-6-luna", 272_000, 128_000, "levelAll", 0.1, 0.01, 0.5, 0.125],
  ["gpt-6-sol", 272_000, 128_000, "levelAll", 2, 0.2, 10, 2.5],
  ["gpt-6.1-sol", 272_000, 128_000, "levelMax", 2, 0.1, 10, 2.5],
  ["gpt-6.1-terra", 272_000, 128_000, "levelAll", 1, 0.05, 5, 1.25],
  ["gpt-6.2-astra", 272_000, 128_000, "levelMax", 8, 0.4, 40, 10],
  ["gpt-6.2-sol", 272_000, 128_000, "levelMax", 2, 0.1, 10, 2.5],
  ["o3", 200_000, 100_000, "level", 2, 0.5, 8],
  ["o3-mini", 200_000, 100_000, "level", 1.1, 0.55, 4.4],
  ["o4-mini", 200_000, 100_000, "level", 1.1, 0.275, 4.4],
];
const google: readonly Row[] = [
  ["gemini-2.5-flash", 1_048_576, 65_536, "budget", 0.3, 0.03, 2.5],
  ["gemini-2.5-flash-lite", 1_048_576, 65_536, "budget", 0.1, 0.01, 0.4],
  ["gemini-2.5-pro", 1_048_576, 65_536, "budgetOn", 1.25, 0.125, 10, 1.25, [200_000, 2, 1.5]],
  ["gemini-3-flash-preview", 1_048_576, 65_536, "level", 0.5, 0.05, 3],
  ["gemini-3-pro-preview", 1_000_000, 64_000, "lowHigh", 2, 0.2, 12, 2, [200_000, 2, 1.5]],
  ["gemini-3.1-flash-lite", 1_048_576, 65_536, "level", 0.25, 0.025, 1.5],
  ["gemini-3.1-pro-preview", 1_048_576, 65_536, "level", 2, 0.2, 12, 2, [200_000, 2, 1.5]],
  ["gemini-3.5-flash", 1_048_576, 65_536, "level", 1.5, 0.15, 9],
  ["gemini-3.5-flash-lite", 1_048_576, 65_536, "level", 0.3, 0.03, 2.5],
  ["gemini-3.6-flash", 1_048_576, 65_536, "level", 0.75, 0.075, 3.75],
  ["gemini-3.7-flash", 1_048_576, 65_536, "level", 0.75, 0.075, 3.75],
  ["gemini-3.8-flash", 1_048_576, 65_536, "level", 0.75, 0.075, 3.75],
  ["gemini-4-argon", 1_048_576, 32_768, "level", 2, 0.1, 10],
  ["gemini-4-carbon", 1_048_576, 32_768, "level", 2, 0.1, 10],
  ["gemini-4-hydrogen", 1_048_576, 65_536, "level", 1.5, 0.075, 7.5],
  ["gemini-4-neon", 1_048_576, 65_536, "level", 3, 0.15, 15],
];

/** The models that are known by name. Others can be used; of them no window and no price is known. */
export const modelCatalog: ReadonlyMap<string, ModelFacts> = new Map(
  Object.entries({ anthropic, openai, google } as const).flatMap(([provider, rows]) =>
    rows.map(([id, contextWindow, maxOutput, kind, input, cached, output, cacheWrite, long]) => {
      const [thinking, asked] = thinkingKinds[kind];
      const prices = { input, cached, output, ...defined({ cacheWrite, long }) };
      // A cast: the keys of the table above are these names.
      const facts = {
        provider: provider as ModelFacts["provider"],
        contextWindow,
        maxOutput,
        thinking,
        efforts: asked,
        prices,
      };
      return [id, facts] as const;
    }),
  ),
);

/** What is known of a model by its name, also where the name ends in a date: `claude-haiku-4-5-20251001`. */
export function factsOfModel(id: string): ModelFacts | undefined {
  return modelCatalog.get(id) ?? modelCatalog.get(id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/u, ""));
}

/** What a request costs, in US dollars, by what the provider counted. */
export function costOf(usage: TurnUsage, prices: ModelPrices): number {
  const { input, cached, cacheWrite = input, output, long } = prices;
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const [, ofInput, ofOutput] = long !== undefined && inputTokens > long[0] ? long : [0, 1, 1];
  const asked = plain * input + cachedInputTokens * cached + cacheWriteTokens * cacheWrite;
  return (asked * ofInput + outputTokens * output * ofOutput) / 1_000_000;
}

/** What was spent up to now. */
interface Spent {
  /** US dollars, by the prices of the models that have answered. */
  readonly costUsd: number;
  /** Answers of models whose prices are not known: they are not in `costUsd`. */
  readonly unpriced: number;
}

/** Counts the money of one run: its turns, its sub-agents, its summaries. Each answer is added once. */
export class CostMeter {
  #spent: Spent = { costUsd: 0, unpriced: 0 };

  /** @param whole counts the same answers, too: of a run of which this is a part. */
  constructor(private readonly whole?: CostMeter) {}

  get spent(): Spent {
    return this.#spent;
  }

  /** Adds an answer, by the prices of the model that gave it. */
  add(model: Pick<ModelPort, "costOf">, usage: TurnUsage = {}): void {
    this.whole?.add(model, usage);
    const { costUsd, unpriced } = this.#spent;
    const cost = model.costOf?.(usage);
    this.#spent =
      cost === undefined ? { costUsd, unpriced: unpriced + 1 } : { costUsd: costUsd + cost, unpriced };
  }
}
