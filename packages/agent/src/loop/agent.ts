import type {
  Effort,
  ModelFailure,
  ModelPort,
  ReceivedAnswer,
  Rendering,
  Visibility,
} from "@holdfast/core/context";
import { openCalls, refreshTrackedFiles, versionAtNode } from "@holdfast/core/conversation";
import type {
  ConversationRefusal,
  FileContent,
  ToolCall,
  TurnNode,
} from "@holdfast/core/conversation/values";
import { type ClearingReport, deltaContent, type NodeReason, whyNode } from "@holdfast/core/economy";
import { isRefusal } from "@holdfast/core/files/values";
import { defined } from "@holdfast/core/text";
import {
  type ConversationReply,
  followFiles,
  meantCall,
  runConversationTool,
  type TurnHost,
} from "@holdfast/core/tools";
import type { ApprovalMode } from "../config/approval.js";
import { CostMeter } from "../models/catalog.js";
import type { Agent } from "./agent-door.js";
import type { AgentParts } from "./agent-parts.js";
import type { Allowance } from "./approval.js";
import { askModel, effortFor } from "./ask-model.js";
import type { CacheBroke } from "./cache-watch.js";
import { type CarriedCall, carryCalls, type Judged, type Place, sideBySide } from "./carry-calls.js";
import {
  type CompactionOutcome,
  ContextEconomy,
  type ContextSavings,
  type PromptMap,
  type RequestHead,
} from "./context-economy.js";
import { endOpenCalls, noteBrokenOff, noteEnd, shortenedCalls } from "./cut-short.js";
import { FileForms } from "./file-forms.js";
import { Gate } from "./gate.js";
import { calledTool } from "./judged-call.js";
import { leaveOut } from "./left-out.js";
import { MemoryFile } from "./memory-file.js";
import { offeredTools, type ToolSet, toolsOfSubAgent, toolsText } from "./offered-tools.js";
import { wordsOnMode } from "./plan-mode.js";
import { type RunningTurn, startedTurn } from "./running-turn.js";
import { keepWork, sessionMeter, workOf } from "./session-work.js";
import { begunTool, type Delegation, delegationIn, isWithin, mostNested } from "./sub-agents.js";
import { broken, stopOf, type TurnEnd, type TurnInput, type TurnScope, type TurnStop } from "./turn.js";

export type { Agent };

/** Opens an agent over parts that the caller has opened and closes again. */
export function openAgent(parts: AgentParts): Agent {
  return new OpenedAgent(parts);
}

/** A sub-agent at work. */
interface SubAgent extends Place, Pick<Delegation, "words"> {
  readonly taskId: string;
  /** What the person allowed, to whichever agent, holds for all. */
  readonly gate: Gate;
  readonly tools: () => ToolSet;
  /** How many sub-agents it is within, itself counted. */
  readonly depth: number;
}

class OpenedAgent implements Agent {
  model: ModelPort;
  #wantedEffort: Effort | undefined;
  readonly #gate: Gate;
  /** What calls of this turn delegate. */
  readonly #delegations = new Map<string, Delegation>();
  readonly #economy: ContextEconomy;
  readonly #forms: FileForms | undefined;
  readonly #toolsText = toolsText();
  /** Of the run. */
  readonly #meter: CostMeter;
  readonly meter: Agent["meter"];
  readonly memory: MemoryFile | undefined;

  /** @param sub what is other for a sub-agent; its parts have a manager with a head of its own. */
  constructor(
    private readonly parts: AgentParts,
    private readonly sub?: SubAgent,
  ) {
    const { manager, now, summariser, summaryMs, economy: settings, memoryPath, wire } = parts;
    const more = defined({ summariser, summaryMs, settings, memoryPath, files: wire?.wire });
    this.#economy = new ContextEconomy({ manager, now, ...more });
    const { uploads, workspace, readBlob } = parts;
    this.#forms = uploads && new FileForms({ manager, workspace, uploads, ...defined({ readBlob }) });
    if (memoryPath !== undefined) this.memory = new MemoryFile({ manager, workspace, path: memoryPath });
    this.model = parts.model;
    this.#wantedEffort = parts.effort;
    this.#meter = parts.meter ?? new CostMeter();
    this.meter = sessionMeter(this.#meter, workOf(manager.context).costUsd);
    const namesOf = (path: string) => workspace.namesOf(path);
    this.#gate = sub?.gate ?? new Gate({ ...parts, namesOf });
  }

  get effort(): Effort | undefined {
    return effortFor(this.model, this.#wantedEffort);
  }

  set effort(wanted: Effort | undefined) {
    this.#wantedEffort = wanted;
  }

  get mode(): ApprovalMode {
    return this.#gate.mode;
  }

  get tools(): ToolSet {
    return this.sub?.tools() ?? offeredTools(this.parts);
  }

  get visibility(): Visibility {
    return this.#rendered().visibility;
  }

  #rendered(): Rendering {
    return this.#economy.rendered({ model: this.model });
  }

  get uploads(): FileForms | undefined {
    // What other providers cannot have is of no use to them.
    return this.model.target.provider === "google" ? this.#forms : undefined;
  }

  get contextMap(): PromptMap {
    return this.#economy.map(this.#head());
  }

  clearingNow(): ClearingReport | undefined {
    return this.#economy.clearingNow(this.#head());
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
    const turn = startedTurn({ ...this.parts, meter: this.#meter }, onEvent, signal);
    keepWork(this.parts, this);
    const stop = (await this.#begin(input, turn)) ?? (await this.#loop(turn, steer));
    const refused = noteEnd(this.parts.manager, stop) ?? keepWork(this.parts, this);
    const end = turn.end(refused === undefined ? ((await this.#flush()) ?? stop) : broken(refused));
    const { manager, hooks } = this.parts;
    await hooks?.turnEnded(end, turn, { manager, asShown: this.#asShown });
    onEvent({ kind: "turn_ended", end });
    return end;
  }

  async carry(name: string, args: unknown): Promise<ConversationReply> {
    const { manager, workspace, newId, summariser, onError } = this.parts;
    if (this.sub === undefined) noteBrokenOff(manager);
    const files = followFiles(manager, workspace, newId);
    const host = { manager, files, ...defined({ summariser, onError }) };
    const reply = await runConversationTool(name, args, host);
    const flushed = await manager.flush();
    return isRefusal(flushed) ? { text: flushed.message, isError: true, code: flushed.code } : reply;
  }

  /** The whole of it: look, ask, keep, do, until there is nothing to do. */
  async #loop(turn: RunningTurn, steer?: TurnScope["steer"]): Promise<TurnStop> {
    for (;;) {
      const stop =
        turn.limit() ??
        (await this.#refresh("branch")) ??
        (await this.#tell(wordsOnMode(this, this.#rendered(), this.parts.manager.context))) ??
        (await this.#economise(turn));
      if (stop !== undefined) return stop;
      await this.#chooseForms(turn);
      // Another sub-agent may have made the last request meanwhile.
      const over = turn.limit();
      if (over !== undefined) return over;
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
      const done = turn.after(answer, carried);
      if (done !== undefined) return done;
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
    const { context } = this.parts.manager;
    const visibility = this.visibility;
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
      isVisible: this.visibility.isVisible,
      asShown: this.#asShown,
      into,
    });
    return isRefusal(refreshed) ? broken(refreshed) : undefined;
  }

  /** What stands before the conversation in the next request. */
  #head(): RequestHead {
    const { offered } = this.tools;
    return {
      model: this.model,
      system: this.parts.system?.(offered) ?? "",
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
    const answer = await askModel({
      ...{ ...this.parts, ...head, tools: this.tools.offered, rendering: this.#economy.rendered(head) },
      ...{ onEvent, isPaused, breakpoints },
      effort: this.effort,
      ...defined({ signal, answerTokens }),
    });
    if ("parts" in answer) this.#meter.add(model, answer.usage);
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
    const { manager, workspace, hooks } = this.parts;
    const { context } = manager;
    const isEnding = openCalls(context, context.currentNodeId).some(({ call }) =>
      ending.has(meantCall(call).name),
    );
    if (isEnding && manager.getCurrentNode().taskId === this.sub?.taskId) await this.sub.earlier();
    const { onEvent, signal } = turn;
    const carried = await carryCalls({
      ...{ host: this.#host(onEvent, signal), workspace, hooks, gate: this.#gate, onEvent },
      judged: (call) => this.#judged(call),
    });
    // Its end may have been refused.
    if (!this.#hasLeftTask()) await this.sub?.again();
    if ("code" in carried) return carried;
    const changes = shortenedCalls(carried, this.#economy.argumentChars(this.#head()));
    // Where the head has left them they are no part of the prompt.
    if (changes.length > 0) manager.reform(changes);
    const stop = await manager.flush();
    if (isRefusal(stop)) return stop;
    return (await hooks?.after(carried, turn, { manager, asShown: this.#asShown })) ?? carried;
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
      deltaReads: () => this.visibility,
      hostTools: hostTools.map((tool) => this.#gate.guarded(tool)),
      progress: (callId, text, program) =>
        onEvent({ kind: "call_progress", callId, text, ...defined({ program }) }),
      ...wire,
      ...defined({ summariser, signal, onError, budgetChars: this.#economy.resultChars(this.#head()) }),
    };
  }

  /** What a call is judged by, or why it is not carried out; what it delegates is noted. */
  #judged(call: ToolCall): Judged | string {
    const { subAgents, limits = {} } = this.parts;
    const { tools } = this;
    const called = calledTool(call, tools);
    if (typeof called === "string" || subAgents === undefined) return called;
    const scope = { ...tools, subAgents, depth: this.sub?.depth ?? 0 };
    const delegation = delegationIn(call, { ...scope, hasCostLimit: limits.maxCostUsd !== undefined });
    if (typeof delegation === "string") return delegation;
    if (delegation === undefined) return called;
    this.#delegations.set(call.callId, delegation);
    return { ...called, standIn: begunTool };
  }

  /** Runs the sub-agents of this answer side by side; each ends its task in the order of the calls. */
  async #delegate(carried: readonly CarriedCall[], turn: RunningTurn): Promise<TurnStop | undefined> {
    const delegations = carried.flatMap(({ ended }) => {
      const delegation = ended.isError ? undefined : this.#delegations.get(ended.callId);
      return delegation === undefined ? [] : [delegation];
    });
    this.#delegations.clear();
    const most = this.parts.subAgents?.maxAtOnce ?? 4;
    const stops = await sideBySide(delegations, most, (one, place) => this.#work(one, turn, place));
    return stops.find((stop) => stop !== undefined);
  }

  /** @returns why the turn of the model that delegates is over, too. */
  async #work(delegation: Delegation, turn: RunningTurn, place: Place): Promise<TurnStop | undefined> {
    if (turn.signal?.aborted === true) return turn.limit();
    const manager = this.parts.manager.withOwnHead();
    const { manager: _, ...parts } = this.parts;
    const meter = new CostMeter(this.#meter);
    const { model: { port: model } = { port: this.model }, words } = delegation;
    const tools = () => toolsOfSubAgent(this.tools, delegation, this.parts);
    const sub = { words, gate: this.#gate, tools, depth: (this.sub?.depth ?? 0) + 1, ...place, taskId: "" };
    const own = { ...parts, manager, model, meter, ...defined({ effort: this.effort }) };
    const begun = await new OpenedAgent(own, sub).carry("task_start", delegation.task);
    if (begun.isError) return this.#tell([`No sub-agent was begun. ${begun.text}`]);
    const { id: taskId } = manager.getCurrentNode();
    const child = turn.child({
      ...{ maxSteps: delegation.maxSteps, meter },
      onEvent: (event) => turn.onEvent({ kind: "sub_agent", taskId, event }),
    });
    return new OpenedAgent(own, { ...sub, taskId }).#workOn(taskId, child, turn, this);
  }

  async #workOn(
    taskId: string,
    child: RunningTurn,
    turn: RunningTurn,
    above: OpenedAgent,
  ): Promise<TurnStop | undefined> {
    const stop = (await this.#tell(this.sub?.words ?? [])) ?? (await this.#loop(child));
    await this.sub?.earlier();
    const end = child.end(stop);
    turn.takeIn(end);
    above.#economy.takeIn(this.savings);
    child.onEvent({ kind: "turn_ended", end });
    if (end.reason === "conversation") return stop;
    const ended = await this.#endTask(taskId, end, child.lastText);
    if (end.reason === "cancelled") return stop;
    return typeof ended === "string" ? above.#tell([ended]) : ended;
  }

  /** What a sub-agent left open is ended for it: with its last words, or given up; a text says that to the model above. */
  async #endTask(
    taskId: string,
    { reason, message }: TurnEnd,
    lastText: string,
  ): Promise<TurnStop | string | undefined> {
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
    return `The sub-agent of task ${taskId} ended without a result. ${why} What it did to files is still there; resuming the task shows its steps.`;
  }

  /** Whether the sub-agent that works has ended its task, or gone away from it. */
  #hasLeftTask(): boolean {
    return this.sub !== undefined && !isWithin(this.parts.manager, this.sub.taskId);
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

/** What ends a task: sub-agents side by side end theirs in the order of the calls. */
const ending: ReadonlySet<string> = new Set(["task_complete", "task_cancel"]);
