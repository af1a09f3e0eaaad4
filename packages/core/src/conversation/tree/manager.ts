import { KeyedMutex } from "../../files/index.js";
import type { ConversationEvent, MetadataPatch, NewNode } from "../values/event.js";
import { isOfModel } from "../values/exchange.js";
import { type Digest, withProof } from "../values/file-content.js";
import type { FileNaming } from "../values/file-effects.js";
import type { JsonValue } from "../values/json.js";
import { checkCustom, checkPatch, type DeclaredKey, type MetadataKey } from "../values/metadata-key.js";
import { type ModelAnswer, payloadsOfAnswer } from "../values/model-answer.js";
import type {
  ConversationContext,
  PendingRestore,
  StagedItem,
  TurnMetadata,
  TurnNode,
} from "../values/node.js";
import type { FormChange, OverlayForm, Summary, TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import type { Acknowledged } from "../values/store.js";
import { checkChain, checkRules, checkShape, noSuchTask, unprunedNode } from "./checks.js";
import { PathChoices } from "./choices.js";
import { applyEvent, type ConversationStart, firstEvent, startedContext } from "./fold.js";
import { type ContextListener, JournaledContext, type StoredContext } from "./journaled-context.js";
import { withLanding } from "./landing.js";
import { filesMade, Manifests, type Onto } from "./manifest.js";
import { type HeadedContext, OtherHead } from "./other-head.js";
import { answeredBelow, isOnPath, openCalls, upwards } from "./path.js";
import { foldTrackedFiles } from "./path-fold.js";
import { PathKnowledge } from "./path-knowledge.js";
import { checkStaged, stagedNodes } from "./staging.js";
import {
  type AnsweredCall,
  type CompleteTask,
  cancelTask,
  completeTask,
  currentTask,
  leave,
  moveHead,
  popTask,
  type RestartTask,
  refuseWaiting,
  restartTask,
  resumeTask,
  type StartTask,
  startTask,
  type TaskDecision,
  type TaskMove,
  type TaskScope,
  unansweredAt,
} from "./tasks.js";

/** What a manager works with; all of it can be left out. */
export interface ContextManagerOptions extends ConversationStart {
  /** Proves the texts of whole files; without one, only what reads of ours found is known (`fileContentOf`). */
  readonly digest?: Digest;
  /** Makes one of several names of a file; see `namesFrom`. */
  readonly naming?: FileNaming;
  /** Whose data nodes may hold in `custom`; `setCustom` brings its own. */
  readonly metadataKeys?: readonly DeclaredKey[];
  /** A session of a store and what its journal folds to; without one the conversation lives in memory. */
  readonly stored?: StoredContext;
}

/**
 * The conversation: the one mutable cell around an immutable value, and its journal (seed 4,
 * "ContextManager"). Every method decides synchronously, on what is true at that moment: it either changes
 * the conversation by one event or refuses and changes nothing. `flush` makes what was done durable.
 */
export class ContextManager {
  /** The states of files that each node implies. */
  readonly manifests: Manifests;
  /** What its paths were shown of files. */
  readonly knowledge = new PathKnowledge(this);
  /** Turns of the model's calls, by the names of the files that they are about. */
  readonly turns: KeyedMutex;
  /** The nodes of calls that are being carried out: what they do is told when they are done. */
  readonly running: Set<string>;
  private readonly journaled: HeadedContext;
  private readonly tracked = foldTrackedFiles();
  private readonly choices = new PathChoices();

  /** Begins a conversation, or goes on with a stored one. A new one has a task boundary as its root. */
  constructor(
    private readonly options: ContextManagerOptions,
    of?: ContextManager,
  ) {
    const { stored, now } = options;
    this.manifests = of?.manifests ?? new Manifests(options.naming);
    this.turns = of?.turns ?? new KeyedMutex();
    this.running = of?.running ?? new Set();
    const begun = () => stored?.context ?? startedContext(firstEvent(options));
    this.journaled =
      of === undefined ? new JournaledContext(begun(), stored, now) : new OtherHead(of.journaled);
  }

  /** The same conversation with a head of its own, which begins where this head is; this head stays (`OtherHead`). */
  withOwnHead(): ContextManager {
    return new ContextManager(this.options, this);
  }

  /** Which files are tracked where the head stands. */
  trackedFiles(): readonly string[] {
    return this.tracked.at(this.context, this.context.currentNodeId);
  }

  /** The state at this moment: a value, which later changes leave as it is. */
  get context(): ConversationContext {
    return this.journaled.current;
  }

  getCurrentNode(): TurnNode {
    const node = this.context.nodes.get(this.context.currentNodeId);
    if (node === undefined) throw new Error("the head is not there");
    return node;
  }

  /** Tasks that are rendered in full instead of by their summary, for the turn (seed 4). */
  get expansionOverrides(): ReadonlySet<string> {
    return new Set(this.context.expansions.map(({ taskId }) => taskId));
  }

  /** Why nothing can be changed; `undefined` for a conversation that can. */
  get readOnly(): ConversationRefusal | undefined {
    return this.journaled.readOnly;
  }

  /** @returns what undoes the subscription. */
  subscribe(listener: ContextListener): () => void {
    return this.journaled.subscribe(listener);
  }

  /** Puts something into the next turn; `invalid_payload`, or as `addNode`. */
  addToStagingArea(payload: TurnPayload): StagedItem | ConversationRefusal {
    const { ids, now } = this.options;
    const admitted = this.admit(payload);
    if (admitted.kind === "refusal") return admitted;
    const item: StagedItem = { id: ids(), timestamp: now(), payload: admitted };
    return (
      checkStaged(this.context, item, this.choices) ??
      this.change({ type: "staged", ...item }, () => item, "nodes")
    );
  }

  /** Takes staged items out again, all unless some are named; `not_staged`. */
  discardStaging(
    ids: readonly string[] = this.context.stagingArea.map(({ id }) => id),
  ): Done | ConversationRefusal {
    return ids.length === 0 ? done : this.change({ type: "unstaged", ids }, () => done);
  }

  /**
   * Begins a turn: what is staged and the user's message become nodes below the head, all or nothing.
   *
   * @returns the message's node, which is the new head. A staged item that cannot stand there is refused as
   *   by `addNode`, and then nothing is taken.
   */
  commitStagedItems(userMessage: string): TurnNode | ConversationRefusal {
    const { stagingArea, currentNodeId } = this.context;
    const nodes = stagedNodes(this.context, this.choices);
    if (isRefusal(nodes)) return nodes;
    const message = this.make({ kind: "user_message", text: userMessage }, nodes.at(-1)?.id ?? currentNodeId);
    const flawed = checkShape(message);
    if (flawed !== undefined) return flawed;
    const staged = stagingArea.length === 0 ? {} : { staged: stagingArea.map(({ id }) => id) };
    return this.change(
      { type: "nodes_added", nodes: [...nodes, message], head: message.id, turn: true, ...staged },
      () => this.getCurrentNode(),
      "nodes",
    );
  }

  /**
   * Adds one node (seed 4). Below the head, the head moves on to it; elsewhere the head stays.
   *
   * @param parentId the head unless given.
   * @returns `unknown_node`, `pruned_node`, `invalid_payload`, `invalid_metadata`, `unmatched_result` (a
   *   result for which no call waits), `duplicate_id`; of what decides how earlier nodes are rendered,
   *   `unsafe_cut`, `no_effect` or `open_calls` where the renderer would ignore it.
   */
  addNode(
    payload: TurnPayload,
    parentId: string = this.context.currentNodeId,
    metadata?: TurnMetadata,
  ): TurnNode | ConversationRefusal {
    const parent = unprunedNode(this.context, parentId);
    if (isRefusal(parent)) return parent;
    const admitted = this.admit(payload, metadata);
    if (admitted.kind === "refusal") return admitted;
    const node = this.make(admitted, parentId, metadata);
    const refused = checkRules(this.context, node, this.choices);
    if (refused !== undefined) return refused;
    const head = parentId === this.context.currentNodeId ? node.id : this.context.currentNodeId;
    return this.change({ type: "nodes_added", nodes: [node], head }, () => this.nodeOf(node.id), "nodes");
  }

  /**
   * Adds all that a model answered to one request, as one event: thoughts, texts and calls in their order
   * below the head, which moves on to the last of them; the usage stands on that one.
   *
   * @returns the nodes. As `addNode` refuses any of them, and then nothing is added; `invalid_arguments` for
   *   an answer without parts.
   */
  addAnswer(answer: ModelAnswer): readonly TurnNode[] | ConversationRefusal {
    const payloads = payloadsOfAnswer(answer);
    const nodes: NewNode[] = [];
    for (const [at, payload] of payloads.entries()) {
      const usage = at === payloads.length - 1 ? answer.usage : undefined;
      const parentId = nodes.at(-1)?.id ?? this.context.currentNodeId;
      const node = this.make(payload, parentId, usage === undefined ? undefined : { usage });
      const flawed = checkShape(node);
      if (flawed !== undefined) return flawed;
      nodes.push(node);
    }
    const head = nodes.at(-1)?.id;
    if (head === undefined) return refuse("invalid_arguments", "The answer has no parts.");
    const refused = checkChain(this.context, nodes, this.choices);
    if (refused !== undefined) return refused.refusal;
    const added = () => nodes.map(({ id }) => this.nodeOf(id));
    return this.change({ type: "nodes_added", nodes, head }, added, "nodes");
  }

  /** A new branch under a task boundary, on which the head then stands. `open_calls`, `no_summary`. */
  startTask(request: StartTask = {}): TurnNode | ConversationRefusal {
    return this.carryOut(startTask(this.scope, request));
  }

  /** Adds the current task's summary to its parent branch. `no_task`, `no_summary`, `open_calls`. */
  completeTask(request: CompleteTask): TurnNode | ConversationRefusal {
    return this.carryOut(this.decide({ kind: "complete", ...request }, "stay"));
  }

  /**
   * What the tree would be after a task was completed or begun again: for a plan of the files before anything moves.
   * `no_task`, `no_summary`, `open_calls`, `unknown_task`.
   */
  foresee(move: TaskMove): ConversationContext | ConversationRefusal {
    const decision = this.decide(move);
    return isRefusal(decision) ? decision : applyEvent(this.context, decision);
  }

  private get scope(): TaskScope {
    return { context: this.context, make: this.make };
  }

  private decide(move: TaskMove, files: Onto["files"] = "follow"): TaskDecision {
    if (move.kind === "restart") return restartTask(this.scope, move);
    const filesOf = (from: string, to: string, nodeId: string) =>
      filesMade(this.context, from, to, this.manifests, { nodeId, files });
    return completeTask(this.scope, move, filesOf);
  }

  /** Prunes the current task's branch; it can be restored. `no_task`, `open_calls`. */
  cancelTask(answering?: AnsweredCall): TurnNode | ConversationRefusal {
    return this.carryOut(cancelTask(this.scope, answering));
  }

  /** Why the branch cannot be left now, so that nothing is paid for a move that would be refused; `open_calls`, `read_only`. */
  leaving(asking: Pick<AnsweredCall, "callId" | "name"> | undefined): ConversationRefusal | undefined {
    return this.readOnly ?? refuseWaiting(this.context, asking);
  }

  /** Where the head would stand after `cancelTask` or `popTask`, or why it would not. */
  cancelTarget(): TurnNode | ConversationRefusal {
    const current = currentTask(this.context);
    return isRefusal(current) ? current : unprunedNode(this.context, current.parent.tipId);
  }

  /** Leaves the current task, to be resumed later. `no_task`, `open_calls`. */
  popTask(answering?: AnsweredCall): TurnNode | ConversationRefusal {
    return this.carryOut(popTask(this.scope, answering));
  }

  /**
   * Goes on where a paused task was left; one that was cancelled is taken up again. `unknown_task`,
   * `task_closed` (it is complete), `pruned_node`, `open_calls`.
   */
  resumeTask(taskId: string, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    const cancelled =
      this.context.tasks.get(taskId)?.outcome === "cancelled" && this.context.pruned.has(taskId);
    if (!cancelled) return this.carryOut(resumeTask(this.scope, taskId, answering));
    const event = { type: "unpruned", nodeId: taskId, task: { id: taskId, outcome: "open" } } as const;
    const reopened = applyEvent(this.context, event);
    const decision = isRefusal(reopened)
      ? reopened
      : resumeTask({ ...this.scope, context: reopened }, taskId, answering);
    if (isRefusal(decision)) return decision;
    const unpruned = this.change(event, () => done);
    return isRefusal(unpruned) ? unpruned : this.carryOut(decision);
  }

  /** Tries a task again from where it began. `unknown_task`, `no_task`, `open_calls`. */
  restartTask(request: RestartTask = {}): TurnNode | ConversationRefusal {
    return this.carryOut(this.decide({ kind: "restart", ...request }));
  }

  /**
   * Moves the head back (seed 4, "rewind"); the other path stays. Files are not touched: see `restoreFiles`.
   *
   * @param nodeId where to; to before the last message of the user unless given.
   * @returns `unknown_node`, `pruned_node`; `open_calls` where a call made there was answered only later.
   */
  rewind(nodeId?: string, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    const target = this.rewindTarget(nodeId);
    if (isRefusal(target)) return target;
    const move = { head: target.id, reason: "rewind", answering } as const;
    return this.carryOut(moveHead(this.scope, move));
  }

  /** Where `rewind` would move the head, or why it would not. */
  rewindTarget(nodeId?: string): TurnNode | ConversationRefusal {
    const head = nodeId ?? this.beforeLastMessage();
    if (head === undefined) return refuse("unknown_node", "There is no turn to go back before.");
    const target = unprunedNode(this.context, head);
    if (isRefusal(target)) return target;
    const [open] = answeredBelow(this.context, head);
    return open === undefined ? target : unansweredAt(head, open.call.name);
  }

  /** Prunes the branch that begins at a node on which the head does not stand: it is kept, out of the way. */
  prune(nodeId: string): Done | ConversationRefusal {
    const node = unprunedNode(this.context, nodeId);
    if (isRefusal(node)) return node;
    if (node.parentId === null) return refuse("invalid_arguments", "The root cannot be pruned.");
    if (isOnPath(this.context, nodeId, this.context.currentNodeId))
      return refuse("pruned_node", "The head stands in this branch; move it out of it first.");
    return this.change({ type: "pruned", nodeId }, () => done);
  }

  /** Takes a pruning back; a task that was cancelled by it is open again. */
  unprune(nodeId: string): Done | ConversationRefusal {
    const task = this.context.tasks.get(nodeId);
    const reopened = task?.outcome === "cancelled" ? { task: { id: nodeId, outcome: "open" } as const } : {};
    return this.change({ type: "unpruned", nodeId, ...reopened }, () => done);
  }

  /** Cancels a task again that was taken up, where the head never came to it; the head stays. `pruned_node`. */
  leaveTask(taskId: string): Done | ConversationRefusal {
    const head = this.context.currentNodeId;
    const task = { id: taskId, outcome: "cancelled" } as const;
    return this.change({ type: "head_moved", head, reason: "task_cancel", task, pruned: taskId }, () => done);
  }

  /** Keeps a file's newest state in the context without a read by the model. `invalid_arguments`. */
  trackFile(path: string): TurnNode | ConversationRefusal {
    if (path === "" || this.trackedFiles().includes(path))
      return refuse("invalid_arguments", path === "" ? "Name a file." : `${path} is tracked already.`);
    return this.addNode({ kind: "context_management", action: "track_file", path });
  }

  untrackFile(path: string): TurnNode | ConversationRefusal {
    if (!this.trackedFiles().includes(path))
      return refuse("invalid_arguments", `${path} is not tracked here.`);
    return this.addNode({ kind: "context_management", action: "untrack_file", path });
  }

  /**
   * Renders an earlier node in another form from here on, on this branch only. `unknown_node`; where the
   * renderer would ignore it, `no_effect` (the node is not in the prompt, is hidden, or has no such form) or
   * `open_calls` (a call that still waits for its result).
   */
  overlay(targetId: string, form: OverlayForm): TurnNode | ConversationRefusal {
    return this.addNode({ kind: "context_management", action: "overlay", targetId, form });
  }

  /**
   * Changes the form of many earlier nodes at once, by one node: as `overlay` for each of them, in their
   * order. Where one is refused, none changes; `invalid_arguments` where none is named.
   */
  reform(changes: readonly FormChange[]): TurnNode | ConversationRefusal {
    return this.addNode({ kind: "context_management", action: "reform", changes });
  }

  /**
   * Adds a summary, of a branch or in place of what came before. `no_summary`, `open_calls`; of a compaction,
   * `unsafe_cut`, and `no_effect` where what it keeps from is not in the prompt.
   */
  addSummary(summary: Summary, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    if (summary.text.trim() === "") return refuse("no_summary", "The summary is empty.");
    const left = leave(this.scope, answering);
    if (isRefusal(left)) return left;
    const node = this.make(summary, left.tipId);
    const nodes = [...left.nodes, node];
    const refused = checkChain(this.context, nodes, this.choices);
    if (refused !== undefined) return refused.refusal;
    return this.carryOut({ type: "nodes_added", nodes, head: node.id });
  }

  /**
   * Shows a completed task in full instead of its summary, for one turn: the one that is running, if a call
   * waits for its result, else the next one. `unknown_task`.
   */
  expandTask(taskId: string): Done | ConversationRefusal {
    const task = this.context.tasks.get(taskId);
    if (task === undefined || task.outcome !== "complete") return noSuchTask(taskId);
    const boundary = unprunedNode(this.context, taskId);
    if (isRefusal(boundary)) return boundary;
    const running = openCalls(this.context, this.context.currentNodeId).length > 0;
    return this.change({ type: "expansion_set", taskId, turns: running ? 0 : 1 }, () => done);
  }

  setTitle(title: string): Done | ConversationRefusal {
    return this.change({ type: "renamed", title }, () => done);
  }

  /** Gives a node a label, by which people find it again; an empty one takes it away. */
  setLabel(nodeId: string, label: string): Done | ConversationRefusal {
    return this.setMetadata(nodeId, { label: label === "" ? null : label });
  }

  /** Changes annotations of a node. `unknown_node`, `invalid_metadata`. */
  setMetadata(nodeId: string, metadata: MetadataPatch): Done | ConversationRefusal {
    const refused = checkPatch(metadata, this.options.metadataKeys);
    return refused ?? this.change({ type: "metadata_set", nodeId, metadata }, () => done);
  }

  /** Sets an extension's own data on a node; `null` takes it away. */
  setCustom<Value extends JsonValue>(
    nodeId: string,
    key: MetadataKey<Value>,
    value: Value | null,
  ): Done | ConversationRefusal {
    const custom = { [key.name]: value };
    const flawed = checkCustom(custom, [key]);
    return flawed ?? this.change({ type: "metadata_set", nodeId, metadata: { custom } }, () => done);
  }

  /** Journals that files are about to be restored; `restore_pending` where one is begun already. */
  beginRestore(restore: PendingRestore): Done | ConversationRefusal {
    const { pendingRestore } = this.context;
    if (pendingRestore !== undefined)
      return refuse(
        "restore_pending",
        `Restore ${pendingRestore.restoreId} was begun and has to be settled first.`,
      );
    const target = unprunedNode(this.context, restore.toId);
    if (isRefusal(target)) return target;
    return this.change({ type: "restore_begun", ...restore }, () => done);
  }

  /**
   * Moves the head to where the files were restored to, and below it the restore. A call that asked for it is
   * answered on the branch that is left; an undo then goes back to below the answer.
   *
   * @param move the task is completed or begun again in the same event, and the restore stands below that; the call
   *   that asked is then answered by it.
   */
  finishRestore(
    restore: PendingRestore,
    answering?: AnsweredCall,
    move?: TaskMove,
  ): TurnNode | ConversationRefusal {
    if (move !== undefined) return this.finishWith(restore, move);
    // After a kill the call that asked for it has lost its answer: that must not keep the head from the files.
    const left = answering === undefined ? undefined : leave(this.scope, answering);
    if (left !== undefined && isRefusal(left)) return left;
    const { cancels, ...told } = restore;
    const fromId = left?.tipId ?? restore.fromId;
    const toId = restore.stateOf === undefined ? restore.toId : fromId;
    const node = this.make({ kind: "restore", ...told, fromId, toId }, toId);
    const ended =
      cancels === undefined ? {} : { task: { id: cancels, outcome: "cancelled" } as const, pruned: cancels };
    const nodes = [...(left?.nodes ?? []), node];
    return this.carryOut({ type: "nodes_added", nodes, head: node.id, ...ended });
  }

  private finishWith(restore: PendingRestore, move: TaskMove): TurnNode | ConversationRefusal {
    const decision = this.decide(move);
    if (isRefusal(decision)) return decision;
    if (decision.type !== "nodes_added") throw new Error("a task ends or begins with a node");
    const { cancels: _, ...told } = restore;
    const fromId = decision.nodes.length > 1 ? (decision.nodes[0]?.id ?? restore.fromId) : restore.fromId;
    const node = this.make({ kind: "restore", ...told, fromId }, decision.head);
    return this.carryOut({ ...decision, nodes: [...decision.nodes, node], head: node.id });
  }

  /** Journals that a begun restore did not happen. */
  dropRestore(restoreId: string): Done | ConversationRefusal {
    if (this.context.pendingRestore?.restoreId !== restoreId)
      return refuse("invalid_arguments", `No restore ${restoreId} was begun.`);
    return this.change({ type: "restore_dropped", restoreId }, () => done);
  }

  /**
   * Everything done so far survives a kill and a power cut once this resolves to `acknowledged`. After a
   * refusal the conversation is what it was at the last acknowledgement, here as in the store.
   */
  async flush(): Promise<Acknowledged | ConversationRefusal> {
    return await this.journaled.flush();
  }

  /**
   * Makes what was done durable and gives the session back; nothing can be changed from then on. A second
   * call does nothing.
   *
   * @returns what the last flush was refused with.
   */
  async close(): Promise<Done | ConversationRefusal> {
    return (await this.journaled.close()) ?? done;
  }

  /** Looks at what a caller gives; of a file's content it is found out whether its text is the file's. */
  private admit(payload: TurnPayload, metadata?: TurnMetadata): TurnPayload | ConversationRefusal {
    const flawed = checkShape(metadata === undefined ? { payload } : { payload, metadata });
    const undeclared = flawed ?? checkCustom(metadata?.custom, this.options.metadataKeys);
    return undeclared ?? withProof(payload, this.options.digest);
  }

  /** @returns the node that the decision is about, also where words for the model follow it. */
  private carryOut(decision: TaskDecision): TurnNode | ConversationRefusal {
    if (isRefusal(decision)) return decision;
    const goal = decision.type === "nodes_added" ? decision.head : undefined;
    const event = withLanding(this.context, decision, this.make);
    return this.change(event, () => (goal === undefined ? this.getCurrentNode() : this.nodeOf(goal)));
  }

  /** @param checked `nodes`: their payloads and metadata were looked at. */
  private change<Answer extends object>(
    event: ConversationEvent,
    answer: () => Answer,
    checked: "nodes" | "nothing" = "nothing",
  ): Answer | ConversationRefusal {
    return this.journaled.change({ event, checked }, answer);
  }

  /** What the model makes while a task is expanded is bound to that prompt: the node says so. */
  private readonly make = (payload: TurnPayload, parentId: string, metadata?: TurnMetadata): NewNode => {
    const node = { id: this.options.ids(), parentId, timestamp: this.options.now(), payload };
    const { expansions } = this.context;
    if (expansions.length === 0 || !isOfModel({ payload }))
      return metadata === undefined ? node : { ...node, metadata };
    const expanded = expansions.map(({ taskId }) => taskId);
    return { ...node, metadata: { ...metadata, provenance: { ...metadata?.provenance, expanded } } };
  };

  private nodeOf(id: string): TurnNode {
    const node = this.context.nodes.get(id);
    if (node === undefined) throw new Error("a node that was added is not there");
    return node;
  }

  /** Where the head stood before the last turn began. */
  private beforeLastMessage(): string | undefined {
    for (const { payload, parentId, turnParentId } of upwards(this.context, this.context.currentNodeId)) {
      if (turnParentId !== undefined) return turnParentId;
      if (payload.kind === "user_message") return parentId ?? undefined;
    }
    return undefined;
  }
}

/** The answer of a change that has nothing else to say. */
export interface Done {
  readonly kind: "done";
}

const done: Done = { kind: "done" };
