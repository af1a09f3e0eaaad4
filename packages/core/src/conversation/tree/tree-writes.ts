import { changeOf, effectsOf, type FileNaming, type FileStateHash } from "../values/file-effects.js";
import type { FileEffect } from "../values/file-facts.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import { branchOf, nodesBelow, upwards } from "./path.js";

/** A change of a file by a tool of ours or by a restore, on whichever branch it stands. */
export interface TreeWrite {
  readonly node: TurnNode;
  /** Undefined where nobody knew it. */
  readonly before: FileStateHash | undefined;
  readonly after: FileStateHash;
}

/** What the conversation did to files, by file, in the order of the journal. */
export type TreeWrites = ReadonlyMap<string, readonly TreeWrite[]>;

/** All branches of the tree are looked through; what a merge tells once more is left out. */
export function writesInTree(context: ConversationContext, naming: FileNaming): TreeWrites {
  const writes = new Map<string, TreeWrite[]>();
  for (const node of context.nodes.values()) {
    for (const { path, before, after } of changesOf(node)) {
      const name = naming(path);
      const known = writes.get(name);
      if (known === undefined) writes.set(name, [{ node, before, after }]);
      else known.push({ node, before, after });
    }
  }
  for (const each of writes.values()) each.sort((one, other) => inOrder(one.node, other.node));
  return writes;
}

function changesOf({ payload }: TurnNode): readonly FileEffect[] {
  if (payload.kind === "task_summary") return none;
  if (payload.kind === "restore") return payload.files.map(changeOf);
  return effectsOf(payload).filter(({ by, before, after }) => by === "tool" && before !== after);
}

const none: readonly FileEffect[] = [];

/**
 * As the journal has them. Their times say less: a clock may be put back, between two sessions and within one. Only what
 * was imported is by its times: a subagent's transcript stands in the journal behind all that went on beside it.
 */
export function inOrder(one: TurnNode, other: TurnNode): number {
  const byTime = isImported(one) && isImported(other) ? one.timestamp - other.timestamp : 0;
  return byTime === 0 ? one.order - other.order : byTime;
}

function isImported({ metadata }: TurnNode): boolean {
  return metadata.provenance?.source?.startsWith("import:") === true;
}

/** What a node says of the state of a file. */
interface NamedState {
  readonly node: TurnNode;
  readonly after: FileStateHash;
}

/**
 * By file, what was said of it last on the way down to a node and on the branches that were merged there, in the order of
 * the journal: what a merge tells once more was said before.
 *
 * @param which `own`: not what a restore put back, that moved the head as well.
 */
export function lastNamed(
  context: ConversationContext,
  aboveId: string,
  nodeId: string,
  { naming, which = "all" }: { readonly naming: FileNaming; readonly which?: "all" | "own" },
): ReadonlyMap<string, NamedState> {
  const last = new Map<string, NamedState>();
  for (const node of workBelow(context, aboveId, nodeId)) {
    if (which === "own" && isMoveBack(node)) continue;
    for (const { path, after } of effectsOf(node.payload)) {
      const name = naming(path);
      const known = last.get(name);
      if (known === undefined || inOrder(known.node, node) <= 0) last.set(name, { node, after });
    }
  }
  return last;
}

/** Without recursion: branches may merge others deeper than any call stack. */
function* workBelow(context: ConversationContext, aboveId: string, nodeId: string): Generator<TurnNode> {
  const merged = new Set<string>();
  const ahead = [nodesBelow(context, aboveId, nodeId)];
  for (let nodes = ahead.pop(); nodes !== undefined; nodes = ahead.pop()) {
    for (const node of nodes) {
      const { payload } = node;
      if (payload.kind !== "task_summary") yield node;
      else if (!merged.has(payload.taskId)) {
        merged.add(payload.taskId);
        ahead.push(branchOf(context, payload));
      }
    }
  }
}

function isMoveBack({ payload }: TurnNode): boolean {
  return payload.kind === "restore" && payload.fromId !== payload.toId;
}

/** The nodes whose work a node stands on: those above it, and the branches of the tasks that were merged there. */
export function basisOf(context: ConversationContext, nodeId: string): ReadonlySet<string> {
  const standing = new Set<string>();
  const ahead = [nodeId];
  for (let from = ahead.pop(); from !== undefined; from = ahead.pop()) {
    for (const { id, payload } of upwards(context, from)) {
      if (standing.has(id)) break;
      standing.add(id);
      if (payload.kind === "task_summary") ahead.push(payload.tipId);
    }
  }
  return standing;
}
