import type { AgentSettings } from "@holdfast/agent";
import {
  cacheRatiosOf,
  defaultEconomy,
  type EconomyOverrides,
  type EconomyRefusal,
  type EconomySettings,
  economySettings,
} from "@holdfast/core/economy";
import { defined } from "@holdfast/core/text";

/**
 * When the prompt is made smaller, and how, by what settings say.
 *
 * @returns a refusal where they contradict each other, with the names that the settings have.
 */
export function economyOf({ context = {} }: AgentSettings): EconomySettings | EconomyRefusal {
  const { triggerTokens, excludeTools, compaction, compactAtTokens, cacheLifetime: _, ...others } = context;
  const { ratios, ...given } = others;
  const shownAs = (setting: string) => `context.${settingNames[setting] ?? setting}`;
  const overrides: EconomyOverrides = {
    ...defined(given),
    ...(ratios === undefined ? {} : { ratios: ratiosOf(ratios) }),
    ...(triggerTokens === undefined ? {} : { trigger: { type: "input_tokens", value: triggerTokens } }),
    ...(excludeTools === undefined
      ? {}
      : { excludeTools: [...defaultEconomy.excludeTools, ...excludeTools] }),
    compaction: defined({
      enabled: compaction,
      contextTokenThreshold: compactAtTokens,
      // A summary of all but a tail that is as long as the whole would win nothing.
      tailTokens:
        compactAtTokens && Math.min(defaultEconomy.compaction.tailTokens, Math.floor(compactAtTokens / 4)),
    }),
  };
  return economySettings(overrides, shownAs);
}

/** The names that differ from those of the library. */
const settingNames: Readonly<Record<string, string>> = {
  "trigger.value": "triggerTokens",
  "compaction.contextTokenThreshold": "compactAtTokens",
};

/** What is left out is as the list has it; of a provider that is not in it, a cache that is soon cold. */
function ratiosOf(given: NonNullable<NonNullable<AgentSettings["context"]>["ratios"]>) {
  const unlisted = { lifetimeMs: 5 * 60_000, bindsThinking: false };
  return Object.fromEntries(
    Object.entries(given).map(([name, one]) => {
      return [name, { ...(cacheRatiosOf(name) ?? unlisted), ...defined(one) }] as const;
    }),
  );
}
