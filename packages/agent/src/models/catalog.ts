import type { TurnUsage } from "@holdfast/core/conversation";

/** What is known of a model. */
export interface ModelFacts {
  readonly provider: "anthropic" | "openai" | "google";
  /** Tokens of a prompt and its answer together. */
  readonly contextWindow: number;
  /** Tokens of an answer. */
  readonly maxOutput: number;
  /** Whether it thinks before it answers. */
  readonly reasons: boolean;
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
}

/** When the list was made, and of what: the tables of `@mariozechner/pi-ai` 0.73.1, which are made of models.dev. */
export const catalogDate = "2026-11-23";

type Row = readonly [
  id: string,
  contextWindow: number,
  maxOutput: number,
  reasons: boolean,
  input: number,
  cached: number,
  output: number,
  cacheWrite?: number,
];

const anthropic: readonly Row[] = [
  ["claude-haiku-4-5", 200_000, 64_000, true, 1, 0.1, 5, 1.25],
  ["claude-opus-4-1", 200_000, 32_000, true, 15, 1.5, 75, 18.75],
  ["claude-opus-4-5", 200_000, 64_000, true, 5, 0.5, 25, 6.25],
  ["claude-opus-4-6", 1_000_000, 128_000, true, 5, 0.5, 25, 6.25],
  ["claude-opus-4-7", 1_000_000, 128_000, true, 5, 0.5, 25, 6.25],
  ["claude-sonnet-4-5", 200_000, 64_000, true, 3, 0.3, 15, 3.75],
  ["claude-sonnet-4-6", 1_000_000, 64_000, true, 3, 0.3, 15, 3.75],
];
const openai: readonly Row[] = [
  ["gpt-4.1", 1_047_576, 32_768, false, 2, 0.5, 8],
  ["gpt-4.1-mini", 1_047_576, 32_768, false, 0.4, 0.1, 1.6],
  ["gpt-4o", 128_000, 16_384, false, 2.5, 1.25, 10],
  ["gpt-4o-mini", 128_000, 16_384, false, 0.15, 0.08, 0.6],
  ["gpt-5", 400_000, 128_000, true, 1.25, 0.125, 10],
  ["gpt-5-codex", 400_000, 128_000, true, 1.25, 0.125, 10],
  ["gpt-5-mini", 400_000, 128_000, true, 0.25, 0.025, 2],
  ["gpt-5-nano", 400_000, 128_000, true, 0.05, 0.005, 0.4],
  ["gpt-5.1", 400_000, 128_000, true, 1.25, 0.13, 10],
  ["gpt-5.1-codex", 400_000, 128_000, true, 1.25, 0.125, 10],
  ["gpt-5.2", 400_000, 128_000, true, 1.75, 0.175, 14],
  ["gpt-5.2-codex", 400_000, 128_000, true, 1.75, 0.175, 14],
  ["gpt-5.3-codex", 400_000, 128_000, true, 1.75, 0.175, 14],
  ["gpt-5.4", 272_000, 128_000, true, 2.5, 0.25, 15],
  ["gpt-5.4-mini", 400_000, 128_000, true, 0.75, 0.075, 4.5],
  ["gpt-5.5", 272_000, 128_000, true, 5, 0.5, 30],
  ["o3", 200_000, 100_000, true, 2, 0.5, 8],
  ["o4-mini", 200_000, 100_000, true, 1.1, 0.28, 4.4],
];
const google: readonly Row[] = [
  ["gemini-2.5-flash", 1_048_576, 65_536, true, 0.3, 0.03, 2.5],
  ["gemini-2.5-flash-lite", 1_048_576, 65_536, true, 0.1, 0.025, 0.4],
  ["gemini-2.5-pro", 1_048_576, 65_536, true, 1.25, 0.125, 10],
  ["gemini-3-flash-preview", 1_048_576, 65_536, true, 0.5, 0.05, 3],
  ["gemini-3-pro-preview", 1_000_000, 64_000, true, 2, 0.2, 12],
  ["gemini-3.1-pro-preview", 1_048_576, 65_536, true, 2, 0.2, 12],
];

/** The models that are known by name. Others can be used; of them no window and no price is known. */
export const modelCatalog: ReadonlyMap<string, ModelFacts> = new Map(
  Object.entries({ anthropic, openai, google } as const).flatMap(([provider, rows]) =>
    rows.map(([id, contextWindow, maxOutput, reasons, input, cached, output, cacheWrite]) => {
      const prices = { input, cached, output, ...(cacheWrite === undefined ? {} : { cacheWrite }) };
      // A cast: the keys of the table above are these names.
      const facts = {
        provider: provider as ModelFacts["provider"],
        contextWindow,
        maxOutput,
        reasons,
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

/** What requests cost, in US dollars, by what the provider counted. */
export function costOf(usage: TurnUsage, { input, cached, cacheWrite = input, output }: ModelPrices): number {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const million =
    plain * input + cachedInputTokens * cached + cacheWriteTokens * cacheWrite + outputTokens * output;
  return million / 1_000_000;
}
