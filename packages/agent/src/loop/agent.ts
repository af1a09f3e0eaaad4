import {
  ContextRenderer,
  type Effort,
  type ModelFailure,
  type ModelPort,
  type ReceivedAnswer,
  type Rendering,
  type Visibility,
} from "@holdfast/core/context";
import {
  type ConversationRefusal,
  type FileContent,
  openCalls,
  refreshTrackedFiles,
  type ToolCall,
  type TurnNode,
  versionAtNode,
} from "@holdfast/core/conversation";
import { type ContextMap, contextMap, deltaContent, type NodeReason, whyNode } from "@holdfast/core/economy";
import { isRefusal } from "@holdfast/core/files";
import { defined } from "@holdfast/core/text";
import {
  type ConversationReply,
  followFiles,
  runConversationTool,
  type TurnHost,
} from "@holdfast/core/tools";
import type { ApprovalMode } from "../config/approval.js";
import { CostMeter } from "../models/cost-meter.js";
import type { AgentParts } from "./agent-parts.js";
import type { Allowance } from "./approval.js";
import { askModel, effortFor } from "./ask-model.js";
import type { CacheBroke } from "./cache-watch.js";
import { calledTool } from "./called-tool.js";
import { type CarriedCall, carryCalls } from "./carry-calls.js";
import {
  type CompactionOutcome,
  ContextEconomy,
  type ContextSavings,
  type RequestHead,
} from "./context-economy.js";
import { endOpenCalls, noteBrokenOff, noteEnd } from "./cut-short.js";
import { FileForms, type FileOffers } from "./file-forms.js";
import { type CallNames, Gate } from "./gate.js";
import { leaveOut } from "./left-out.js";
import { MemoryFile } from "./memory-file.js";
import { offeredTools, type ToolSet, toolsText } from "./offered-tools.js";
import { type RunningTurn, startedTurn } from "./running-turn.js";
import { type SubAgent, toolsOfSubAgent } from "./sub-agent-tools.js";
import { type Delegation, delegationIn, isWithin, mostNested, subAgentWords } from "./sub-agents.js";
import type { TurnEnd, TurnInput, TurnScope, TurnStop } from "./turn.js";
import { broken, stopOf } from "./turn-stops.js";

/** A conversation with a model that can change files. One turn at a time. */
export interface Agent {
  /** Says something to the model, and lets it work until it has nothing more to do, a limit, or the signal. */
  turn(input: TurnInput, scope?: TurnScope): Promise<TurnEnd>;
  /**
   * Does for the person what a conversation tool does for the model; what it did is durable when this resolves.
   *
   * @param name of a tool; see `conversationTools`. @param args as its parameters say; checked there.
   */
  carry(name: string, args: unknown): Promise<ConversationReply>;
  readonly model: ModelPort;
  /** Another model from the next request on; thoughts of the former one are not sent to it. */
  switchModel(model: ModelPort): void;
  /** How much a model is to think, where it can be asked to; what its provider does by itself unless set. */
  effort: Effort | undefined;
  readonly mode: ApprovalMode;
  setMode(mode: ApprovalMode): void;
  /** Allows something for the rest of the session. */
  allow(allowance: Allowance): void;
  /** What is offered to the model now. */
  readonly tools: ToolSet;
  /** Sums up all but the tail of the conversation, at once. @param focus what the summary is to dwell on. */
  compact(focus?: string, signal?: AbortSignal): Promise<CompactionOutcome>;
  /** Begins uploads of files to the provider; undefined where the model, or the host, has no place for them. */
  readonly uploads: FileOffers | undefined;
  /** The notes that outlast a conversation; absent where the host has given no place for them. */
  readonly memory: MemoryFile | undefined;
  /** What fills the prompt now. */
  readonly contextMap: ContextMap;
  /** What the clearings of this run were to save, and have saved. */
  readonly savings: ContextSavings;
  /** What this run has spent. */
  readonly meter: Pick<CostMeter, "spent">;
  /** When and why the provider's cache broke last, as far as this run knows. */
  readonly cacheBroke: CacheBroke | undefined;
  /** Why a node stands in the prompt as it does; undefined where there is no such node. */
  why(nodeId: string): NodeReason | undefined;
  /** Whether all of these lines stand in the prompt as it would be now. */
  readonly isVisible: Visibility["isVisible"];
}

/** Opens an agent over parts that the caller has opened and closes again. */
export function openAgent(parts: AgentParts): Agent {
  return new OpenedAgent(parts);
}

class OpenedAgent implements Agent {
  model: ModelPort;
  effort: Effort | undefined;
  readonly #renderer = new ContextRenderer();
  readonly #gate: Gate;
  /** The sub-agents at work, the innermost last. */
  readonly #working: SubAgent[] = [];
  /** What calls of this turn delegate. */
  readonly #delegations = new Map<string, Delegation>();
  readonly #economy: ContextEconomy;
  readonly #forms: FileForms | undefined;
  readonly #toolsText = toolsText();
  readonly meter: CostMeter;
  readonly memory: MemoryFile | undefined;

  constructor(private readonly parts: AgentParts) {
    const { manager, now, summariser, summaryMs, economy: settings, memoryPath, wire } = parts;
    const more = defined({ summariser, summaryMs, settings, memoryPath, files: wire?.wire });
    this.#economy = new ContextEconomy({ manager, now, renderer: this.#renderer, ...more });
    const { uploads, workspace, readBlob } = parts;
    this.#forms = uploads && new FileForms({ manager, workspace, uploads, ...defined({ readBlob }) });
    this.memory =
      memoryPath === undefined
        ? undefined
        : new MemoryFile({ manager, workspace: parts.workspace, path: memoryPath });
    this.model = parts.model;
    this.effort = parts.effort;
    this.meter = parts.meter ?? new CostMeter();
    const namesOf = (path: string) => workspace.namesOf(path);
    this.#gate = new Gate({ ...parts, namesOf });
  }

  get mode(): ApprovalMode {
    return this.#gate.mode;
  }

  get tools(): ToolSet {
    return this.#working.at(-1)?.tools() ?? offeredTools(this.parts, this.mode);
  }

  get isVisible(): Visibility["isVisible"] {
    const visibility = this.#visibility;
    return (shown) => visibility.isVisible(shown);
  }

  /** What the model sees of files in the prompt as it would be now. */
  get #visibility(): Visibility {
    return this.#rendered().visibility;
  }

  /** The prompt as it would be now: the same options as for a request, so that nothing is rendered twice. */
  #rendered(): Rendering {
    const { manager, now, wire } = this.parts;
    const options = { target: this.#asked.target, now: now(), files: wire?.wire ?? "text" } as const;
    return this.#renderer.render(manager.context, options);
  }

  /** Who is asked now. */
  get #asked(): ModelPort {
    return this.#working.at(-1)?.model ?? this.model;
  }

  get uploads(): FileForms | undefined {
    // What other providers cannot have is of no use to them.
    return this.#asked.target.provider === "google" ? this.#forms : undefined;
  }

  get contextMap(): ContextMap {
    const head = this.#head();
    const headChars = head.system.length + head.tools.length;
    const { last } = this.#economy.usage(head);
    return contextMap(this.parts.manager.context, this.#rendered(), { headChars, ...defined({ last }) });
  }

  get cacheBroke(): CacheBroke | undefined {
    return this.#economy.broke;
  }

  get savings(): ContextSavings {
    return this.#economy.savings;
  }

  why(nodeId: string): NodeReason | undefined {
    return whyNode(this.parts.manager.context, this.#rendered(), nodeId);
  }

  async compact(focus?: string, signal?: AbortSignal): Promise<CompactionOutcome> {
    const outcome = await this.#economy.compact(this.#head(), focus, signal);
    const flushed = outcome.kind === "compacted" ? await this.parts.manager.flush() : undefined;
    if (flushed === undefined || !isRefusal(flushed)) return outcome;
    return { kind: "not_compacted", reason: "refused", message: flushed.message };
  }

  switchModel(model: ModelPort): void {
    this.model = model;
  }

  setMode(mode: ApprovalMode): void {
    this.#gate.mode = mode;
  }

  allow(allowance: Allowance): void {
    this.#gate.allow(allowance);
  }

  async turn(input: TurnInput, { signal, onEvent = () => {}, steer }: TurnScope = {}): Promise<TurnEnd> {
    const turn = startedTurn({ ...this.parts, meter: this.meter }, onEvent, signal);
    const stop = (await this.#begin(input, turn)) ?? (await this.#loop(turn, steer));
    const refused = noteEnd(this.parts.manager, stop);
    const end = turn.end(refused === undefined ? ((await this.#flush()) ?? stop) : broken(refused));
    await this.parts.hooks?.turnEnded(end, turn, this.#asShown);
    onEvent({ kind: "turn_ended", end });
    return end;
  }

  async carry(name: string, args: unknown): Promise<ConversationReply> {
    const { manager, workspace, newId, summariser, onError } = this.parts;
    noteBrokenOff(manager);
    const files = followFiles(manager, workspace, newId);
    const host = { manager, files, ...defined({ summariser, onError }) };
    const reply = await runConversationTool(name, args, host);
    const flushed = await manager.flush();
    return isRefusal(flushed) ? { text: flushed.message, isError: true, code: flushed.code } : reply;
  }

  /** The whole of it: look, ask, keep, do, until there is nothing to do. */
  async #loop(turn: RunningTurn, steer?: TurnScope["steer"]): Promise<TurnStop> {
    for (;;) {
      const stop = turn.limit() ?? (await this.#refresh("branch")) ?? (await this.#economise(turn));
      if (stop !== undefined) return stop;
      await this.#chooseForms(turn);
      turn.beginStep();
      const answer = await this.#ask(turn);
      if ("reason" in answer && (await this.#mend(answer, turn))) continue;
      if ("reason" in answer) return stopOf(answer);
      if ("code" in answer) return broken(answer);
      const kept = await this.#keep(answer, turn);
      if (kept !== undefined) return kept;
      const carried = await this.#carry(turn);
      if ("code" in carried) return broken(carried);
      const delegated = await this.#delegate(carried, turn);
      if (delegated !== undefined) return delegated;
      const over = turn.after(answer, carried);
      if (over !== undefined) return over;
      if (this.#hasLeftTask()) return { reason: "complete" };
      const said = await steer?.();
      const told = (await this.#tell(turn.wordsToModel())) ?? (said && (await this.#begin(said, turn)));
      if (told !== undefined) return told;
    }
  }

  async #begin(input: TurnInput, { onEvent }: RunningTurn): Promise<TurnStop | undefined> {
    const { manager } = this.parts;
    const left = noteBrokenOff(manager);
    if (left !== undefined) return broken(left);
    await this.memory?.pinIfThere();
    for (const payload of input.staged ?? []) {
      const isFile = payload.kind === "file_content";
      const staged = manager.addToStagingArea(isFile ? this.#asShown(payload) : payload);
      if (isRefusal(staged)) {
        manager.discardStaging();
        return broken(staged);
      }
    }
    const refreshed = await this.#refresh("staging");
    if (refreshed !== undefined) return refreshed;
    const node = manager.commitStagedItems(input.text);
    if (isRefusal(node)) return broken(node);
    onEvent({ kind: "turn_begun", node });
    return this.#flush();
  }

  /** A file without the lines that the prompt shows already. */
  readonly #asShown = (payload: FileContent): FileContent => {
    if (this.parts.deltaReads === false) return payload;
    const { context } = this.parts.manager;
    const visibility = this.#visibility;
    return deltaContent(payload, {
      blocks: (path) => visibility.blocks(path),
      versionOf: (nodeId, state) => versionAtNode(context, nodeId, state),
    });
  };

  /** Ambient files whose state is not before the model any more come last, so that nothing earlier moves. */
  async #refresh(into: "staging" | "branch"): Promise<TurnStop | undefined> {
    const { manager, workspace } = this.parts;
    if (manager.trackedFiles().length === 0) return undefined;
    if (into === "branch" && openCalls(manager.context, manager.context.currentNodeId).length > 0)
      return undefined;
    const refreshed = await refreshTrackedFiles({
      manager,
      read: (request) => workspace.read(request, { isSilent: true }),
      isVisible: this.isVisible,
      asShown: this.#asShown,
      into,
    });
    return isRefusal(refreshed) ? broken(refreshed) : undefined;
  }

  /** What stands before the conversation in the next request. */
  #head(): RequestHead {
    const { offered } = this.tools;
    return {
      model: this.#asked,
      system: this.parts.system?.(offered, this.mode) ?? "",
      tools: this.#toolsText(offered),
    };
  }

  /** Makes the prompt smaller where that is due. */
  async #economise({ onEvent, signal }: RunningTurn): Promise<TurnStop | undefined> {
    const { context } = this.parts.manager;
    if (openCalls(context, context.currentNodeId).length > 0) return undefined;
    const step = await this.#economy.step(this.#head(), {
      signal,
      // What is told to be saved there has to have a place, and to be seen.
      beforeWarning: async () => void (this.mode === "plan" || (await this.memory?.pin())),
    });
    if (step === undefined) return undefined;
    if (step.done !== undefined) onEvent({ kind: "context", done: step.done });
    if (step.notice !== undefined) onEvent({ kind: "noticed", text: step.notice });
    return step.notice === undefined ? this.#flush() : undefined;
  }

  /** Makes another prompt of one that was refused for its size, a medium or a thought. @returns whether it did. */
  async #mend(failure: ModelFailure, { onEvent, signal }: RunningTurn): Promise<boolean> {
    if (await this.uploads?.refused(failure, this.#rendered())) return true;
    const leftOut = leaveOut(this.parts.manager, this.#rendered(), failure);
    const mended = leftOut ?? (await this.#economy.makeRoom(this.#head(), failure, signal));
    for (const done of mended?.done ?? []) onEvent({ kind: "context", done });
    if (mended !== undefined) onEvent({ kind: "noticed", text: mended.notice });
    // A turn that was cancelled meanwhile ends before its next request.
    return signal?.aborted === true || (mended?.isOther === true && (await this.#flush()) === undefined);
  }

  /** Which files the next request names by their addresses at the provider. */
  async #chooseForms({ onEvent }: RunningTurn): Promise<void> {
    const { uploads } = this;
    if (uploads === undefined) return;
    const isCold = this.#economy.usage(this.#head()).cold !== undefined;
    const prompt = { rendering: this.#rendered(), isCold };
    await uploads.choose(prompt, (text) => onEvent({ kind: "noticed", text }));
  }

  async #ask(turn: RunningTurn): Promise<ReceivedAnswer | ModelFailure | ConversationRefusal> {
    const { onEvent, signal, isPaused } = turn;
    const head = this.#head();
    const { breakpoints, broke } = this.#economy.sending(head);
    if (broke !== undefined) onEvent({ kind: "context", done: broke });
    const { answerTokens } = this.#economy.budget(head);
    const { model } = head;
    const parts = { ...this.parts, ...head, tools: this.tools.offered, renderer: this.#renderer };
    const answer = await askModel({
      ...parts,
      ...{ onEvent, isPaused, breakpoints },
      effort: effortFor(model, this.effort),
      ...defined({ files: this.parts.wire?.wire, signal, answerTokens }),
    });
    if ("parts" in answer) this.meter.add(model, answer.usage);
    const evicted = "parts" in answer ? this.#economy.counted(answer.usage) : undefined;
    if (evicted !== undefined) onEvent({ kind: "context", done: evicted });
    return answer;
  }

  /** The answer is durable before anything that it asks for is done: nothing takes effect that nobody recorded. */
  async #keep(answer: ReceivedAnswer, { onEvent }: RunningTurn): Promise<TurnStop | undefined> {
    let nodes: readonly TurnNode[] = [];
    if (answer.parts.length > 0) {
      const added = this.parts.manager.addAnswer(answer);
      if (isRefusal(added)) return broken(added);
      nodes = added;
    }
    const stop = await this.#flush();
    if (stop !== undefined) return stop;
    onEvent({ kind: "answered", nodes, ...(answer.usage === undefined ? {} : { usage: answer.usage }) });
    return undefined;
  }

  async #carry(turn: RunningTurn): Promise<readonly CarriedCall[] | ConversationRefusal> {
    const { workspace, hooks } = this.parts;
    const host = this.#host(turn.onEvent, turn.signal);
    const judged = (call: ToolCall) => this.#judged(call);
    const { onEvent } = turn;
    const carried = await carryCalls({ host, workspace, hooks, gate: this.#gate, onEvent, judged });
    if ("code" in carried) return carried;
    const stop = await this.parts.manager.flush();
    if (isRefusal(stop)) return stop;
    return (await hooks?.after(carried, turn, this.#asShown)) ?? carried;
  }

  #host(onEvent: RunningTurn["onEvent"], signal: AbortSignal | undefined): TurnHost {
    const { manager, workspace, summariser, newId, onError, wire } = this.parts;
    const { hostTools, fileTools } = this.tools;
    const files = followFiles(manager, workspace, newId);
    return {
      manager,
      workspace,
      files,
      offered: fileTools,
      ...(this.parts.deltaReads === false ? {} : { deltaReads: () => this.#visibility }),
      hostTools: hostTools.map((tool) => this.#gate.guarded(tool)),
      progress: (callId, text) => onEvent({ kind: "call_progress", callId, text }),
      ...wire,
      ...defined({ summariser, signal, onError, budgetChars: this.#economy.resultChars(this.#head()) }),
    };
  }

  /** What a call is judged by, or why it is not carried out; what it delegates is noted. */
  #judged(call: ToolCall): CallNames | string {
    const { subAgents, limits = {} } = this.parts;
    // In plan mode all of the session's tools count: what is called all the same is denied for the mode.
    const tools = this.#working.at(-1)?.tools() ?? offeredTools(this.parts, "ask");
    const called = calledTool(call, tools);
    if (typeof called === "string" || subAgents === undefined) return called;
    const scope = { ...tools, subAgents, depth: this.#working.length };
    const delegation = delegationIn(call, { ...scope, hasCostLimit: limits.maxCostUsd !== undefined });
    if (typeof delegation === "string") return delegation;
    if (delegation !== undefined) this.#delegations.set(call.callId, delegation);
    return called;
  }

  /** Runs the sub-agent of a task that was begun for one, to its end; then the head stands where it was begun. */
  async #delegate(carried: readonly CarriedCall[], turn: RunningTurn): Promise<TurnStop | undefined> {
    const started = carried.find(({ ended }) => !ended.isError && this.#delegations.has(ended.callId));
    const delegation = started && this.#delegations.get(started.ended.callId);
    if (delegation === undefined) return undefined;
    this.#delegations.clear();
    const { id: taskId } = this.parts.manager.getCurrentNode();
    const child = turn.child({
      maxSteps: delegation.maxSteps,
      onEvent: (event) => turn.onEvent({ kind: "sub_agent", taskId, event }),
    });
    const stop = await this.#workOn(taskId, delegation, child);
    const end = child.end(stop);
    turn.takeIn(end);
    child.onEvent({ kind: "turn_ended", end });
    if (end.reason === "conversation") return stop;
    const merged = await this.#endTask(taskId, end, child.lastText);
    return end.reason === "cancelled" ? stop : merged;
  }

  async #workOn(taskId: string, delegation: Delegation, child: RunningTurn): Promise<TurnStop> {
    const above = this.#working.at(-1)?.tools ?? (() => offeredTools(this.parts, this.mode));
    const tools = () => toolsOfSubAgent(above(), delegation, this.parts);
    this.#working.push({ taskId, model: delegation.model?.port ?? this.#asked, tools });
    try {
      return (await this.#tell([subAgentWords])) ?? (await this.#loop(child));
    } finally {
      this.#working.pop();
    }
  }

  /** What a sub-agent left open is ended for it: with its last words, or as a task that was given up. */
  async #endTask(
    taskId: string,
    { reason, message }: TurnEnd,
    lastText: string,
  ): Promise<TurnStop | undefined> {
    const { manager } = this.parts;
    const refused = isWithin(manager, taskId) ? endOpenCalls(manager) : undefined;
    if (refused !== undefined) return broken(refused);
    // Tasks of its own may be open within it; each is ended by one call.
    for (let nested = 0; isWithin(manager, taskId) && nested < mostNested; nested += 1) {
      const isDone = reason === "complete" && lastText.trim() !== "";
      const done = isDone ? await this.carry("task_complete", { summary: lastText }) : undefined;
      const ended = done?.isError === false ? done : await this.carry("task_cancel", {});
      if (ended.isError) return { reason: "conversation", message: ended.text };
    }
    if (manager.context.tasks.get(taskId)?.outcome === "complete") return undefined;
    const why = message ?? "It said nothing.";
    return this.#tell([
      `The sub-agent of task ${taskId} ended without a result. ${why} What it did to files is still there; task_resume shows its steps.`,
    ]);
  }

  /** Whether the sub-agent that works has ended its task, or gone away from it. */
  #hasLeftTask(): boolean {
    const taskId = this.#working.at(-1)?.taskId;
    return taskId !== undefined && !isWithin(this.parts.manager, taskId);
  }

  /** Says something to the model below the results, where there is something to say. */
  async #tell(texts: readonly string[]): Promise<TurnStop | undefined> {
    for (const text of texts) {
      const node = this.parts.manager.addNode({ kind: "note", text, audience: "model" });
      if (isRefusal(node)) return broken(node);
    }
    return texts.length === 0 ? undefined : this.#flush();
  }

  async #flush(): Promise<TurnStop | undefined> {
    const flushed = await this.parts.manager.flush();
    return isRefusal(flushed) ? broken(flushed) : undefined;
  }
}
