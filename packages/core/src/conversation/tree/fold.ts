import { type InPlaceEdit, PersistentMap } from "../../files/seen/index.js";
import { defined } from "../../text/index.js";
import type { ConversationEvent, MetadataPatch, NewNode, TaskChange } from "../values/event.js";
import { advance, noExchange } from "../values/exchange.js";
import type { IdSource } from "../values/ids.js";
import type { ConversationContext, TaskRecord, TurnMetadata, TurnNode } from "../values/node.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";
import { isOnPath } from "./path.js";

/**
 * What an event makes of a conversation: the one definition of what the journal means. Live changes and
 * replays both come through here.
 *
 * @param edit as in `PersistentMap.set`, for replays of many events of which only the last state is kept.
 * @returns the new state, or why the event cannot follow on this one; the old state is as it was.
 */
export function applyEvent(
  context: ConversationContext,
  event: ConversationEvent,
  edit?: InPlaceEdit,
): ConversationContext | ConversationRefusal {
  switch (event.type) {
    case "session_started":
      return refuse("duplicate_id", "A session starts once.");
    case "nodes_added":
      return addNodes(context, event, edit);
    case "head_moved":
      return moveHead(changeTask(prune(context, event.pruned), event.task), event.head, event.pruned);
    case "staged":
      return stage(context, event);
    case "unstaged":
      return unstage(context, event.ids);
    case "metadata_set":
      return setMetadata(context, event.nodeId, event.metadata);
    case "pruned":
      return moveHead(prune(context, event.nodeId), context.currentNodeId, event.nodeId);
    case "unpruned":
      return unprune(changeTask(context, event.task), event.nodeId);
    case "expansion_set":
      return expand(context, event.taskId, event.turns);
    case "renamed":
      return { ...context, title: event.title };
    case "restore_begun": {
      const { type: _, ...pendingRestore } = event;
      return { ...context, pendingRestore };
    }
    case "restore_dropped":
      return context.pendingRestore?.restoreId === event.restoreId
        ? { ...context, pendingRestore: undefined }
        : context;
    default:
      return event satisfies never;
  }
}

/** The state right after `session_started`. The root bears the session's id, so it is known even if lost. */
export function startedContext(
  event: Extract<ConversationEvent, { type: "session_started" }>,
): ConversationContext {
  const { root, sessionId } = event;
  const rootNode: TurnNode = {
    ...root,
    id: sessionId,
    parentId: null,
    childIds: noChildren,
    metadata: root.metadata ?? {},
    taskId: sessionId,
    depth: 0,
    order: 0,
    exchange: noExchange,
  };
  const task: TaskRecord = { id: sessionId, parentTaskId: null, tipId: sessionId, outcome: "open" };
  return {
    sessionId,
    title: event.title,
    rootNode,
    currentNodeId: sessionId,
    stagingArea: [],
    nodes: PersistentMap.empty<TurnNode>().set(sessionId, rootNode),
    tasks: PersistentMap.empty<TaskRecord>().set(sessionId, task),
    pruned: PersistentMap.empty(),
    expansions: [],
    pendingRestore: undefined,
  };
}

/**
 * Whether a node stands in a branch that was pruned.
 *
 * @param unpruned a node above which it need not look, since that one is on no pruned branch.
 */
export function isPruned(context: ConversationContext, nodeId: string, unpruned?: string): boolean {
  if (context.pruned.size === 0) return false;
  let id: string | null = nodeId;
  while (id !== null && id !== unpruned) {
    if (context.pruned.has(id)) return true;
    id = context.nodes.get(id)?.parentId ?? null;
  }
  return false;
}

type Adding = Extract<ConversationEvent, { type: "nodes_added" }>;

function addNodes(
  context: ConversationContext,
  event: Adding,
  edit?: InPlaceEdit,
): ConversationContext | ConversationRefusal {
  let next: ConversationContext = context;
  for (const node of event.nodes) {
    const added = addOne(next, node, event, edit);
    if (isRefusal(added)) return added;
    next = added;
  }
  if (event.staged !== undefined) {
    const taken = unstage(next, event.staged);
    if (isRefusal(taken)) return taken;
    next = taken;
  }
  if (event.turn === true) next = { ...next, expansions: countDown(next) };
  next = changeTask(prune(next, event.pruned), event.task);
  return moveHead(endRestore(next, event), event.head, event.pruned, edit);
}

function addOne(
  context: ConversationContext,
  node: NewNode,
  event: Adding,
  edit?: InPlaceEdit,
): ConversationContext | ConversationRefusal {
  if (context.nodes.has(node.id)) return refuse("duplicate_id", `There is a node ${node.id} already.`);
  const parent = node.parentId === null ? undefined : context.nodes.get(node.parentId);
  if (parent === undefined) {
    const circle = event.nodes.some(({ id }) => id === node.parentId);
    return circle
      ? refuse("cycle", `Node ${node.id} stands above or beside its own parent ${node.parentId}.`)
      : refuse("unknown_node", `There is no node ${node.parentId} to put node ${node.id} under.`);
  }
  const began = event.turn === true && node.id === event.head ? event.nodes[0]?.parentId : undefined;
  const added = nodeBelow(node, parent, context.nodes.size, began ?? undefined);
  const elder = withChild(parent, node.id, edit);
  const known = elder === parent ? context.nodes : context.nodes.set(parent.id, elder, edit);
  const nodes = known.set(node.id, added, edit);
  const rootNode = parent.depth === 0 ? elder : context.rootNode;
  const tasks = tasksWith(context, added, parent, edit);
  if (edit === undefined) return { ...context, nodes, rootNode, tasks };
  // In a replay nobody holds a state on the way.
  const own: { -readonly [Field in keyof ConversationContext]: ConversationContext[Field] } = context;
  own.nodes = nodes;
  own.rootNode = rootNode;
  own.tasks = tasks;
  return own;
}

/** A boundary begins a task; what is added below the end of a task's branch is its end from then on. */
function tasksWith(
  context: ConversationContext,
  added: TurnNode,
  parent: TurnNode,
  edit?: InPlaceEdit,
): ConversationContext["tasks"] {
  if (added.taskId === added.id) {
    const task: TaskRecord = { id: added.id, parentTaskId: parent.taskId, tipId: added.id, outcome: "open" };
    return context.tasks.set(task.id, task, edit);
  }
  const task = context.tasks.get(added.taskId);
  if (task?.tipId !== parent.id) return context.tasks;
  return context.tasks.set(task.id, { ...task, tipId: added.id }, edit);
}

const noMetadata: TurnMetadata = {};

/**
 * A node of the tree, below its parent.
 *
 * @param order how many nodes there are before it.
 * @param turnParentId where it begins a turn: the node on which the head stood before.
 */
export function nodeBelow(node: NewNode, parent: TurnNode, order: number, turnParentId?: string): TurnNode {
  const { id, timestamp, payload, metadata = noMetadata } = node;
  const { exchange } = advance(parent.exchange, { id, payload, metadata });
  const below: TurnNode = {
    id,
    // The parent's own text: of a large tree each id is in memory once.
    parentId: parent.id,
    childIds: noChildren,
    timestamp,
    payload,
    metadata,
    taskId: payload.kind === "task_boundary" ? id : parent.taskId,
    depth: parent.depth + 1,
    order,
    exchange,
  };
  return turnParentId === undefined ? below : { ...below, turnParentId };
}

/** Moves the head, to a node on no pruned branch; the node becomes the tip of its task. */
function moveHead(
  context: ConversationContext,
  head: string,
  justPruned: string | undefined,
  edit?: InPlaceEdit,
): ConversationContext | ConversationRefusal {
  const node = context.nodes.get(head);
  if (node === undefined) return refuse("unknown_node", `There is no node ${head}.`);
  if (justPruned !== undefined && !context.nodes.has(justPruned))
    return refuse("unknown_node", `There is no node ${justPruned}.`);
  // The head is never on a pruned branch, so the climb can stop there.
  const unpruned = justPruned === undefined ? context.currentNodeId : undefined;
  if (isPruned(context, head, unpruned))
    return refuse("pruned_node", `Node ${head} stands in a branch that was pruned.`);
  const task = context.tasks.get(node.taskId);
  if (task === undefined) throw new Error("a node belongs to a task that is not there");
  const tasks =
    task.tipId === head ? context.tasks : context.tasks.set(task.id, { ...task, tipId: head }, edit);
  if (edit === undefined) return { ...context, currentNodeId: node.id, tasks };
  const own: { -readonly [Field in keyof ConversationContext]: ConversationContext[Field] } = context;
  own.currentNodeId = node.id;
  own.tasks = tasks;
  return own;
}

function changeTask(context: ConversationContext, change: TaskChange | undefined): ConversationContext {
  const task = change === undefined ? undefined : context.tasks.get(change.id);
  if (change === undefined || task === undefined) return context;
  return { ...context, tasks: context.tasks.set(task.id, { ...task, outcome: change.outcome }) };
}

/** A task whose branch ended in what is pruned ends above it from then on, so that it is never stranded. */
function prune(context: ConversationContext, nodeId: string | undefined): ConversationContext {
  const node = nodeId === undefined ? undefined : context.nodes.get(nodeId);
  if (nodeId === undefined || node === undefined) return context;
  const pruned = context.pruned.set(nodeId, true);
  const task = context.tasks.get(node.taskId);
  const ends = task !== undefined && task.id !== nodeId && isOnPath(context, nodeId, task.tipId);
  if (!ends || node.parentId === null) return { ...context, pruned };
  return { ...context, pruned, tasks: context.tasks.set(task.id, { ...task, tipId: node.parentId }) };
}

function unprune(context: ConversationContext, nodeId: string): ConversationContext | ConversationRefusal {
  if (!context.pruned.has(nodeId)) return refuse("unknown_node", `No branch was pruned at node ${nodeId}.`);
  return { ...context, pruned: context.pruned.delete(nodeId) };
}

function stage(
  context: ConversationContext,
  { id, timestamp, payload }: Extract<ConversationEvent, { type: "staged" }>,
): ConversationContext | ConversationRefusal {
  const taken = context.nodes.has(id) || context.stagingArea.some((item) => item.id === id);
  if (taken) return refuse("duplicate_id", `There is a node or a staged item ${id} already.`);
  return { ...context, stagingArea: [...context.stagingArea, { id, timestamp, payload }] };
}

function unstage(
  context: ConversationContext,
  ids: readonly string[],
): ConversationContext | ConversationRefusal {
  const missing = ids.find((id) => !context.stagingArea.some((item) => item.id === id));
  if (missing !== undefined) return refuse("not_staged", `Nothing is staged under ${missing}.`);
  return { ...context, stagingArea: context.stagingArea.filter(({ id }) => !ids.includes(id)) };
}

function setMetadata(
  context: ConversationContext,
  nodeId: string,
  patch: MetadataPatch,
): ConversationContext | ConversationRefusal {
  const node = context.nodes.get(nodeId);
  if (node === undefined) return refuse("unknown_node", `There is no node ${nodeId}.`);
  const next: TurnNode = { ...node, metadata: patched(node.metadata, patch) };
  const rootNode = next.depth === 0 ? next : context.rootNode;
  return { ...context, rootNode, nodes: context.nodes.set(nodeId, next) };
}

function patched(metadata: TurnMetadata, patch: MetadataPatch): TurnMetadata {
  const { custom, label, usage } = patch;
  // Whatever else a journal may say, what was rendered hangs on the rest.
  const plain = defined({ label, usage });
  const merged = Object.entries({ ...metadata, ...plain }).filter(([, value]) => value !== null);
  const extended = Object.entries({ ...metadata.custom, ...custom }).filter(([, value]) => value !== null);
  const next: TurnMetadata = Object.fromEntries(merged);
  if (custom === undefined) return next;
  const { custom: _, ...rest } = next;
  return extended.length === 0 ? rest : { ...rest, custom: Object.fromEntries(extended) };
}

function expand(
  context: ConversationContext,
  taskId: string,
  turns: number,
): ConversationContext | ConversationRefusal {
  if (!context.tasks.has(taskId)) return refuse("unknown_task", `There is no task ${taskId}.`);
  const others = context.expansions.filter((expansion) => expansion.taskId !== taskId);
  return { ...context, expansions: [...others, { taskId, turns }] };
}

function countDown(context: ConversationContext): ConversationContext["expansions"] {
  return context.expansions
    .filter(({ turns }) => turns > 0)
    .map(({ taskId, turns }) => ({ taskId, turns: turns - 1 }));
}

function endRestore(context: ConversationContext, event: Adding): ConversationContext {
  const { pendingRestore } = context;
  if (pendingRestore === undefined) return context;
  const ended = event.nodes.some(
    ({ payload, parentId }) =>
      (payload.kind === "restore" && payload.restoreId === pendingRestore.restoreId) ||
      // What is lost there was its node: nothing else is put below it meanwhile.
      (payload.kind === "lost" && parentId === pendingRestore.toId),
  );
  return ended ? { ...context, pendingRestore: undefined } : context;
}

/** The children of a node that has none: one list for all of them, which nobody changes. */
const noChildren: readonly string[] = [];

/**
 * A node with one child more; the given one stays as it is, unless `edit` says that nobody holds it. However
 * many children there are, one more costs the same: see `grownNode`.
 */
export function withChild(parent: TurnNode, childId: string, edit: InPlaceEdit | undefined): TurnNode {
  if (edit !== undefined) return withChildInPlace(parent, childId);
  const known = growing.get(parent);
  if (known === undefined && parent.childIds.length < fewChildren)
    return { ...parent, childIds: [...parent.childIds, childId] };
  const { ids, count } = known ?? { ids: [...parent.childIds], count: parent.childIds.length };
  // Of two versions that grow from one, only the first may go on in the same list.
  const list = ids.length === count ? ids : ids.slice(0, count);
  list.push(childId);
  return grownNode(parent, { ids: list, count: list.length });
}

/** In a replay nobody holds a node yet, so it grows as it is. */
function withChildInPlace(parent: TurnNode, childId: string): TurnNode {
  // A node of a replay was made by `nodeBelow` or `startedContext`, and its list by this function.
  const own = parent as { childIds: readonly string[] };
  // A list of one, since most nodes get no second child, and `push` would make room for many.
  if (own.childIds.length === 0) own.childIds = [childId];
  else (own.childIds as string[]).push(childId);
  return parent;
}

/** Lists of fewer are copied. */
const fewChildren = 64;

/** The children of one version of a node: the first `count` of a list that later versions add to. */
interface GrowingList {
  readonly ids: string[];
  readonly count: number;
}

const growing = new WeakMap<TurnNode, GrowingList>();

/** The node with these children, whose list is made when somebody asks for it. */
function grownNode(node: TurnNode, list: GrowingList): TurnNode {
  const { id, parentId, timestamp, payload, metadata, taskId, depth, order, turnParentId, exchange } = node;
  let childIds: readonly string[] | undefined;
  const grown: TurnNode = {
    id,
    parentId,
    get childIds() {
      childIds ??= list.ids.slice(0, list.count);
      return childIds;
    },
    timestamp,
    payload,
    metadata,
    taskId,
    depth,
    order,
    ...(turnParentId === undefined ? {} : { turnParentId }),
    exchange,
  };
  growing.set(grown, list);
  return grown;
}

/** What a conversation begins with. */
export interface ConversationStart {
  /** Ids of new nodes; see `timeSortedIds`. */
  readonly ids: IdSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly title?: string;
  readonly cwd?: string;
}

/** Where a conversation begins: the event of its journal that makes the root. */
export function firstEvent(
  options: ConversationStart,
): Extract<ConversationEvent, { type: "session_started" }> {
  const id = options.ids();
  const payload = {
    kind: "task_boundary",
    name: options.title ?? "",
    transformation: { kind: "clear" },
  } as const;
  return {
    type: "session_started",
    sessionId: id,
    root: { id, parentId: null, timestamp: options.now(), payload },
    ...defined({ title: options.title, cwd: options.cwd }),
  };
}
