import { checkEvent, checkNode, noSuchTask, standingNode } from "./checks.js";
import type { ConversationEvent, MetadataPatch, NewNode } from "./event.js";
import { isOfModel } from "./exchange.js";
import type { FileNaming } from "./file-effects.js";
import { type Beginning, firstEvent } from "./first-event.js";
import { applyEvent, startedContext } from "./fold.js";
import type { JsonValue } from "./json.js";
import { filesChanged, Manifests } from "./manifest.js";
import type { MetadataKey } from "./metadata-key.js";
import type { ConversationContext, PendingRestore, StagedItem, TurnMetadata, TurnNode } from "./node.js";
import { answeredBelow, openCalls, upwards } from "./path.js";
import type { OverlayForm, Summary, TurnPayload } from "./payload.js";
import { type ConversationRefusal, isTurnRefusal, refuseTurn } from "./refusal.js";
import { checkStaged, stagedNodes } from "./staging.js";
import type { Acknowledged, OpenSession } from "./store.js";
import {
  type AnsweredCall,
  type CompleteTask,
  cancelTask,
  completeTask,
  currentTask,
  type Decision,
  leave,
  moveHead,
  popTask,
  type RestartTask,
  restartTask,
  resumeTask,
  type StartTask,
  startTask,
} from "./tasks.js";
import { foldTrackedFiles } from "./tracked-files.js";
import { isOnPath } from "./tree-paths.js";

export interface ContextManagerOptions extends Beginning {
  /** Makes one of several names of a file; see `namesFrom`. */
  readonly naming?: FileNaming;
  /** A session of a store and what its journal folds to; without one the conversation lives in memory. */
  readonly stored?: { readonly session: OpenSession; readonly context: ConversationContext };
}

/** Told of every change; `undefined` where what was pending was taken back because it could not be kept. */
export type ContextListener = (context: ConversationContext, event: ConversationEvent | undefined) => void;

/**
 * The conversation: the one mutable cell around an immutable value, and its journal (seed 4,
 * "ContextManager"). Every method decides synchronously, on what is true at that moment: it either changes
 * the conversation by one event or refuses and changes nothing. `flush` makes what was done durable.
 */
export class ContextManager {
  /** The states of files that each node implies. */
  readonly manifests: Manifests;
  private current: ConversationContext;
  private acknowledged: ConversationContext;
  /** What was done since the last acknowledgement, and what the conversation was after each. */
  private pending: { readonly seq: number; readonly context: ConversationContext }[] = [];
  private readonly tracked = foldTrackedFiles();
  private readonly listeners = new Set<ContextListener>();
  /** What the listeners are still to be told, the first of them being told now. */
  private untold: { readonly context: ConversationContext; readonly event: ConversationEvent | undefined }[] =
    [];
  /** How many drops of the session the conversation has gone back for. */
  private drops = 0;
  private closed = false;
  private readonly session: OpenSession | undefined;
  /** Of a conversation in memory. */
  private seq = 1;

  /** Begins a conversation, or goes on with a stored one. A new one has a task boundary as its root. */
  constructor(private readonly options: ContextManagerOptions) {
    const { stored } = options;
    this.session = stored?.session;
    this.drops = stored?.session.drops ?? 0;
    this.manifests = new Manifests(options.naming);
    this.current = stored?.context ?? startedContext(firstEvent(options));
    this.acknowledged = this.current;
  }

  /** Which files are tracked where the head stands. */
  trackedFiles(): readonly string[] {
    return this.tracked.at(this.current, this.current.currentNodeId);
  }

  /** The state at this moment: a value, which later changes leave as it is. */
  get context(): ConversationContext {
    return this.current;
  }

  getCurrentNode(): TurnNode {
    const node = this.current.nodes.get(this.current.currentNodeId);
    if (node === undefined) throw new Error("the head is not there");
    return node;
  }

  /** Tasks that are rendered in full instead of by their summary, for the turn (seed 4). */
  get expansionOverrides(): ReadonlySet<string> {
    return new Set(this.current.expansions.map(({ taskId }) => taskId));
  }

  /** Why nothing can be changed; `undefined` for a conversation that can. */
  get readOnly(): ConversationRefusal | undefined {
    if (this.closed) return refuseTurn("read_only", "The conversation was closed; open it again to go on.");
    if (this.session === undefined || this.session.mode === "write") return undefined;
    return (
      this.session.readOnlyBecause ??
      refuseTurn("read_only", "The session was opened for reading; open it for writing, or fork it.")
    );
  }

  /** @returns what undoes the subscription. */
  subscribe(listener: ContextListener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Puts something into the next turn; `invalid_payload`. */
  addToStagingArea(payload: TurnPayload): StagedItem | ConversationRefusal {
    const { ids, now } = this.options;
    const item: StagedItem = { id: ids(), timestamp: now(), payload };
    return checkStaged(this.current, payload) ?? this.answer({ type: "staged", ...item }, () => item);
  }

  /** Takes staged items out again, all unless some are named; `not_staged`. */
  discardStaging(
    ids: readonly string[] = this.current.stagingArea.map(({ id }) => id),
  ): Done | ConversationRefusal {
    return ids.length === 0 ? done : this.answer({ type: "unstaged", ids }, () => done);
  }

  /**
   * Begins a turn: what is staged and the user's message become nodes below the head, all or nothing.
   *
   * @returns the message's node, which is the new head. A staged item that cannot stand there is refused as
   *   by `addNode`, and then nothing is taken.
   */
  commitStagedItems(userMessage: string): TurnNode | ConversationRefusal {
    const { stagingArea, currentNodeId } = this.current;
    const nodes = stagedNodes(this.current);
    if (isTurnRefusal(nodes)) return nodes;
    const message = this.make({ kind: "user_message", text: userMessage }, nodes.at(-1)?.id ?? currentNodeId);
    const staged = stagingArea.length === 0 ? {} : { staged: stagingArea.map(({ id }) => id) };
    return this.answer(
      { type: "nodes_added", nodes: [...nodes, message], head: message.id, turn: true, ...staged },
      () => this.getCurrentNode(),
    );
  }

  /**
   * Adds one node (seed 4). Below the head, the head moves on to it; elsewhere the head stays.
   *
   * @param parentId the head unless given.
   * @returns `unknown_node`, `pruned_node`, `invalid_payload`, `invalid_metadata`, `unmatched_result` (a
   *   result for which no call waits), `duplicate_id`, `unsafe_cut`.
   */
  addNode(
    payload: TurnPayload,
    parentId: string = this.current.currentNodeId,
    metadata?: TurnMetadata,
  ): TurnNode | ConversationRefusal {
    const parent = standingNode(this.current, parentId);
    if (isTurnRefusal(parent)) return parent;
    const node = this.make(payload, parentId, metadata);
    const flawed = checkNode(this.current, node);
    if (flawed !== undefined) return flawed;
    const head = parentId === this.current.currentNodeId ? node.id : this.current.currentNodeId;
    return this.answer({ type: "nodes_added", nodes: [node], head }, () => this.nodeOf(node.id));
  }

  /** A new branch under a task boundary, on which the head then stands. `open_calls`, `no_summary`. */
  startTask(request: StartTask = {}): TurnNode | ConversationRefusal {
    return this.carryOut(startTask(this.current, request, this.make));
  }

  /** Adds the current task's summary to its parent branch. `no_task`, `no_summary`, `open_calls`. */
  completeTask(request: CompleteTask): TurnNode | ConversationRefusal {
    const filesOf = (from: string, to: string) => filesChanged(this.current, from, to, this.manifests);
    return this.carryOut(completeTask(this.current, request, this.make, filesOf));
  }

  /** Prunes the current task's branch; it can be restored. `no_task`, `open_calls`. */
  cancelTask(answering?: AnsweredCall): TurnNode | ConversationRefusal {
    return this.carryOut(cancelTask(this.current, answering, this.make));
  }

  /** Where the head would stand after `cancelTask` or `popTask`, or why it would not. */
  cancelTarget(): TurnNode | ConversationRefusal {
    const current = currentTask(this.current);
    return isTurnRefusal(current) ? current : standingNode(this.current, current.parent.tipId);
  }

  /** Leaves the current task, to be resumed later. `no_task`, `open_calls`. */
  popTask(answering?: AnsweredCall): TurnNode | ConversationRefusal {
    return this.carryOut(popTask(this.current, answering, this.make));
  }

  /**
   * Goes on where a paused task was left; one that was cancelled is taken up again. `unknown_task`,
   * `task_closed` (it is complete), `pruned_node`, `open_calls`.
   */
  resumeTask(taskId: string, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    const cancelled =
      this.current.tasks.get(taskId)?.outcome === "cancelled" && this.current.pruned.has(taskId);
    if (!cancelled) return this.carryOut(resumeTask(this.current, taskId, answering, this.make));
    const event = { type: "unpruned", nodeId: taskId, task: { id: taskId, outcome: "open" } } as const;
    const standing = applyEvent(this.current, event);
    const decision = isTurnRefusal(standing) ? standing : resumeTask(standing, taskId, answering, this.make);
    if (isTurnRefusal(decision)) return decision;
    const unpruned = this.answer(event, () => done);
    return isTurnRefusal(unpruned) ? unpruned : this.carryOut(decision);
  }

  /** Tries a task again from where it began. `unknown_task`, `no_task`, `open_calls`. */
  restartTask(request: RestartTask = {}): TurnNode | ConversationRefusal {
    return this.carryOut(restartTask(this.current, request, this.make));
  }

  /**
   * Moves the head back (seed 4, "rewind"); the other path stays. Files are not touched: see `restoreFiles`.
   *
   * @param nodeId where to; to before the last message of the user unless given.
   * @returns `unknown_node`, `pruned_node`; `open_calls` where a call made there was answered only later.
   */
  rewind(nodeId?: string, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    const target = this.rewindTarget(nodeId);
    if (isTurnRefusal(target)) return target;
    const move = { head: target.id, reason: "rewind", answering, make: this.make } as const;
    return this.carryOut(moveHead(this.current, move));
  }

  /** Where `rewind` would move the head, or why it would not. */
  rewindTarget(nodeId?: string): TurnNode | ConversationRefusal {
    const head = nodeId ?? this.beforeLastMessage();
    if (head === undefined) return refuseTurn("unknown_node", "There is no turn to go back before.");
    const target = standingNode(this.current, head);
    if (isTurnRefusal(target)) return target;
    const [open] = answeredBelow(this.current, head);
    if (open === undefined) return target;
    return refuseTurn(
      "open_calls",
      `At node ${head} the call of ${open.call.name} was not answered yet; go to its result or to before the call.`,
    );
  }

  /** Prunes the branch that begins at a node on which the head does not stand: it is kept, out of the way. */
  prune(nodeId: string): Done | ConversationRefusal {
    const node = standingNode(this.current, nodeId);
    if (isTurnRefusal(node)) return node;
    if (node.parentId === null) return refuseTurn("invalid_arguments", "The root cannot be pruned.");
    if (isOnPath(this.current, nodeId, this.current.currentNodeId))
      return refuseTurn("pruned_node", "The head stands in this branch; move it out of it first.");
    return this.answer({ type: "pruned", nodeId }, () => done);
  }

  /** Takes a pruning back; a task that was cancelled by it is open again. */
  unprune(nodeId: string): Done | ConversationRefusal {
    const task = this.current.tasks.get(nodeId);
    const reopened = task?.outcome === "cancelled" ? { task: { id: nodeId, outcome: "open" } as const } : {};
    return this.answer({ type: "unpruned", nodeId, ...reopened }, () => done);
  }

  /** Keeps a file's newest state in the context without a read by the model. `invalid_arguments`. */
  trackFile(path: string): TurnNode | ConversationRefusal {
    if (path === "" || this.trackedFiles().includes(path))
      return refuseTurn("invalid_arguments", path === "" ? "Name a file." : `${path} is tracked already.`);
    return this.addNode({ kind: "context_management", action: "track_file", path });
  }

  untrackFile(path: string): TurnNode | ConversationRefusal {
    if (!this.trackedFiles().includes(path))
      return refuseTurn("invalid_arguments", `${path} is not tracked here.`);
    return this.addNode({ kind: "context_management", action: "untrack_file", path });
  }

  /** Renders an earlier node in another form from here on, on this branch only. `unknown_node`. */
  overlay(targetId: string, form: OverlayForm): TurnNode | ConversationRefusal {
    return this.addNode({ kind: "context_management", action: "overlay", targetId, form });
  }

  /** Adds a summary, of a branch or in place of what came before. `no_summary`, `unsafe_cut`. */
  addSummary(summary: Summary, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    if (summary.text.trim() === "") return refuseTurn("no_summary", "The summary is empty.");
    const left = leave(this.current, answering, this.make);
    if (isTurnRefusal(left)) return left;
    const node = this.make(summary, left.tipId);
    const flawed = checkNode(this.current, { ...node, parentId: this.current.currentNodeId });
    if (flawed !== undefined) return flawed;
    return this.carryOut({ type: "nodes_added", nodes: [...left.nodes, node], head: node.id });
  }

  /**
   * Shows a completed task in full instead of its summary, for one turn: the one that is running, if a call
   * waits for its result, else the next one. `unknown_task`.
   */
  expandTask(taskId: string): Done | ConversationRefusal {
    const task = this.current.tasks.get(taskId);
    if (task === undefined || task.outcome !== "complete") return noSuchTask(taskId);
    const boundary = standingNode(this.current, taskId);
    if (isTurnRefusal(boundary)) return boundary;
    const running = openCalls(this.current, this.current.currentNodeId).length > 0;
    return this.answer({ type: "expansion_set", taskId, turns: running ? 0 : 1 }, () => done);
  }

  setTitle(title: string): Done | ConversationRefusal {
    return this.answer({ type: "renamed", title }, () => done);
  }

  /** Gives a node a label, by which people find it again; an empty one takes it away. */
  setLabel(nodeId: string, label: string): Done | ConversationRefusal {
    return this.setMetadata(nodeId, { label: label === "" ? null : label });
  }

  /** Changes annotations of a node. `unknown_node`, `invalid_metadata`. */
  setMetadata(nodeId: string, metadata: MetadataPatch): Done | ConversationRefusal {
    if ("isHiddenFromLlm" in metadata) return hiddenLater;
    if ("provenance" in metadata) return madeOnce;
    return this.answer({ type: "metadata_set", nodeId, metadata }, () => done);
  }

  /** Sets an extension's own data on a node; `null` takes it away. */
  setCustom<Value extends JsonValue>(
    nodeId: string,
    key: MetadataKey<Value>,
    value: Value | null,
  ): Done | ConversationRefusal {
    return this.setMetadata(nodeId, { custom: { [key.name]: value } });
  }

  /** Journals that files are about to be restored; `restore_pending` where one is begun already. */
  beginRestore(restore: PendingRestore): Done | ConversationRefusal {
    const { pendingRestore } = this.current;
    if (pendingRestore !== undefined)
      return refuseTurn(
        "restore_pending",
        `Restore ${pendingRestore.restoreId} was begun and has to be settled first.`,
      );
    const target = standingNode(this.current, restore.toId);
    if (isTurnRefusal(target)) return target;
    return this.answer({ type: "restore_begun", ...restore }, () => done);
  }

  /**
   * Moves the head to where the files were restored to, and below it the restore. A call that asked for it is
   * answered on the branch that is left; an undo then goes back to below the answer.
   */
  finishRestore(restore: PendingRestore, answering?: AnsweredCall): TurnNode | ConversationRefusal {
    // After a kill the call that asked for it has lost its answer: that must not keep the head from the files.
    const left = answering === undefined ? undefined : leave(this.current, answering, this.make);
    if (left !== undefined && isTurnRefusal(left)) return left;
    const { cancels, ...told } = restore;
    const fromId = left?.tipId ?? restore.fromId;
    const node = this.make({ kind: "restore", ...told, fromId }, restore.toId);
    const ended =
      cancels === undefined ? {} : { task: { id: cancels, outcome: "cancelled" } as const, pruned: cancels };
    const nodes = [...(left?.nodes ?? []), node];
    return this.carryOut({ type: "nodes_added", nodes, head: node.id, ...ended });
  }

  /** Journals that a begun restore did not happen. */
  dropRestore(restoreId: string): Done | ConversationRefusal {
    if (this.current.pendingRestore?.restoreId !== restoreId)
      return refuseTurn("invalid_arguments", `No restore ${restoreId} was begun.`);
    return this.answer({ type: "restore_dropped", restoreId }, () => done);
  }

  /**
   * Everything done so far survives a kill and a power cut once this resolves to `acknowledged`. After a
   * refusal the conversation is what it was at the last acknowledgement, here as in the store.
   */
  async flush(): Promise<Acknowledged | ConversationRefusal> {
    if (this.session === undefined) return { kind: "acknowledged", seq: this.seq };
    const answer = await this.session.flush();
    if (isTurnRefusal(answer)) {
      this.goBack();
      return answer;
    }
    this.acknowledged = this.pending.findLast(({ seq }) => seq <= answer.seq)?.context ?? this.acknowledged;
    this.pending = this.pending.filter(({ seq }) => seq > answer.seq);
    return answer;
  }

  /**
   * Makes what was done durable and gives the session back; nothing can be changed from then on. A second
   * call does nothing.
   *
   * @returns what the last flush was refused with.
   */
  async close(): Promise<Done | ConversationRefusal> {
    if (this.closed) return done;
    const flushed = this.readOnly === undefined ? await this.flush() : done;
    this.closed = true;
    await this.session?.close();
    return isTurnRefusal(flushed) ? flushed : done;
  }

  private carryOut(decision: Decision): TurnNode | ConversationRefusal {
    return isTurnRefusal(decision) ? decision : this.answer(decision, () => this.getCurrentNode());
  }

  private answer<Answer extends object>(
    event: ConversationEvent,
    answer: () => Answer,
  ): Answer | ConversationRefusal {
    const { readOnly } = this;
    if (readOnly !== undefined) return readOnly;
    this.goBack();
    const flawed = checkEvent(event);
    if (flawed !== undefined) return flawed;
    const next = applyEvent(this.current, event);
    if (isTurnRefusal(next)) return next;
    const ts = this.options.now();
    if (!Number.isFinite(ts)) throw new Error("the clock of a conversation must tell milliseconds");
    this.current = next;
    const seq = this.session?.append({ ts, event });
    if (seq === undefined) this.seq += 1;
    else this.pending.push({ seq, context: next });
    // Before anybody is told, who may go on from there.
    const answered = answer();
    this.tell(event);
    return answered;
  }

  /**
   * Where the session has dropped what was pending, the conversation goes back with it: once for each time,
   * however many flushes are answered by it, and before anything is added to what is no more.
   */
  private goBack(): void {
    const drops = this.session?.drops ?? this.drops;
    if (drops === this.drops) return;
    this.drops = drops;
    this.pending = [];
    this.current = this.acknowledged;
    this.tell(undefined);
  }

  /** One after the other, also where a listener changes the conversation. */
  private tell(event: ConversationEvent | undefined): void {
    this.untold.push({ context: this.current, event });
    if (this.untold.length > 1) return;
    try {
      for (const told of this.untold)
        for (const listener of this.listeners) listener(told.context, told.event);
    } finally {
      this.untold = [];
    }
  }

  /** What the model makes while a task is expanded is bound to that prompt: the node says so. */
  private readonly make = (payload: TurnPayload, parentId: string, metadata?: TurnMetadata): NewNode => {
    const node = { id: this.options.ids(), parentId, timestamp: this.options.now(), payload };
    const { expansions } = this.current;
    if (expansions.length === 0 || !isOfModel({ payload }))
      return metadata === undefined ? node : { ...node, metadata };
    const expanded = expansions.map(({ taskId }) => taskId);
    return { ...node, metadata: { ...metadata, provenance: { ...metadata?.provenance, expanded } } };
  };

  private nodeOf(id: string): TurnNode {
    const node = this.current.nodes.get(id);
    if (node === undefined) throw new Error("a node that was added is not there");
    return node;
  }

  /** Where the head stood before the last turn began. */
  private beforeLastMessage(): string | undefined {
    for (const { payload, parentId, turnParentId } of upwards(this.current, this.current.currentNodeId)) {
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

const hiddenLater = refuseTurn(
  "invalid_metadata",
  "A node that stands already is hidden on a branch by an overlay, not on all branches by its metadata.",
);

const madeOnce = refuseTurn(
  "invalid_metadata",
  "Where a node came from is said when it is made: what was rendered hangs on it.",
);
