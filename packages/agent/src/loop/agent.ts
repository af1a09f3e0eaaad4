import {
  type Acknowledged,
  ContextRenderer,
  type ConversationRefusal,
  type ConversationReply,
  defined,
  deltaContent,
  type FileContent,
  followFiles,
  isRefusal,
  type ModelFailure,
  type ModelPort,
  openCalls,
  type ReceivedAnswer,
  refreshTrackedFiles,
  runConversationTool,
  type TurnHost,
  type TurnNode,
  type Visibility,
  versionAtNode,
} from "@holdfast/core";
import type { ApprovalMode } from "../config/index.js";
import type { AgentParts } from "./agent-parts.js";
import type { Allowance } from "./approval.js";
import { askModel } from "./ask-model.js";
import { type CarriedCall, carryCalls } from "./carry-calls.js";
import { Gate, nobody } from "./gate.js";
import { offeredTools, type ToolSet } from "./offered-tools.js";
import { type RunningTurn, startedTurn } from "./running-turn.js";
import type { AgentEvent, TurnEnd, TurnInput, TurnStop } from "./turn.js";

/** What a turn is run with. */
export interface TurnScope {
  /** Ends the turn: the conversation is then whole, and the next turn can begin. */
  readonly signal?: AbortSignal;
  /** Told of everything in its order. Must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
}

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
  readonly mode: ApprovalMode;
  setMode(mode: ApprovalMode): void;
  /** Allows something for the rest of the session. */
  allow(allowance: Allowance): void;
  /** What is offered to the model now. */
  readonly tools: ToolSet;
  /** Whether all of these lines stand in the prompt as it would be now. */
  readonly isVisible: Visibility["isVisible"];
}

/** Opens an agent over parts that the caller has opened and closes again. */
export function openAgent(parts: AgentParts): Agent {
  return new OpenedAgent(parts);
}

class OpenedAgent implements Agent {
  model: ModelPort;
  readonly #renderer = new ContextRenderer();
  readonly #gate: Gate;

  constructor(private readonly parts: AgentParts) {
    const { mode = "ask", rules = [], ask = nobody, harmless = [] } = parts;
    this.model = parts.model;
    this.#gate = new Gate({ mode, rules, ask, harmless });
  }

  get mode(): ApprovalMode {
    return this.#gate.mode;
  }

  get tools(): ToolSet {
    return offeredTools(this.parts, this.mode);
  }

  get isVisible(): Visibility["isVisible"] {
    const visibility = this.#visibility;
    return (shown) => visibility.isVisible(shown);
  }

  /** What the model sees of files in the prompt as it would be now. */
  get #visibility(): Visibility {
    const { manager, wire } = this.parts;
    const options = { target: this.model.target, ...defined({ files: wire?.wire }) };
    return this.#renderer.render(manager.context, options).visibility;
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

  async turn(input: TurnInput, { signal, onEvent = () => {} }: TurnScope = {}): Promise<TurnEnd> {
    const turn = startedTurn(this.parts, onEvent, signal);
    const stop = (await this.#begin(input, turn)) ?? (await this.#loop(turn));
    const end = turn.end(stop);
    onEvent({ kind: "turn_ended", end });
    return end;
  }

  async carry(name: string, args: unknown): Promise<ConversationReply> {
    const { manager, workspace, newId, summariser, onError } = this.parts;
    const files = followFiles(manager, workspace, newId);
    const reply = await runConversationTool(name, args, {
      manager,
      files,
      ...defined({ summariser, onError }),
    });
    const flushed = await manager.flush();
    if (!isRefusal(flushed)) return reply;
    return { text: flushed.message, isError: true, code: flushed.code };
  }

  /** The whole of it: look, ask, keep, do, until there is nothing to do. */
  async #loop(turn: RunningTurn): Promise<TurnStop> {
    for (;;) {
      const stop = turn.limit() ?? (await this.#refresh("branch"));
      if (stop !== undefined) return stop;
      turn.beginStep();
      const answer = await this.#ask(turn);
      if ("reason" in answer) return stopOf(answer);
      if ("code" in answer) return broken(answer);
      const kept = await this.#keep(answer, turn);
      if (kept !== undefined) return kept;
      const carried = await this.#carry(turn);
      if ("code" in carried) return broken(carried);
      const over = turn.after(answer, carried);
      if (over !== undefined) return over;
      const told = await this.#tell(turn.wordsToModel());
      if (told !== undefined) return told;
    }
  }

  async #begin(input: TurnInput, { onEvent }: RunningTurn): Promise<TurnStop | undefined> {
    const { manager } = this.parts;
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
  #asShown(payload: FileContent): FileContent {
    if (this.parts.deltaReads === false) return payload;
    const { context } = this.parts.manager;
    const visibility = this.#visibility;
    return deltaContent(payload, {
      blocks: (path) => visibility.blocks(path),
      versionOf: (nodeId, state) => versionAtNode(context, nodeId, state),
    });
  }

  /** Ambient files whose state is not before the model any more come last, so that nothing earlier moves. */
  async #refresh(into: "staging" | "branch"): Promise<TurnStop | undefined> {
    const { manager, workspace } = this.parts;
    if (manager.trackedFiles().length === 0) return undefined;
    if (into === "branch" && openCalls(manager.context, manager.context.currentNodeId).length > 0)
      return undefined;
    const refreshed = await refreshTrackedFiles({
      manager,
      read: (request) => workspace.read(request),
      isVisible: this.isVisible,
      asShown: (payload) => this.#asShown(payload),
      into,
    });
    return isRefusal(refreshed) ? broken(refreshed) : undefined;
  }

  #ask({ onEvent, signal }: RunningTurn): Promise<ReceivedAnswer | ModelFailure | ConversationRefusal> {
    const { manager, newId, now, readBlob, system, wire } = this.parts;
    const { offered } = this.tools;
    return askModel({
      manager,
      renderer: this.#renderer,
      model: this.model,
      tools: offered,
      newId,
      now,
      onEvent,
      ...(system === undefined ? {} : { system: system(offered, this.mode) }),
      ...(wire?.wire === undefined ? {} : { files: wire.wire }),
      ...(readBlob === undefined ? {} : { readBlob }),
      ...(signal === undefined ? {} : { signal }),
    });
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

  async #carry({ onEvent, signal }: RunningTurn): Promise<readonly CarriedCall[] | ConversationRefusal> {
    const carried = await carryCalls({ host: this.#host(onEvent, signal), gate: this.#gate, onEvent });
    if ("code" in carried) return carried;
    const stop = await this.parts.manager.flush();
    return isRefusal(stop) ? stop : carried;
  }

  #host(onEvent: RunningTurn["onEvent"], signal: AbortSignal | undefined): TurnHost {
    const { manager, workspace, summariser, newId, onError, wire } = this.parts;
    const { hostTools, fileTools } = this.tools;
    const files = this.#gate.following(followFiles(manager, workspace, newId), signal);
    return {
      manager,
      workspace,
      files,
      offered: fileTools,
      ...(this.parts.deltaReads === false ? {} : { deltaReads: () => this.#visibility }),
      hostTools: hostTools.map((tool) => this.#gate.guarded(tool)),
      progress: (callId, text) => onEvent({ kind: "call_progress", callId, text }),
      ...wire,
      ...(summariser === undefined ? {} : { summariser }),
      ...(signal === undefined ? {} : { signal }),
      ...(onError === undefined ? {} : { onError }),
    };
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
    const flushed: Acknowledged | ConversationRefusal = await this.parts.manager.flush();
    return isRefusal(flushed) ? broken(flushed) : undefined;
  }
}

function broken({ message }: ConversationRefusal): TurnStop {
  return { reason: "conversation", message };
}

function stopOf(failure: ModelFailure): TurnStop {
  const { reason, message } = failure;
  return reason === "cancelled" ? { reason: "cancelled", message } : { reason: "failed", message, failure };
}
