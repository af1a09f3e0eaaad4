import {
  afterRequest,
  beganClearing,
  type ClearingOutcome,
  type ColdCause,
  type ContextManager,
  type ContextRenderer,
  cacheRatiosOf,
  charsPerToken,
  coldCause,
  compactionTask,
  defaultEconomy,
  defined,
  draftCompaction,
  type EconomySettings,
  isRefusal,
  type ModelPort,
  measure,
  type PromptBudget,
  type PromptPlan,
  type PromptUsage,
  pathTo,
  planCompaction,
  planPrompt,
  type Rendering,
  regretOf,
  type SentRequest,
  type Summariser,
  type TurnUsage,
} from "@holdfast/core";
import { factsOfModel } from "../models/index.js";

/** What the economy of one conversation works on. */
export interface EconomyParts {
  readonly manager: ContextManager;
  readonly renderer: ContextRenderer;
  readonly now: () => number;
  readonly settings?: EconomySettings;
  /** The memory file, as results name it. */
  readonly memoryPath?: string;
  readonly summariser?: Summariser;
  /** How files are written in the prompt: `RenderOptions.files`. */
  readonly files?: "text" | "json";
  /** How long a summary may take, in milliseconds; two minutes unless given. */
  readonly summaryMs?: number;
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

/** What a step of the economy may use. */
export interface StepScope {
  readonly signal: AbortSignal | undefined;
  /** Done before the model is told to save what it needs. */
  readonly beforeWarning: () => Promise<void>;
}

/** What a step did, and a sentence for the person where something could not be done. */
export interface EconomyStep {
  readonly done?: CompactionOutcome | Extract<PromptPlan, { kind: "clear" | "warn" }>;
  readonly notice?: string;
}

/** Keeps a conversation's prompt within its budget: counts, plans, and applies the plan as nodes. */
export class ContextEconomy {
  #sent: SentRequest | undefined;
  #chars = 0;
  #last: PromptUsage["last"];
  #warned = false;
  #compactFrom = 0;
  #cold: ColdCause | undefined;
  #outcomes: readonly ClearingOutcome[] = [];

  constructor(private readonly parts: EconomyParts) {}

  /** The plan for the next request. Changes nothing. */
  plan(head: RequestHead): PromptPlan {
    const rendering = this.#render(head);
    return planPrompt(this.parts.manager.context, rendering, this.budget(head), this.usage(head, rendering));
  }

  /**
   * Plans and carries out. A summary that fails leaves the prompt as it is, and is not asked for again with every request.
   *
   * @returns what was done, or why it was not; undefined where nothing was due.
   */
  async step(head: RequestHead, { signal, beforeWarning }: StepScope): Promise<EconomyStep | undefined> {
    const plan = this.plan(head);
    if (plan.kind === "nothing") return undefined;
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

  /** Carries out a plan of clearing or warning. @returns a sentence for the person where it could not be. */
  apply(plan: PromptPlan): string | undefined {
    const { manager } = this.parts;
    if (plan.kind !== "clear" && plan.kind !== "warn") return undefined;
    const node =
      plan.kind === "clear"
        ? manager.reform(plan.changes)
        : manager.addNode({ kind: "note", text: plan.text, audience: "model" });
    this.#warned = plan.kind === "warn";
    if (plan.kind === "clear" && !isRefusal(node))
      this.#outcomes = [...this.#outcomes, beganClearing(node.id, plan.report)];
    return isRefusal(node) ? `The context was left as it is: ${node.message}` : undefined;
  }

  /** Notes what is about to be sent. */
  sending(head: RequestHead): void {
    const rendering = this.#render(head);
    this.#cold = this.usage(head, rendering).cold;
    this.#sent = this.#request(head, rendering);
    this.#chars = measure(rendering).chars + head.system.length + head.tools.length;
  }

  /** Notes what the provider counted for it. */
  counted(usage: TurnUsage = {}): void {
    const { inputTokens, cachedInputTokens } = usage;
    const ratios = this.#sent && cacheRatiosOf(this.#sent.provider, this.parts.settings?.ratios);
    const prompt = { cold: this.#cold, ...defined({ inputTokens, cachedInputTokens }) };
    if (ratios !== undefined)
      this.#outcomes = this.#outcomes.map((outcome) => afterRequest(outcome, prompt, ratios));
    if (inputTokens !== undefined) this.#last = { chars: this.#chars, inputTokens };
  }

  /** What the clearings of this run were to bring, and have brought. */
  get savings(): ContextSavings {
    const { context } = this.parts.manager;
    const sum = (of: (outcome: ClearingOutcome) => number) =>
      Math.round(this.#outcomes.reduce((all, outcome) => all + of(outcome), 0));
    return {
      clearings: this.#outcomes.length,
      predicted: sum(({ predictedSaving }) => predictedSaving),
      realised: sum(({ realisedSaving }) => realisedSaving),
      regret: sum((outcome) => regretOf(context, outcome)),
    };
  }

  /** Puts a summary in the place of all but the tail. */
  async compact(head: RequestHead, focus?: string, signal?: AbortSignal): Promise<CompactionOutcome> {
    const { manager, summariser } = this.parts;
    const { context } = manager;
    const rendering = this.#render(head);
    const usage = this.usage(head, rendering);
    const cut = planCompaction(context, rendering, this.budget(head), usage);
    if (cut.kind !== "cut") return not("no_cut", cut.message);
    if (summariser === undefined) return not("no_summariser", "No model is there to write a summary.");
    const isUpdate = rendering.report.start.rule === "compaction";
    const task = compactionTask(isUpdate, focus);
    const text = await this.#summary(
      summariser,
      { toId: cut.lastId, task, fromId: rendering.report.start.nodeId },
      signal,
    );
    if (typeof text !== "string") return text;
    const draft = draftCompaction(context, cut, text, charsPerToken(usage.last));
    if (draft.kind !== "draft") return not("grows", draft.message);
    if (signal?.aborted === true) return not("cancelled", "Cancelled.");
    if (manager.context !== context) return not("refused", "The conversation went on meanwhile.");
    const reformed = cut.changes.length === 0 ? undefined : manager.reform(cut.changes);
    if (reformed !== undefined && isRefusal(reformed)) return not("refused", reformed.message);
    const node = manager.addSummary(draft.summary);
    if (isRefusal(node)) return not("refused", node.message);
    this.#warned = false;
    const { before, tail } = cut.tokens;
    return { kind: "compacted", tokensBefore: before, tokensAfter: tail + draft.tokens };
  }

  /** What a prompt may cost now. */
  budget({ model, system, tools }: RequestHead): PromptBudget {
    const { settings = defaultEconomy, memoryPath, manager } = this.parts;
    const facts = factsOfModel(model.target.model);
    return {
      settings,
      provider: model.target.provider,
      headChars: system.length + tools.length,
      keepPaths: manager.trackedFiles(),
      ...defined({ memoryPath, windowTokens: facts?.contextWindow }),
      ...(facts === undefined ? {} : { answerTokens: Math.min(facts.maxOutput, facts.contextWindow / 4) }),
    };
  }

  /** What is known of the requests so far. */
  usage(head: RequestHead, rendering: Rendering = this.#render(head)): PromptUsage {
    const { settings = defaultEconomy, manager } = this.parts;
    const ratios = cacheRatiosOf(head.model.target.provider, settings.ratios);
    const path = (nodeId: string) => isAbove(manager, nodeId);
    const next = this.#request(head, rendering);
    const cold =
      ratios &&
      (this.#sent === undefined ? this.#restCause(ratios) : coldCause(this.#sent, next, ratios, path));
    return { warned: this.#warned, ...defined({ last: this.#last, cold }) };
  }

  #render({ model }: RequestHead): Rendering {
    return this.parts.renderer.render(this.parts.manager.context, {
      target: model.target,
      now: this.parts.now(),
      files: this.parts.files ?? "text",
    });
  }

  /** A session that goes on after a rest: what was sent before is known by its last answer only. */
  #restCause({ lifetimeMs }: { readonly lifetimeMs: number }): ColdCause | undefined {
    const { manager, now } = this.parts;
    const { context } = manager;
    const last = pathTo(context, context.currentNodeId).findLast(
      ({ payload: { kind } }) => kind === "model_message" || kind === "tool_call",
    );
    return last !== undefined && now() - last.timestamp > lifetimeMs ? "idle" : undefined;
  }

  #request({ model, system, tools }: RequestHead, rendering: Rendering): SentRequest {
    const { provider, model: name } = model.target;
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

  /** The text, or why there is none. A summariser that never answers is left alone after its time. */
  async #summary(
    summariser: Summariser,
    asked: { readonly fromId: string; readonly toId: string; readonly task: string },
    signal: AbortSignal | undefined,
  ): Promise<string | CompactionOutcome> {
    const { manager, summaryMs = 120_000 } = this.parts;
    const limit = AbortSignal.timeout(summaryMs);
    const ending = signal === undefined ? limit : AbortSignal.any([signal, limit]);
    const ended = new Promise<"ended">((resolve) => {
      if (ending.aborted) resolve("ended");
      ending.addEventListener("abort", () => resolve("ended"), { once: true });
    });
    const request = { purpose: "compaction", context: manager.context, ...asked, signal: ending } as const;
    const answer = await Promise.race([ended, askedOf(summariser, request)]);
    if (signal?.aborted === true) return not("cancelled", "Cancelled.");
    if (answer === "ended") return not("no_summary", `No summary came within ${summaryMs / 1_000} seconds.`);
    if (isRefusal(answer)) return not("no_summary", answer.message);
    return answer.text.trim() === "" ? not("no_summary", "The summary is empty.") : answer.text;
  }
}

/** A summariser that throws gives no summary: the session goes on. */
async function askedOf(summariser: Summariser, request: Parameters<Summariser>[0]) {
  try {
    return await summariser(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "refusal", code: "no_summary", message } as const;
  }
}

function not(
  reason: Extract<CompactionOutcome, { kind: "not_compacted" }>["reason"],
  message: string,
): CompactionOutcome {
  return { kind: "not_compacted", reason, message };
}

function isAbove({ context }: ContextManager, nodeId: string): boolean {
  const above = context.nodes.get(nodeId);
  let node = context.nodes.get(context.currentNodeId);
  while (above !== undefined && node !== undefined && node.depth > above.depth)
    node = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  return above !== undefined && node?.id === above.id;
}
