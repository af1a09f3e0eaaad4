import type { Rendering } from "../context/index.js";
import type { ConversationContext } from "../conversation/values/index.js";
import {
  blocksOf,
  charsPerToken,
  eachBlock,
  estimateTokens,
  type MeasuredPrompt,
  measure,
  type PromptBlock,
} from "./blocks.js";
import {
  bestClearing,
  type ClearingCandidate,
  type ClearingScope,
  candidatesOf,
  isWorthIt,
} from "./clearing.js";
import { PromptReferences } from "./references.js";
import { cacheRatiosOf, type EconomySettings } from "./settings.js";
import {
  type ClearingClass,
  clearingClasses,
  type NoPlanReason,
  type PromptBudget,
  type PromptPlan,
  type PromptUsage,
} from "./types.js";

/**
 * What is to be done about a prompt before the next request. Pure: the same prompt, budget and usage give the same
 * plan. Below the trigger it costs the length of the prompt, and nothing of the texts in it.
 *
 * @param rendering of the context's head, for the target of the next request.
 */
export function planPrompt(
  context: ConversationContext,
  rendering: Rendering,
  budget: PromptBudget,
  usage: PromptUsage,
): PromptPlan {
  const prompt = measure(rendering);
  const tokens = estimateTokens(prompt.chars + (budget.headChars ?? 0), usage.last);
  if (rendering.report.provisional) return nothing("open_calls", tokens, "Calls await their results.");
  const { compactAt } = limitsOf(budget);
  const share = shareOfTrigger(prompt, tokens, budget);
  const shareOfLimit = compactAt === undefined ? 0 : tokens / compactAt;
  const { warnAt, payFrom } = budget.settings;
  const isNear = usage.warned !== true && Math.max(share, shareOfLimit) >= warnAt;
  const isDue = share >= Math.min(1, payFrom) || shareOfLimit >= 1;
  if (!isNear && !isDue && usage.cold === undefined) return belowTrigger(tokens);
  return decide({ context, rendering, prompt, budget, usage, tokens, share, shareOfLimit, isNear });
}

interface PlanScope {
  readonly context: ConversationContext;
  readonly rendering: Rendering;
  readonly prompt: MeasuredPrompt;
  readonly budget: PromptBudget;
  readonly usage: PromptUsage;
  readonly tokens: number;
  /** Of the trigger: 1 and more set clearing off. */
  readonly share: number;
  /** Of where a summary is due; 0 where none ever is. */
  readonly shareOfLimit: number;
  /** Whether the model is to be warned, where something will go. */
  readonly isNear: boolean;
}

function decide(from: PlanScope): PromptPlan {
  const { budget, usage, tokens, share, shareOfLimit } = from;
  const { settings } = budget;
  const ratios = cacheRatiosOf(budget.provider, settings.ratios);
  const isFull = shareOfLimit >= 1;
  if (ratios === undefined && !isFull && usage.cold === undefined) return withoutPrices(from);
  const scope = clearingScope(from, ratios ?? neutral);
  const candidates = candidatesFor(from, scope);
  if (isFull) return atLimit(from, scope, candidates);
  const isPaying = ratios !== undefined && share >= settings.payFrom;
  const paid = isPaying ? paidClearing(from, scope, candidates) : undefined;
  if (paid !== undefined) return paid;
  if (share < 1) return beforeTrigger(from, scope, candidates);
  const limit = settings.trigger.type === "input_tokens" ? settings.trigger.value : tokens;
  const most = Math.max(settings.clearAtLeast, settings.clearAtLeastShare * tokens);
  const least = usage.cold === undefined ? most : 0;
  const goal = { tokens: limit * settings.clearTo, upTo: "output", hasToPay: true, least } as const;
  const plan = bestClearing(candidates, scope, goal);
  if (plan !== undefined) return plan;
  const gain = candidates.filter(isWorthIt).reduce((sum, { chars }) => sum + chars, 0) / scope.charsPerToken;
  return gain < most || usage.cold !== undefined
    ? nothing("too_little", tokens, `${Math.round(gain)} tokens could go; that is too little.`)
    : nothing("would_not_pay", tokens, "Clearing would cost more than it is expected to save.");
}

/** Clearing goes before a summary. A window in which system text and tools have no place gets none. */
function atLimit(
  { budget, tokens, prompt }: PlanScope,
  scope: ClearingScope,
  candidates: readonly ClearingCandidate[],
): PromptPlan {
  const { settings } = budget;
  const { usable, compactAt = 0 } = limitsOf(budget);
  const goal = { tokens: compactAt * settings.clearTo, upTo: "output", hasToPay: false, least: 0 } as const;
  const plan = bestClearing(candidates, scope, goal);
  const isRefused = budget.refusedTokens !== undefined;
  const enough = compactAt * (1 - settings.clearAtLeastShare);
  if (plan !== undefined && (isRefused || plan.report.tokensAfter <= enough)) return plan;
  const headTokens = Math.round(tokens - prompt.chars / scope.charsPerToken);
  if (usable !== undefined && usable <= headTokens) {
    const why = `The window leaves ${usable} tokens to a prompt, and system text and tools alone have ${headTokens}.`;
    return nothing("window_too_small", tokens, why);
  }
  if (isRefused && !settings.compaction.enabled)
    return nothing("too_little", tokens, "No more results can be cleared, and summaries are switched off.");
  const message = `The prompt has ${tokens} tokens; ${compactAt} are the limit.`;
  return { kind: "compact", tokens, message };
}

/** Before the window demands it nothing is cleared, so that nothing is warned of before that is near. */
function withoutPrices(from: PlanScope): PromptPlan {
  const { budget, usage, tokens, share, shareOfLimit } = from;
  if (usage.warned !== true && shareOfLimit >= budget.settings.warnAt) {
    const scope = clearingScope(from, neutral);
    // By the trigger nothing goes.
    const warning = warningOf({ ...from, share: 0 }, scope, candidatesFor(from, scope));
    if (warning !== undefined) return warning;
  }
  if (share < 1) return belowTrigger(tokens);
  const why = `Nothing is known of what the cache of "${budget.provider}" costs: set context.ratios for it.`;
  return nothing("no_ratios", tokens, why);
}

function belowTrigger(tokens: number): PromptPlan {
  return nothing("below_trigger", tokens, `${tokens} tokens are below the trigger.`);
}

/** Stands for a provider of which nothing is known: clearing that has to happen needs no prices. */
const neutral = { write: 1, read: 1, lifetimeMs: Number.POSITIVE_INFINITY, bindsThinking: false };

/**
 * From a share of the trigger on goes what has cost as much to hold as its loss costs: whoever waits for that never pays
 * more than twice the least (the rule of renting skis: Karlin et al., "Competitive snoopy caching", 1988), and nothing
 * has to be foreseen for it. Where the cache is cold its loss costs nothing.
 */
function paidClearing(from: PlanScope, scope: ClearingScope, candidates: readonly ClearingCandidate[]) {
  const rented = { ...scope, requestsWith: answersSince(from.prompt) };
  const least = scope.cold === undefined ? from.budget.settings.paidAtLeast : 0;
  return bestClearing(candidates, rented, { tokens: 0, upTo: "output", hasToPay: true, least });
}

/** Below the trigger what nobody misses goes where it is free, and the model is warned of what comes. */
function beforeTrigger(
  from: PlanScope,
  scope: ClearingScope,
  candidates: readonly ClearingCandidate[],
): PromptPlan {
  const { usage, tokens } = from;
  if (usage.cold !== undefined) {
    const goal = { tokens: 0, upTo: "superseded", hasToPay: true, least: 0 } as const;
    const free = bestClearing(candidates, scope, goal);
    if (free !== undefined) return free;
  }
  const warning = from.isNear ? warningOf(from, scope, candidates) : undefined;
  return warning ?? belowTrigger(tokens);
}

function warningOf(
  { tokens, share, shareOfLimit, budget }: PlanScope,
  { charsPerToken }: ClearingScope,
  candidates: readonly ClearingCandidate[],
): PromptPlan | undefined {
  const going = candidates.filter(isWorthIt);
  if (going.length === 0) return undefined;
  const reached = Math.max(share, shareOfLimit);
  return { kind: "warn", tokens, text: warningText(reached, going, charsPerToken, budget.memoryPath) };
}

/** How many answers of the model came after a block: so many requests have held it. */
function answersSince({ parts }: MeasuredPrompt): (block: PromptBlock) => number {
  const contents = new Set(parts.flatMap(({ role, content }) => (role === "model" ? [content] : [])));
  const sorted = [...contents];
  const after = new Map(sorted.map((content, at) => [content, sorted.length - at]));
  return ({ measured }) => after.get(measured.content + 1) ?? 0;
}

/** How many parts stand before the first text that a clearing may take, now or later; all where there is none. */
export function partsBeforeClearable(
  context: ConversationContext,
  prompt: MeasuredPrompt,
  { settings, keepPaths = [], memoryPath }: PromptBudget,
): number {
  const tools = new Set(settings.excludeTools);
  const paths = new Set(memoryPath === undefined ? keepPaths : [...keepPaths, memoryPath]);
  for (const block of eachBlock(context, prompt))
    if (!isPinned(block, tools, paths)) return prompt.parts.indexOf(block.measured);
  return prompt.parts.length;
}

function candidatesFor(from: PlanScope, scope: ClearingScope): readonly ClearingCandidate[] {
  const { context, prompt, budget, shareOfLimit } = from;
  const blocks = blocksOf(context, prompt);
  const { settings, keepPaths = [], memoryPath, windowTokens, refusedTokens } = budget;
  const paths = memoryPath === undefined ? keepPaths : [...keepPaths, memoryPath];
  const mostTokens = Math.min((windowTokens ?? Infinity) / 4, (refusedTokens ?? Infinity) / 3);
  const kept = protectedBlocks(prompt, blocks, {
    settings,
    keepPaths: paths,
    charsPerToken: scope.charsPerToken,
    keepsLast: refusedTokens === undefined,
    ...(shareOfLimit < 1 ? {} : { mostTokens }),
  });
  return candidatesOf(blocks, kept, scope);
}

function clearingScope(from: PlanScope, ratios: ClearingScope["ratios"]): ClearingScope {
  const { context, rendering, prompt, budget, usage, tokens } = from;
  const answers = rendering.contents.reduce((sum, { role }) => sum + (role === "model" ? 1 : 0), 0);
  // A session that has lasted long will last as long again: the best guess where nothing else is known.
  const expected = budget.settings.expectedRequests ?? Math.max(10, answers);
  return {
    context,
    rendering,
    prompt,
    references: new PromptReferences(context, rendering, prompt),
    settings: budget.settings,
    ratios,
    charsPerToken: charsPerToken(usage.last),
    tokens,
    sentChars: sentChars(prompt, budget, usage),
    requestsWith: () => expected,
    expectedRequests: expected,
    cold: usage.cold,
  };
}

/** All of it where nothing is known of the last request. */
function sentChars(
  { chars }: MeasuredPrompt,
  { headChars = 0 }: PromptBudget,
  { last, warmChars }: PromptUsage,
): number {
  if (warmChars !== undefined) return Math.min(chars, warmChars);
  return last === undefined ? chars : Math.max(0, Math.min(chars, last.chars - headChars));
}

/** What the window allows, where it is known. */
function limitsOf({ settings, windowTokens, answerTokens = 0, refusedTokens }: PromptBudget): {
  readonly usable: number | undefined;
  readonly compactAt: number | undefined;
} {
  const { compaction } = settings;
  const usable = windowTokens === undefined ? undefined : Math.max(0, windowTokens - answerTokens);
  const ofWindow = usable === undefined ? undefined : Math.floor(usable * compaction.windowShare);
  const threshold = compaction.contextTokenThreshold ?? ofWindow;
  const planned = compaction.enabled ? threshold : undefined;
  if (refusedTokens === undefined) return { usable, compactAt: planned };
  return { usable, compactAt: Math.min(planned ?? refusedTokens, refusedTokens / 2) };
}

function shareOfTrigger(
  { parts }: MeasuredPrompt,
  tokens: number,
  { settings: { trigger } }: PromptBudget,
): number {
  if (trigger.type === "input_tokens") return tokens / trigger.value;
  const uses = parts.filter(({ value }) => "functionResponse" in value).length;
  return uses / trigger.value;
}

function nothing(reason: NoPlanReason, tokens: number, message: string): PromptPlan {
  return { kind: "nothing", reason, tokens, message };
}

/** What protection goes by. */
interface ProtectionScope {
  readonly settings: EconomySettings;
  readonly keepPaths: readonly string[];
  readonly charsPerToken: number;
  /** All that is new may hold no more, where the window demands it. */
  readonly mostTokens?: number;
  /** Whether the last block stays also where it is larger than that: nobody has seen it yet. */
  readonly keepsLast?: boolean;
}

/**
 * The blocks that stay whatever it costs: the last tool uses, the newest tokens and messages, the last turns of
 * the user, results of protected tools, and files that are to be kept. Messages and turns whose results together hold more
 * than a small share of what the trigger allows are protected by the other rules only: an agent may work for hours on
 * one sentence, and one message may hold ten files. Where the window is full, new blocks stay up to a share of it only.
 */
function protectedBlocks(
  prompt: MeasuredPrompt,
  blocks: readonly PromptBlock[],
  { settings, keepPaths, charsPerToken, mostTokens, keepsLast = true }: ProtectionScope,
): ReadonlySet<PromptBlock> {
  const kept = new Set<PromptBlock>();
  const tools = new Set(settings.excludeTools);
  const paths = new Set(keepPaths);
  const lastContent = prompt.parts.at(-1)?.content ?? 0;
  const turns = lastTurns(prompt, settings.keepTurns);
  const limit =
    (settings.trigger.type === "input_tokens" ? settings.trigger.value : 100_000) * settings.keepShare;
  const most = limit * charsPerToken;
  const turnsFit = prompt.chars - (turns.from ?? prompt.chars) <= most;
  let uses = 0;
  let chars = 0;
  for (const block of blocks.toReversed()) {
    const { measured, name } = block;
    if (name !== undefined) uses += 1;
    chars += measured.chars;
    const fits =
      mostTokens === undefined ||
      chars <= mostTokens * charsPerToken ||
      (keepsLast && block === blocks.at(-1));
    const isNew =
      (name !== undefined && uses <= settings.keep) ||
      chars <= settings.keepTokens * charsPerToken ||
      (chars <= most && lastContent - measured.content < settings.keepMessages);
    const isOfTurn =
      turns.contents.has(measured.content) ||
      (turnsFit && measured.before >= (turns.from ?? Number.POSITIVE_INFINITY));
    if ((fits && (isNew || isOfTurn)) || isPinned(block, tools, paths)) kept.add(block);
  }
  return kept;
}

/** Whether a block stays for good: of a protected tool, of a file that is to be kept, or of a tracked one. */
function isPinned(
  { name, node, paths: own }: PromptBlock,
  tools: ReadonlySet<string>,
  paths: ReadonlySet<string>,
): boolean {
  if (name !== undefined && tools.has(name)) return true;
  if (own.some((path) => paths.has(path))) return true;
  return node.payload.kind === "file_content" && node.payload.form === "tracked";
}

/**
 * Where the last turns of the user begin, and the contents in which the user spoke. A result may stand before the words
 * in the same content: it belongs to the turn before.
 */
function lastTurns({ parts }: MeasuredPrompt, turns: number) {
  const contents = new Set<number>();
  let from: number | undefined;
  for (const { origin, content, role, before } of parts.toReversed()) {
    if (role !== "user" || origin.rule !== "message") continue;
    if (contents.size >= turns && !contents.has(content)) break;
    contents.add(content);
    from = before;
  }
  return { contents, from };
}

/** Whether the model was warned since something was cleared last, by what stands in the prompt. */
export function wasWarned(context: ConversationContext, rendering: Rendering): boolean {
  const depthOf = (nodeId: string) => context.nodes.get(nodeId)?.depth ?? 0;
  const last = rendering.report.boundaries.reduce(
    (most, { rule, nodeId }) => (rule === "replaced" ? Math.max(most, depthOf(nodeId)) : most),
    -1,
  );
  return measure(rendering).notes.some(({ origin: { nodeId } }) => {
    const payload = context.nodes.get(nodeId)?.payload;
    return payload?.kind === "note" && payload.text.startsWith(seedWords) && depthOf(nodeId) > last;
  });
}

/** Seed 3's first words. */
const seedWords = "⚠️ CONTEXT APPROACHING LIMIT";

/**
 * The note to the model before something is cleared, in seed 3's words, with what will go.
 *
 * @param share of the trigger, or of the limit of the window, that is reached. @param memoryPath the file in which notes outlast the clearing.
 */
function warningText(
  share: number,
  candidates: readonly ClearingCandidate[],
  charsPerToken: number,
  memoryPath: string | undefined,
): string {
  const percentage = Math.min(100, Math.floor(share * 100));
  const save =
    memoryPath === undefined
      ? "Say now what of them you still need."
      : `Save any critical information to ${memoryPath} now.`;
  return [
    seedWords,
    "",
    `You are at ${percentage}% of context capacity. Important tool results`,
    `will be cleared soon. ${save}`,
    "",
    "What will go:",
    ...clearingClasses.flatMap((of) => lineOf(of, candidates, charsPerToken)),
  ].join("\n");
}

const words: Readonly<Record<ClearingClass, string>> = {
  failed: "failed calls",
  superseded: "results that are shown again further down",
  large_output: "large outputs of commands and searches",
  file: "text of files that you have not touched lately",
  output: "older outputs",
};

function lineOf(
  of: ClearingClass,
  candidates: readonly ClearingCandidate[],
  charsPerToken: number,
): readonly string[] {
  const own = candidates.filter((one) => one.class === of);
  if (own.length === 0) return [];
  const tokens = Math.round(own.reduce((sum, { chars }) => sum + chars, 0) / charsPerToken);
  return [`- ${own.length} ${words[of]}, about ${tokens} tokens`];
}
