import { ContextRenderer, type ModelFailure, type ModelPort, type Rendering } from "@holdfast/core/context";
import { type ContextManager, isOnPath, upwards } from "@holdfast/core/conversation";
import type { Summariser, TurnUsage } from "@holdfast/core/conversation/values";
import {
  afterRequest,
  beganClearing,
  type CacheOutlook,
  type CacheRatios,
  type ClearingOutcome,
  type ClearingReport,
  type ColdCause,
  type ContextMap,
  cacheRatiosOf,
  charsPerToken,
  compactionTask,
  contextMap,
  defaultEconomy,
  draftCompaction,
  type EconomySettings,
  type MeasuredPrompt,
  measure,
  type PromptBudget,
  type PromptPlan,
  type PromptUsage,
  partsBeforeClearable,
  planCompaction,
  planPrompt,
  regretOf,
  type SentRequest,
  wasWarned,
} from "@holdfast/core/economy";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import { answerBudgetChars } from "@holdfast/core/tools";
import { endingWithin, withinTime } from "../config/within-time.js";
import { todoLines, todosOf } from "../host/todos.js";
import { factsOfModel } from "../models/catalog.js";
import { type CacheBroke, CacheWatch } from "./cache-watch.js";

/** What the economy of one conversation works on. */
export interface EconomyParts {
  readonly manager: ContextManager;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly settings?: EconomySettings;
  /** The memory file, as results name it: never cleared. */
  readonly memoryPath?: string;
  readonly summariser?: Summariser;
  /** How long a summary may take, in milliseconds; two minutes unless given. */
  readonly summaryMs?: number;
  /** How files are written in the prompt: `RenderOptions.files`. */
  readonly files?: "text" | "json";
}

/** What stands before the conversation in the next request, and who it is for. */
export interface RequestHead {
  readonly model: ModelPort;
  readonly system: string;
  readonly tools: string;
}

/** What clearings were to save, have saved so far, and took away too soon. In tokens of plain input. */
export interface ContextSavings {
  readonly clearings: number;
  readonly predicted: number;
  readonly realised: number;
  readonly regret: number;
}

/** What became of a compaction. After anything but `compacted` the conversation is what it was. */
export type CompactionOutcome =
  | { readonly kind: "compacted"; readonly tokensBefore: number; readonly tokensAfter: number }
  | {
      readonly kind: "not_compacted";
      readonly reason: "no_cut" | "no_summariser" | "no_summary" | "grows" | "cancelled" | "refused";
      readonly message: string;
    };

/** What was done to make a prompt smaller that was refused. */
type ContextChange = CompactionOutcome | Extract<PromptPlan, { kind: "clear" }>;

/** What became of a prompt that a provider refused. */
export interface MendedPrompt {
  readonly done: readonly ContextChange[];
  /** A sentence for the person. */
  readonly notice: string;
  /** Whether the next request is another one, so that it is worth asking again. */
  readonly isOther: boolean;
}

/** So many refusals in a row end a turn. */
const mostRefused = 3;

function changeWords(change: ContextChange): readonly string[] {
  if (change.kind === "clear") return [`${change.report.cleared.length} results were cleared`];
  return change.kind === "compacted" ? ["what came before was summed up"] : [];
}

/** What a step of the economy may use. */
interface StepScope {
  readonly signal: AbortSignal | undefined;
  /** Done before the model is told to save what it needs. */
  readonly beforeWarning: () => Promise<void>;
}

/** What a step did, and a sentence for the person where something could not be done. */
interface EconomyStep {
  readonly done?: CompactionOutcome | Extract<PromptPlan, { kind: "clear" | "warn" }>;
  readonly notice?: string;
}

/** What fills a prompt, and the tokens of the model's window as far as they are known. */
export interface PromptMap extends ContextMap {
  readonly windowTokens?: number;
}

/** Keeps a conversation's prompt within its budget: counts, plans, and applies the plan as nodes. */
export class ContextEconomy {
  readonly #cache = new CacheWatch();
  readonly #renderer = new ContextRenderer();
  #outlook: CacheOutlook | undefined;
  #chars = 0;
  #last: PromptUsage["last"];
  #compactFrom = 0;
  readonly #told = new Set<string>();
  #cold: ColdCause | undefined;
  #outcomes: readonly ClearingOutcome[] = [];
  readonly #ofSubs: ContextSavings[] = [];
  /** What providers have said of windows, or shown by a refusal; by the model. */
  readonly #windows = new Map<string, number>();
  /** Prompts in a row that were refused as too long. */
  #refused = 0;

  constructor(private readonly parts: EconomyParts) {}

  /** The plan for the next request. Changes nothing. @param refusedTokens as of `PromptBudget`. */
  plan(head: RequestHead, refusedTokens?: number): PromptPlan & { readonly tokens: number } {
    const rendering = this.rendered(head);
    const budget = { ...this.budget(head), ...defined({ refusedTokens }) };
    const plan = planPrompt(this.parts.manager.context, rendering, budget, this.usage(head, rendering));
    return plan.kind === "clear" ? { ...plan, tokens: plan.report.tokensBefore } : plan;
  }

  /** What fills the prompt now. */
  map(head: RequestHead): PromptMap {
    const { headChars, windowTokens } = this.budget(head);
    const usage = defined({ headChars, last: this.#last });
    const map = contextMap(this.parts.manager.context, this.rendered(head), usage);
    return { ...map, ...defined({ windowTokens }) };
  }

  /** What a clearing would bring now, whatever the trigger says; undefined where nothing may go. */
  clearingNow(head: RequestHead): ClearingReport | undefined {
    const rendering = this.rendered(head);
    const budget = this.budget(head);
    const settings = { ...budget.settings, trigger: { type: "input_tokens", value: 1 } as const };
    const usage = this.usage(head, rendering);
    const plan = planPrompt(this.parts.manager.context, rendering, { ...budget, settings }, usage);
    return plan.kind === "clear" ? plan.report : undefined;
  }

  /**
   * Plans and carries out. A summary that fails leaves the prompt as it is, and is not asked for again with every request.
   *
   * @returns what was done, or why it was not; undefined where nothing was due.
   */
  async step(head: RequestHead, { signal, beforeWarning }: StepScope): Promise<EconomyStep | undefined> {
    const plan = this.plan(head);
    if (plan.kind === "nothing") return this.#toldOnce(plan);
    if (plan.kind === "compact") {
      if (plan.tokens < this.#compactFrom) return undefined;
      const done = await this.compact(head, undefined, signal);
      if (done.kind === "compacted") return { done };
      this.#compactFrom = plan.tokens * 1.05;
      return { done, notice: `The context was not summed up: ${done.message}` };
    }
    if (plan.kind === "warn") await beforeWarning();
    const notice = this.apply(plan);
    return notice === undefined ? { done: plan } : { notice };
  }

  /** What a person can mend is told once: else the session would grow without a word. */
  #toldOnce({ reason, message }: Extract<PromptPlan, { kind: "nothing" }>): EconomyStep | undefined {
    if (reason !== "no_ratios" && reason !== "window_too_small") return undefined;
    // Another model may have another window and other prices; what is counted last differs by a token or two.
    const about = message.replace(/\d+\.$/u, "");
    if (this.#told.has(about)) return undefined;
    this.#told.add(about);
    return { notice: `The context was left as it is: ${message}` };
  }

  /** Carries out a plan of clearing or warning. @returns a sentence for the person where it could not be. */
  apply(plan: PromptPlan): string | undefined {
    const { manager } = this.parts;
    if (plan.kind !== "clear" && plan.kind !== "warn") return undefined;
    const node =
      plan.kind === "clear"
        ? manager.reform(plan.changes)
        : manager.addNode({ kind: "note", text: plan.text, audience: "model" });
    if (plan.kind === "clear" && !isRefusal(node))
      this.#outcomes = [...this.#outcomes, beganClearing(node.id, plan.report)];
    return isRefusal(node) ? `The context was left as it is: ${node.message}` : undefined;
  }

  /** Notes what is about to be sent. @returns where it is to be marked, and where the provider's cache has broken. */
  sending(head: RequestHead): { readonly breakpoints: readonly number[]; readonly broke?: CacheBroke } {
    const rendering = this.rendered(head);
    const prompt = measure(rendering);
    const outlook = this.#outlookOn(head, rendering, prompt);
    this.#cold = this.#coldFor(head, outlook);
    this.#outlook = outlook;
    this.#chars = prompt.chars + head.system.length + head.tools.length;
    const clearableFrom = partsBeforeClearable(this.parts.manager.context, prompt, this.budget(head));
    const { stableParts } = rendering.report;
    const facts = { stableParts, clearableFrom, last: this.#last };
    return this.#cache.sending(this.#request(head, rendering), prompt, outlook, facts);
  }

  /** When and why the cache broke last. */
  get broke(): CacheBroke | undefined {
    return this.#cache.broke;
  }

  /** Notes that it was answered, and what the provider counted for it. @returns that it found less than it was sent. */
  counted(usage: TurnUsage | undefined): CacheBroke | undefined {
    this.#refused = 0;
    if (usage === undefined) return undefined;
    const { inputTokens, cachedInputTokens } = usage;
    const { last } = this.#cache;
    const ratios = last && cacheRatiosOf(last.provider, this.parts.settings?.ratios);
    const prompt = { cold: this.#cold, ...defined({ inputTokens, cachedInputTokens }) };
    if (ratios !== undefined)
      this.#outcomes = this.#outcomes.map((outcome) => afterRequest(outcome, prompt, ratios));
    if (inputTokens !== undefined) this.#last = { chars: this.#chars, inputTokens };
    return this.#cache.counted(this.#outlook, usage, this.#last, this.parts.now());
  }

  /** Counts what a sub-agent saved, once it has ended. */
  takeIn(of: ContextSavings): void {
    this.#ofSubs.push(of);
  }

  /** What the clearings of this run were to bring, and have brought; of sub-agents, too. */
  get savings(): ContextSavings {
    const { context } = this.parts.manager;
    const sum = (of: (outcome: ClearingOutcome) => number) =>
      Math.round(this.#outcomes.reduce((all, outcome) => all + of(outcome), 0));
    const own: ContextSavings = {
      clearings: this.#outcomes.length,
      predicted: sum(({ predictedSaving }) => predictedSaving),
      realised: sum(({ realisedSaving }) => realisedSaving),
      regret: sum((outcome) => regretOf(context, outcome)),
    };
    return this.#ofSubs.reduce(
      (all, of) => ({
        clearings: all.clearings + of.clearings,
        predicted: all.predicted + of.predicted,
        realised: all.realised + of.realised,
        regret: all.regret + of.regret,
      }),
      own,
    );
  }

  /**
   * After a prompt that was refused as too long: learns the window, clears what may go, and sums up where that is not
   * enough. A provider that goes on to refuse is not asked for ever.
   *
   * @returns undefined where nothing could be done, or was done in vain.
   */
  async makeRoom(
    head: RequestHead,
    { reason, windowTokens, message }: ModelFailure,
    signal: AbortSignal | undefined,
  ): Promise<MendedPrompt | undefined> {
    if (reason !== "too_long" || this.#refused >= mostRefused) return undefined;
    this.#refused += 1;
    const { tokens } = this.plan(head);
    const { windowTokens: known, answerTokens = 0 } = this.budget(head);
    // What was sent is more than the window, whatever a provider says of both.
    const most = known === undefined ? Number.POSITIVE_INFINITY : Math.min(known, tokens + answerTokens);
    // A prompt far below the known window was refused for the room of its answer, or is counted otherwise there.
    const likely = known !== undefined && tokens < known / 4 ? Math.floor(known / 2) : tokens;
    const learned = Math.min(most, windowTokens ?? likely);
    this.#windows.set(nameOf(head.model), learned);
    // Nothing had limited the answer yet: with a shorter one the prompt may fit as it is.
    const isOfAnswer = (known === undefined || likely > tokens) && tokens < learned / 2;
    const done = isOfAnswer ? [] : await this.#shrunk(head, tokens, signal);
    const last = done.at(-1);
    if (last?.kind === "not_compacted" && done.length === 1)
      return { done, isOther: false, notice: `The context could not be made smaller: ${last.message}` };
    if (done.length === 0 && !isOfAnswer) return undefined;
    const words = done.flatMap((one) => changeWords(one)).join(", then ") || "the answer may be shorter now";
    const notice = `${message} The window is taken for ${learned} tokens; ${words}: it is asked again.`;
    return { done, isOther: true, notice };
  }

  async #shrunk(
    head: RequestHead,
    refusedTokens: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly ContextChange[]> {
    const done: ContextChange[] = [];
    for (const _ of ["clear", "compact"]) {
      const plan = this.plan(head, refusedTokens);
      if (plan.kind === "compact")
        return [...done, await this.compact(head, undefined, signal, refusedTokens)];
      if (plan.kind !== "clear" || this.apply(plan) !== undefined) return done;
      done.push(plan);
    }
    return done;
  }

  /** Puts a summary in the place of all but the tail. */
  async compact(
    head: RequestHead,
    focus?: string,
    signal?: AbortSignal,
    refusedTokens?: number,
  ): Promise<CompactionOutcome> {
    const { manager, summariser } = this.parts;
    const { context } = manager;
    const rendering = this.rendered(head);
    const usage = this.usage(head, rendering);
    const budget = { ...this.budget(head), ...defined({ refusedTokens }) };
    const cut = planCompaction(context, rendering, budget, usage);
    if (cut.kind !== "cut") return not("no_cut", cut.message);
    if (summariser === undefined) return not("no_summariser", "No model is there to write a summary.");
    const isUpdate = rendering.report.start.rule === "compaction";
    const task = compactionTask(isUpdate, focus);
    const text = await this.#summary(
      summariser,
      { toId: cut.lastId, task, fromId: rendering.report.start.nodeId },
      {
        signal,
        pieces: Math.ceil((2 * cut.tokens.head) / (budget.windowTokens ?? Number.POSITIVE_INFINITY)),
      },
    );
    if (typeof text !== "string") return text;
    const todos = todoLines(todosOf(context));
    const whole =
      todos.length === 0 ? text : `${text}\n\nThe list of what is to be done:\n${todos.join("\n")}`;
    const draft = draftCompaction(context, cut, whole, charsPerToken(usage.last));
    if (draft.kind !== "draft") return not("grows", draft.message);
    if (signal?.aborted === true) return not("cancelled", "Cancelled.");
    if (manager.context !== context) return not("refused", "The conversation went on meanwhile.");
    const reformed = cut.changes.length === 0 ? undefined : manager.reform(cut.changes);
    if (reformed !== undefined && isRefusal(reformed)) return not("refused", reformed.message);
    const node = manager.addSummary(draft.summary);
    if (isRefusal(node)) return not("refused", node.message);
    const { before, tail } = cut.tokens;
    return { kind: "compacted", tokensBefore: before, tokensAfter: tail + draft.tokens };
  }

  /** What a prompt may cost now. */
  budget({ model, system, tools }: RequestHead): PromptBudget {
    const { settings = defaultEconomy, memoryPath, manager } = this.parts;
    const window = this.#windowOf({ model });
    return {
      settings,
      provider: cacheNameOf(model),
      headChars: system.length + tools.length,
      keepPaths: manager.trackedFiles(),
      ...defined({ memoryPath, windowTokens: window?.tokens }),
      ...(window === undefined
        ? {}
        : { answerTokens: Math.min(window.answerTokens ?? window.tokens, Math.floor(window.tokens / 4)) }),
    };
  }

  /** Characters that the result of one call may have; undefined where nothing is known of the window. */
  resultChars(head: RequestHead): number | undefined {
    const tokens = this.#windowOf(head)?.tokens;
    if (tokens === undefined) return undefined;
    return Math.min(answerBudgetChars, Math.floor((tokens / 4) * charsPerToken(this.#last)));
  }

  /** Characters of one call's arguments that a prompt has room for: half of it; undefined where no window is known. */
  argumentChars(head: RequestHead): number | undefined {
    const tokens = this.#windowOf(head)?.tokens;
    return tokens === undefined ? undefined : Math.floor((tokens / 2) * charsPerToken(this.#last));
  }

  #windowOf({ model }: Pick<RequestHead, "model">): ModelPort["window"] {
    const known = model.window ?? windowOf(model.target.model);
    const learned = this.#windows.get(nameOf(model));
    if (learned === undefined || learned >= (known?.tokens ?? Number.POSITIVE_INFINITY)) return known;
    return { ...known, tokens: learned };
  }

  /** What is known of the requests so far. */
  usage(head: RequestHead, rendering: Rendering = this.rendered(head)): PromptUsage {
    const warned = wasWarned(this.parts.manager.context, rendering);
    if (this.#ratios(head) === undefined) return { warned, ...defined({ last: this.#last }) };
    const outlook = this.#outlookOn(head, rendering, measure(rendering));
    const cold = this.#coldFor(head, outlook);
    return { warned, ...defined({ last: this.#last, cold, warmChars: outlook?.sharedChars }) };
  }

  /** Why a provider has nothing of the next request; undefined too where nothing is known of its cache. */
  #coldFor(head: RequestHead, outlook: CacheOutlook | undefined): ColdCause | undefined {
    const ratios = this.#ratios(head);
    if (ratios === undefined) return undefined;
    return outlook === undefined ? this.#restCause(ratios) : outlook.cold;
  }

  #ratios({ model }: RequestHead): CacheRatios | undefined {
    return cacheRatiosOf(cacheNameOf(model), (this.parts.settings ?? defaultEconomy).ratios);
  }

  /** Where nothing is known of a provider's cache, it is taken to keep everything for an hour. */
  #outlookOn(head: RequestHead, rendering: Rendering, prompt: MeasuredPrompt): CacheOutlook | undefined {
    const { lifetimeMs = 3_600_000 } = this.#ratios(head) ?? {};
    const { context } = this.parts.manager;
    const isAbove = (nodeId: string) => isOnPath(context, nodeId, context.currentNodeId);
    return this.#cache.outlook(this.#request(head, rendering), prompt, lifetimeMs, isAbove);
  }

  /** The prompt as it would be now: one renderer for all who ask, so that nothing is rendered twice. */
  rendered({ model: { target } }: Pick<RequestHead, "model">): Rendering {
    const { manager, now, files = "text" } = this.parts;
    return this.#renderer.render(manager.context, { target, now: now(), files });
  }

  /** A session that goes on after a rest: what was sent before is known by its last answer only. */
  #restCause({ lifetimeMs }: { readonly lifetimeMs: number }): ColdCause | undefined {
    const { manager, now } = this.parts;
    const { context } = manager;
    for (const { payload, timestamp } of upwards(context, context.currentNodeId))
      if (payload.kind === "model_message" || payload.kind === "tool_call")
        return now() - timestamp > lifetimeMs ? "idle" : undefined;
    return undefined;
  }

  #request({ model, system, tools }: RequestHead, rendering: Rendering): SentRequest {
    const { model: name } = model.target;
    const provider = cacheNameOf(model);
    const { manager, now } = this.parts;
    const startId = rendering.report.start.nodeId;
    return {
      at: now(),
      provider,
      model: name,
      system,
      tools,
      headId: manager.context.currentNodeId,
      startId,
    };
  }

  /** The text, or why there is none: of one that throws, too. A summariser that never answers is left alone after its time. */
  async #summary(
    summariser: Summariser,
    asked: { readonly fromId: string; readonly toId: string; readonly task: string },
    { signal, pieces }: { readonly signal: AbortSignal | undefined; readonly pieces: number },
  ): Promise<string | CompactionOutcome> {
    const { manager, summaryMs: pieceMs = 120_000 } = this.parts;
    const summaryMs = pieceMs * Math.max(1, pieces);
    const ending = endingWithin(summaryMs, signal);
    const request = { purpose: "compaction", context: manager.context, ...asked, signal: ending } as const;
    const work = async () => summariser(request);
    const answer = await withinTime(work(), ending).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    if (signal?.aborted === true) return not("cancelled", "Cancelled.");
    if (ending.aborted) return not("no_summary", `No summary came within ${summaryMs / 1_000} seconds.`);
    if (typeof answer === "string") return not("no_summary", answer);
    if (isRefusal(answer)) return not("no_summary", answer.message);
    return answer.text.trim() === "" ? not("no_summary", "The summary is empty.") : answer.text;
  }
}

/** Of a model that was opened by its provider's name alone. */
function windowOf(model: string): ModelPort["window"] {
  const facts = factsOfModel(model);
  return facts && { tokens: facts.contextWindow, answerTokens: facts.maxOutput };
}

function nameOf({ target }: ModelPort): string {
  return `${target.provider}/${target.model}`;
}

/** The name under which the ratios of a model's cache stand. */
function cacheNameOf({ target, cache }: ModelPort): string {
  return cache === undefined ? target.provider : `${target.provider}/${cache}`;
}

function not(
  reason: Extract<CompactionOutcome, { kind: "not_compacted" }>["reason"],
  message: string,
): CompactionOutcome {
  return { kind: "not_compacted", reason, message };
}
