import type { Workspace } from "../../files/index.js";
import type { CallerWrite } from "../../files/values/index.js";
import { defined, escapeForDisplay, shortHash } from "../../text/index.js";
import type { ContextManager } from "../tree/manager.js";
import { Manifests } from "../tree/manifest.js";
import { callOf, isOnPath } from "../tree/path.js";
import { lastOfAnswer } from "../tree/path-knowledge.js";
import { basisOf, writesInTree } from "../tree/tree-writes.js";
import { isOpen } from "../values/exchange.js";
import type { FileNaming, FileStateHash } from "../values/file-effects.js";
import type { FileEffect } from "../values/file-facts.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import type { ToolCall, TurnPayload } from "../values/payload.js";
import { type ConversationRefusal, isRefusal } from "../values/refusal.js";
import { type FileMaker, makerOf, makerWords } from "./file-makers.js";
import type { RestoreDisk } from "./restore-plan.js";

/** The conversation in which writes are settled: a `ContextManager`. */
type SettlingJournal = Pick<
  ContextManager,
  "context" | "readOnly" | "addNode" | "flush" | "manifests" | "running"
>;

/** What the writes of calls without a result came to. */
export interface SettledWrites {
  readonly kind: "settled";
  /** What was added, in this order: a result where the call still waited for one, else a note to the model. */
  readonly nodes: readonly TurnNode[];
  /** Writes of which no node can tell now: the head, too, stands in a branch that was pruned. */
  readonly left: readonly CallerWrite[];
}

/**
 * Makes nodes of writes that this conversation made and of which it does not tell: the process was killed, or the user
 * spoke, before a result was there. To be done when a conversation is opened for writing, before the next turn
 * (`openConversation` does it where it is given the files). Done twice it does no more than once. Calls that
 * `carryOut` is still carrying out are left to it.
 *
 * @returns why nothing can be added, or what the store refuses.
 */
export async function settleWrites(
  manager: SettlingJournal,
  workspace: Pick<Workspace, "callerWrites">,
): Promise<SettledWrites | ConversationRefusal> {
  if (manager.readOnly !== undefined) return manager.readOnly;
  const writes = await workspace.callerWrites(manager.context.sessionId);
  const untold = untoldWrites(manager, writes);
  const nodes: TurnNode[] = [];
  const left: CallerWrite[] = [];
  for (const group of untold.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const files = group.map(({ path, before, after }): FileEffect => ({ path, before, after, by: "tool" }));
    const there = settle(manager, idOf(first), files);
    // Its branch was pruned, but the file is so where the conversation goes on.
    const node =
      isRefusal(there) && there.code === "pruned_node" ? settleHere(manager, idOf(first), files) : there;
    if (!isRefusal(node)) nodes.push(node);
    else if (node.code === "pruned_node") left.push(...group);
    else return node;
  }
  const flushed = nodes.length === 0 ? undefined : await manager.flush();
  return flushed !== undefined && isRefusal(flushed) ? flushed : { kind: "settled", nodes, left };
}

/**
 * Tells of what a call did whose result cannot be added any more, or stands beside the path of the head: what
 * `carryOut` does with a late one.
 *
 * @param callNodeId the node of the call. @param files what it did; only changes by our tool are told.
 * @returns the node, or why none can be added; undefined where nothing was changed.
 */
export function settleLate(
  manager: Pick<ContextManager, "context" | "addNode">,
  callNodeId: string,
  files: readonly FileEffect[],
): TurnNode | ConversationRefusal | undefined {
  const changes = files.flatMap(({ path, before, after, by, from }): readonly FileEffect[] =>
    by === "tool" && before !== after
      ? [
          {
            path,
            after,
            by,
            ...defined({ before, from }),
          },
        ]
      : [],
  );
  return changes.length === 0 ? undefined : settle(manager, callNodeId, changes);
}

function idOf({ caller }: CallerWrite): string {
  return "call" in caller ? caller.call : caller.restore;
}

/** By what made them, in the order of the first write of each. */
function untoldWrites(
  { context, manifests, running }: SettlingJournal,
  writes: readonly CallerWrite[],
): ReadonlyMap<string, readonly CallerWrite[]> {
  const untold = new Map<string, CallerWrite[]>();
  if (writes.length === 0) return untold;
  const told = toldIn(context, manifests.naming);
  const standing = basisOf(context, context.currentNodeId);
  const isTold = (write: CallerWrite) => {
    const key = keyOf(manifests.naming(write.path), write);
    // A result that came after the user had spoken stands on a branch of its own.
    const counts = ({ nodeId, keys }: ToldWrites) =>
      keys === "all" || (keys.has(key) && (standing.has(nodeId) || !standing.has(idOf(write))));
    return told.get(idOf(write))?.some(counts) === true;
  };
  const later = new Set<string>();
  // From the newest: what a write that is told of came after is not the state of the file any more.
  const open = writes.toReversed().filter((write) => {
    const isOver = later.has(write.path);
    if (isTold(write)) later.add(write.path);
    const isRunning = running.has(idOf(write)) || idOf(write) === context.pendingRestore?.restoreId;
    return !isTold(write) && !isOver && !isRunning && write.before !== write.after;
  });
  for (const write of inOrderOfTime(open.reverse()))
    untold.set(idOf(write), [...(untold.get(idOf(write)) ?? []), write]);
  return untold;
}

/** Those of one file stay in their order, also where the clock was put back between them. */
function inOrderOfTime(writes: readonly CallerWrite[]): readonly CallerWrite[] {
  const latest = new Map<string, number>();
  const timed = writes.map((write) => {
    const time = Math.max(write.time, latest.get(write.path) ?? write.time);
    latest.set(write.path, time);
    return { write, time };
  });
  return timed.toSorted((one, other) => one.time - other.time).map(({ write }) => write);
}

/** What a node tells of the writes of a call or a restore. */
interface ToldWrites {
  readonly nodeId: string;
  readonly keys: ReadonlySet<string> | "all";
}

function toldIn(
  context: ConversationContext,
  naming: FileNaming,
): ReadonlyMap<string, readonly ToldWrites[]> {
  const told = new Map<string, ToldWrites[]>();
  const add = (about: string, one: ToldWrites) => told.set(about, [...(told.get(about) ?? []), one]);
  for (const node of context.nodes.values()) {
    const { id: nodeId, payload } = node;
    if (payload.kind === "restore") add(payload.restoreId, { nodeId, keys: "all" });
    if (payload.kind !== "tool_result" && payload.kind !== "note") continue;
    const about = payload.kind === "note" ? payload.settles : callOf(context, node)?.id;
    if (about === undefined || payload.files === undefined) continue;
    add(about, { nodeId, keys: new Set(payload.files.map((effect) => keyOf(naming(effect.path), effect))) });
  }
  return told;
}

function keyOf(
  path: string,
  { before, after }: { readonly before?: FileStateHash; readonly after: FileStateHash },
): string {
  return JSON.stringify([path, before ?? null, after]);
}

function settle(
  manager: Pick<ContextManager, "context" | "addNode">,
  id: string,
  files: readonly FileEffect[],
): TurnNode | ConversationRefusal {
  const { context } = manager;
  const node = context.nodes.get(id);
  const call = node?.payload.kind === "tool_call" ? node.payload : undefined;
  if (node === undefined || call === undefined) return settleHere(manager, id, files);
  const { currentNodeId } = context;
  const last = lastOfAnswer(context, id);
  const isHere = basisOf(context, currentNodeId).has(id);
  const waits = isOpen(last.exchange, node);
  // Below the call itself it would stand beside the head's path, where the user has spoken since.
  if (waits && (!isHere || last.id === currentNodeId)) return manager.addNode(resultOf(call, files), last.id);
  return manager.addNode(noteOf(call, id, files), isHere ? currentNodeId : tipOf(context, node));
}

function settleHere(
  manager: Pick<ContextManager, "addNode">,
  settles: string,
  files: readonly FileEffect[],
): TurnNode | ConversationRefusal {
  const text = `Work of this conversation that it had not recorded was found: ${told(files)}.`;
  return manager.addNode({ kind: "note", audience: "model", text, files, settles });
}

/** It is not known how the call ended: only what it did to files. */
function resultOf({ callId, name }: ToolCall, files: readonly FileEffect[]): TurnPayload {
  const output = `interrupted: the result of this call was lost, but it took effect: ${told(files)}. Do not repeat it; read what you need.`;
  return { kind: "tool_result", callId, name, output, files };
}

function noteOf({ name }: ToolCall, settles: string, files: readonly FileEffect[]): TurnPayload {
  const text = `The call of ${escapeForDisplay(name)} that was interrupted took effect all the same: ${told(files)}.`;
  return { kind: "note", audience: "model", text, files, settles };
}

function told(files: readonly FileEffect[]): string {
  const listed = files.slice(0, mostListed).map(({ path, before, after }) => {
    const state =
      after === null ? "deleted" : before === null ? "created" : `changed, now ${shortHash(after)}`;
    return `${escapeForDisplay(path)} (${state})`;
  });
  const more = files.length - listed.length;
  return [...listed, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

const mostListed = 20;

/** Where the branch of a call ends. */
function tipOf(context: ConversationContext, { id, taskId }: TurnNode): string {
  const tip = context.tasks.get(taskId)?.tipId;
  if (tip !== undefined && isOnPath(context, id, tip)) return tip;
  let last = id;
  for (let next = context.nodes.get(last)?.childIds.at(-1); next !== undefined; ) {
    last = next;
    next = context.nodes.get(last)?.childIds.at(-1);
  }
  return last;
}

/** A file that is not as the conversation has it where the head stands. */
export interface DriftedFile {
  readonly path: string;
  /** By the manifest. */
  readonly expected: FileStateHash;
  /** On the disk; undefined where it cannot be told. */
  readonly found: FileStateHash | undefined;
  /** Who left it so. */
  readonly by: FileMaker;
  /** For a person. */
  readonly message: string;
}

/**
 * The files that are not as the manifest of a node says, and who left them so; sorted by path. Each file of the
 * manifest is hashed.
 *
 * @param nodeId the head unless given.
 */
export async function driftedFiles(
  context: ConversationContext,
  disk: RestoreDisk,
  manifests = new Manifests(),
  nodeId = context.currentNodeId,
): Promise<readonly DriftedFile[]> {
  const expected = [...manifests.at(context, nodeId)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const statuses = await disk.fileStates(
    expected.map(([path]) => path),
    expected.map(([, sha256]) => sha256 ?? undefined),
  );
  const apart = expected
    .map(([path, sha256], at) => ({ path, sha256, status: statuses[at] }))
    .filter(({ sha256, status }) => status?.sha256 !== sha256);
  const last = await disk.lastWrites?.(apart.map(({ path }) => path));
  const writes = apart.length === 0 ? new Map() : writesInTree(context, manifests.naming);
  return apart.map(({ path, sha256, status }, at) => {
    const found = status?.sha256;
    const by = makerOf(context, {
      state: found,
      writes: writes.get(path) ?? [],
      last: last === undefined ? "unknown" : last[at],
      ...(disk.session === undefined ? {} : { session: disk.session }),
    });
    const message =
      found === undefined
        ? (status?.barred?.message ?? "What stands there cannot be told.")
        : `The file is not as the conversation has it here: ${makerWords(by)} ${found === null ? "deleted" : "changed"} it.`;
    return { path, expected: sha256, found, by, message };
  });
}
