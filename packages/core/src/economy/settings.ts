import { defined } from "../text/index.js";

/** When and what is cleared, and when everything is summed up (seed 3; the knobs of `clear_tool_uses`). */
export interface EconomySettings {
  /** Nothing is cleared below it, unless it is free. */
  readonly trigger: ClearTrigger;
  /** So many of the last tool uses are never cleared. */
  readonly keep: number;
  /** Nothing in so many of the last messages is cleared, as far as `keepShare` goes. */
  readonly keepMessages: number;
  /** Nor in the newest tool results that together have so many tokens. */
  readonly keepTokens: number;
  /** Nothing after the message that began the last so many turns, where these hold no more than `keepShare`. */
  readonly keepTurns: number;
  /** The share of the trigger that the last messages, and the last turns, may hold to be protected. */
  readonly keepShare: number;
  /** Clearing has to win so many tokens; where the cache is cold nothing breaks, and nothing has to be won. */
  readonly clearAtLeast: number;
  /** So many where what goes has cost as much to hold as its loss costs; `clearAtLeast` where that is set and this is not. */
  readonly paidAtLeast: number;
  /** And such a share of the prompt. */
  readonly clearAtLeastShare: number;
  /** Clearing goes on, class by class, until the prompt is below this share of the trigger. */
  readonly clearTo: number;
  /** Results of these tools are never cleared. */
  readonly excludeTools: readonly string[];
  /** Whether what a tool was called with goes with its result; of these tools only, where it is a list. */
  readonly clearToolInputs: boolean | readonly string[];
  /** An output with more characters is large. */
  readonly maxResultChars: number;
  /** Files of the last so many paths that were touched: the working set. */
  readonly workingSet: number;
  /** It holds no more tokens than this: the path that would not fit, and those before it, are not in it. */
  readonly workingTokens: number;
  /** What stands in the place of a cleared result begins with it. */
  readonly placeholder: string;
  /** Share of the trigger from which on is cleared what has cost as much to hold as clearing it would. */
  readonly payFrom: number;
  /** Share of the trigger at which the model is warned. */
  readonly warnAt: number;
  /** How many further requests are expected; as many as there were, unless set. */
  readonly expectedRequests?: number;
  readonly compaction: CompactionSettings;
  /** By the name of a provider: in place of those of the table. */
  readonly ratios?: Readonly<Record<string, CacheRatios>>;
}

/** What sets clearing off: the tokens of the prompt, or the tool uses in it. */
export interface ClearTrigger {
  readonly type: "input_tokens" | "tool_uses";
  readonly value: number;
}

/** When and how a summary takes the place of what came before. */
export interface CompactionSettings {
  readonly enabled: boolean;
  /** Tokens of the prompt; 0.8 of the usable window where it is not set. */
  readonly contextTokenThreshold?: number;
  /** Share of the usable window. */
  readonly windowShare: number;
  /** Tokens at the end that stay as they are. */
  readonly tailTokens: number;
  /** The model that writes the summary; the session's own unless set. */
  readonly model?: string;
}

/** Settings as somebody gives them: what is left out has its default. */
export type EconomyOverrides = Partial<Omit<EconomySettings, "compaction">> & {
  readonly compaction?: Partial<CompactionSettings>;
};

/** An expected "no": the settings contradict each other or are none. */
export interface EconomyRefusal {
  readonly kind: "economy_refusal";
  readonly code: "invalid_settings";
  /** One sentence that names the setting. */
  readonly message: string;
}

/** Lists of tasks and of progress, plans, skills, and what the user was asked: by the names they have in agents. */
const protectedTools: readonly string[] = [
  "task_list",
  "list_todos",
  "get_progress",
  "todo_read",
  "todo_write",
  "TodoWrite",
  "write_todos",
  "update_plan",
  "update_todos",
  "exit_plan_mode",
  "ExitPlanMode",
  "ask_user",
  "AskUserQuestion",
  "activate_skill",
  "skill",
  "Skill",
  "memory",
];

/** What holds where nothing is set: seed 3, then what was measured (docs/economy.md). */
export const defaultEconomy: EconomySettings = {
  trigger: { type: "input_tokens", value: 100_000 },
  keep: 5,
  keepMessages: 20,
  keepTokens: 3_000,
  keepTurns: 2,
  keepShare: 0.03,
  clearAtLeast: 20_000,
  paidAtLeast: 5_000,
  clearAtLeastShare: 0.1,
  clearTo: 0.5,
  excludeTools: protectedTools,
  clearToolInputs: false,
  maxResultChars: 5_000,
  workingSet: 6,
  workingTokens: 3_000,
  placeholder: "[Tool result cleared to save context. Re-run the tool if needed.]",
  payFrom: 0.5,
  warnAt: 0.8,
  compaction: { enabled: true, windowShare: 0.8, tailTokens: 20_000 },
};

/**
 * The settings with their defaults; refused where they are out of range or contradict each other.
 *
 * @param nameOf what the user knows a setting as (`compaction.tailTokens`), for the sentence of a refusal.
 */
export function economySettings(
  given: EconomyOverrides = {},
  nameOf: (setting: string) => string = (setting) => setting,
): EconomySettings | EconomyRefusal {
  const settings: EconomySettings = {
    ...defaultEconomy,
    ...defined({ paidAtLeast: given.clearAtLeast }),
    ...given,
    compaction: { ...defaultEconomy.compaction, ...given.compaction },
  };
  const flaw = outOfRange(settings, nameOf) ?? contradiction(settings, given, nameOf);
  if (flaw === undefined) return settings;
  return { kind: "economy_refusal", code: "invalid_settings", message: flaw };
}

/** Whether it is a refusal. */
export function isEconomyRefusal(value: object): value is EconomyRefusal {
  return "kind" in value && value.kind === "economy_refusal";
}

function outOfRange(settings: EconomySettings, nameOf: (setting: string) => string): string | undefined {
  const { trigger, compaction } = settings;
  const counts: Readonly<Record<string, number>> = {
    "trigger.value": trigger.value,
    keep: settings.keep,
    keepMessages: settings.keepMessages,
    keepTokens: settings.keepTokens,
    keepTurns: settings.keepTurns,
    clearAtLeast: settings.clearAtLeast,
    paidAtLeast: settings.paidAtLeast,
    maxResultChars: settings.maxResultChars,
    workingSet: settings.workingSet,
    workingTokens: settings.workingTokens,
    expectedRequests: settings.expectedRequests ?? 0,
    "compaction.tailTokens": compaction.tailTokens,
    "compaction.contextTokenThreshold": compaction.contextTokenThreshold ?? 1,
  };
  for (const [name, value] of Object.entries(counts))
    if (!Number.isSafeInteger(value) || value < 0)
      return `${nameOf(name)} has to be a whole number from 0 on.`;
  if (trigger.value === 0) return `${nameOf("trigger.value")} has to be at least 1.`;
  const shares = {
    clearAtLeastShare: settings.clearAtLeastShare,
    clearTo: settings.clearTo,
    keepShare: settings.keepShare,
    payFrom: settings.payFrom,
    warnAt: settings.warnAt,
    "compaction.windowShare": compaction.windowShare,
  };
  for (const [name, value] of Object.entries(shares))
    if (!(value >= 0 && value <= 1)) return `${nameOf(name)} is a share, from 0 to 1.`;
  for (const [name, { write, read, lifetimeMs }] of Object.entries(settings.ratios ?? {})) {
    if (!(read > 0 && write >= read && Number.isFinite(write)))
      return `${nameOf("ratios")}.${name}: read has to be above 0, and write no less than read.`;
    if (!(lifetimeMs >= 0)) return `${nameOf("ratios")}.${name}: lifetimeMs has to be 0 or more.`;
  }
  return settings.placeholder.trim() === ""
    ? `${nameOf("placeholder")} must not be empty: the API takes no empty text.`
    : undefined;
}

function contradiction(
  settings: EconomySettings,
  given: EconomyOverrides,
  nameOf: (setting: string) => string,
): string | undefined {
  const { trigger, clearAtLeast, compaction } = settings;
  const { contextTokenThreshold: threshold, tailTokens } = compaction;
  const compactAt = `${nameOf("compaction.contextTokenThreshold")} (${threshold})`;
  if (trigger.type === "input_tokens" && given.clearAtLeast !== undefined && clearAtLeast > trigger.value)
    return `${nameOf("clearAtLeast")} (${clearAtLeast}) is above the trigger (${trigger.value}): nothing could ever be cleared.`;
  if (trigger.type === "tool_uses" && settings.keep >= trigger.value)
    return `${nameOf("keep")} (${settings.keep}) has to be below the trigger of ${trigger.value} tool uses.`;
  if (threshold === undefined || !compaction.enabled) return undefined;
  if (threshold <= tailTokens)
    return `${compactAt} has to be above ${nameOf("compaction.tailTokens")} (${tailTokens}).`;
  if (given.trigger?.type === "input_tokens" && threshold < trigger.value)
    return `${compactAt} is below the trigger of clearing (${trigger.value}), which is tried first.`;
  return undefined;
}

/** What a provider's cache costs, as shares of the price of plain input. */
export interface CacheRatios {
  /** A token that is written to the cache: `w`. 1 where writing costs nothing extra. */
  readonly write: number;
  /** A token that is read of the cache: `r`. */
  readonly read: number;
  /** How long it is kept after its last use, in milliseconds. */
  readonly lifetimeMs: number;
  /** Whether a thought is void once any byte before it has changed. */
  readonly bindsThinking: boolean;
}

/** When the table below was made: of the providers' price pages and SDKs. */
export const cacheRatiosDate = "2026-11-23";

const minute = 60_000;

/** By provider, or by provider and how long its cache is asked to keep. */
const table: Readonly<Record<string, CacheRatios>> = {
  anthropic: { write: 1.25, read: 0.1, lifetimeMs: 5 * minute, bindsThinking: true },
  "anthropic/1h": { write: 2, read: 0.1, lifetimeMs: 60 * minute, bindsThinking: true },
  google: { write: 1, read: 0.1, lifetimeMs: 60 * minute, bindsThinking: false },
  openai: { write: 1, read: 0.1, lifetimeMs: 30 * minute, bindsThinking: false },
};

/**
 * The ratios of a provider; undefined where none are known and none are set.
 *
 * @param overrides of the settings, by the same names; they come first.
 */
export function cacheRatiosOf(
  provider: string,
  overrides: Readonly<Record<string, CacheRatios>> = {},
): CacheRatios | undefined {
  if (Object.hasOwn(overrides, provider)) return overrides[provider];
  return Object.hasOwn(table, provider) ? table[provider] : undefined;
}

/**
 * How many further requests it takes until clearing has paid: (w − r)/r · T/S, with S tokens cleared and T
 * tokens after them. 0 where the cache is cold.
 */
export function requestsToPay({ write, read }: CacheRatios, saved: number, after: number): number {
  if (saved <= 0) return Number.POSITIVE_INFINITY;
  return (Math.max(0, write - read) / read) * (after / saved);
}
