import { defined } from "../../text/index.js";
import { noSuchNode, unprunedNode } from "../tree/checks.js";
import { type FileTransition, transitionsAlong } from "../tree/file-transitions.js";
import { byPath, type Manifests } from "../tree/manifest.js";
import { commonAncestor, isOnPath, nodeOf, nodesBelow, upwards } from "../tree/path.js";
import { basisOf, inOrder, type TreeWrite, type TreeWrites, writesInTree } from "../tree/tree-writes.js";
import { effectsOf, type FileNaming, type FileStateHash } from "../values/file-effects.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import { type ConversationRefusal, isRefusal, refuse } from "../values/refusal.js";

/** Between which nodes the files are moved. */
export type RestoreDirection =
  | {
      /** The node whose files are on the disk, as far as the conversation knows: the head. */
      readonly fromId: string;
      readonly toId: string;
      /** The node after which other branches' writes are taken back; `toId` unless given. */
      readonly since?: string;
    }
  | {
      /** The head, which stays there: only the files become what they were at another node. */
      readonly fromId: string;
      readonly stateOf: string;
    }
  | {
      readonly fromId: string;
      /** A `restore` node on the path of `fromId`: it and all that was done after it is taken back. */
      readonly undoes: string;
    };

/** A file that differs between the two nodes, before anybody looked at the disk. */
export interface DifferingFile {
  readonly path: string;
  /** How the conversation left it, as far as it knows. */
  readonly left: FileStateHash | undefined;
  readonly wanted: FileStateHash | undefined;
  readonly ours: boolean;
  readonly others: boolean;
  /** Neither path names it: a branch beside them wrote it. */
  readonly aside?: true;
}

/** What differs between two nodes, as far as the conversation knows. */
interface RestoreDiff {
  readonly fromId: string;
  readonly toId: string;
  readonly undoes?: string;
  readonly stateOf?: string;
  /** Sorted by path. */
  readonly files: readonly DifferingFile[];
  /** What the conversation did to files on all branches. */
  readonly writes: TreeWrites;
}

/** `unknown_node`, `pruned_node`, or `invalid_arguments` for an undo of what is no restore above. */
export function diffOf(
  context: ConversationContext,
  direction: RestoreDirection,
  manifests: Manifests,
): RestoreDiff | ConversationRefusal {
  if ("undoes" in direction) return diffBack(context, direction, manifests);
  if ("toId" in direction) return diffTo(context, direction, manifests);
  const { fromId, stateOf } = direction;
  const diff = diffTo(context, { fromId, toId: stateOf }, manifests);
  return isRefusal(diff) ? diff : { ...diff, toId: fromId, stateOf };
}

/** Up to the common ancestor, taking back one branch, and down again, redoing the other. */
function diffTo(
  context: ConversationContext,
  { fromId, toId, since = toId }: { readonly fromId: string; readonly toId: string; readonly since?: string },
  manifests: Manifests,
): RestoreDiff | ConversationRefusal {
  const flaw = flawOf(context, fromId, toId);
  if (flaw !== undefined) return flaw;
  const { id } = commonAncestor(context, fromId, toId);
  const base = manifests.at(context, id);
  const there = manifests.at(context, toId);
  const { naming } = manifests;
  const writes = writesInTree(context, naming);
  const terms = { naming, before: (path: string) => base.get(path), isOurs: leftBy(writes) };
  const back = transitionsAlong(context, nodesBelow(context, id, fromId), terms);
  const forth = transitionsAlong(context, nodesBelow(context, id, toId), terms);
  const beside = writesBeside(context, writes, { fromId, toId, since });
  // Between two branches each has the files that it made itself; on one path they are those that stood there.
  const isAbove = isOnPath(context, toId, fromId);
  const stood = isAbove
    ? stoodThere(context, writes, { toId, since, naming })
    : new Map<string, FileStateHash>();
  const files: DifferingFile[] = [];
  for (const path of new Set([...back.keys(), ...forth.keys(), ...beside.keys()])) {
    const state = stood.has(path) ? stood.get(path) : there.get(path);
    const known = { back: back.get(path), forth: forth.get(path), there: state };
    const file = difference(context, path, known, beside.get(path), writes.get(path)?.at(-1));
    if (file !== undefined) files.push(file);
  }
  return { fromId, toId, writes, files: files.sort(byPath) };
}

function leftBy(writes: TreeWrites): (path: string, state: FileStateHash) => boolean {
  return (path, state) => writes.get(path)?.some(({ after }) => after === state) === true;
}

/** What branches that do not lead to a node did to a file after it. */
interface Beside {
  readonly first: FileStateHash | undefined;
  readonly last: FileStateHash;
  readonly firstNode: TurnNode;
  readonly lastNode: TurnNode;
  /** Somebody else wrote in between. */
  readonly others: boolean;
  /** Whether any of it stands beside the path that is left as well, which tells its own itself. */
  readonly isElsewhere: boolean;
}

/**
 * By file, what was written after a node on branches that do not lead to it. What was written before stood on the disk
 * when the node was made, and is left.
 */
function writesBeside(
  context: ConversationContext,
  writes: TreeWrites,
  { fromId, toId, since }: { readonly fromId: string; readonly toId: string; readonly since: string },
): ReadonlyMap<string, Beside> {
  const standing = basisOf(context, toId);
  const left = basisOf(context, fromId);
  const begin = nodeOf(context, since);
  const beside = new Map<string, Beside>();
  for (const [path, each] of writes) {
    const later = each.filter(({ node }) => !standing.has(node.id) && inOrder(node, begin) > 0);
    const [first, last] = [later.at(0), later.at(-1)];
    if (first === undefined || last === undefined) continue;
    const others = later.some((write, at) => isGap(later[at - 1], write));
    beside.set(path, {
      first: first.before,
      last: last.after,
      firstNode: first.node,
      lastNode: last.node,
      others,
      isElsewhere: later.some(({ node }) => !left.has(node.id)),
    });
  }
  return beside;
}

/**
 * By file, what a branch that does not lead to a node had left on the disk when the node was made, where the way to the
 * node says nothing later of it: the head had gone on without the files (`keep`), and they stood as that branch had
 * left them.
 */
function stoodThere(
  context: ConversationContext,
  writes: TreeWrites,
  { toId, since, naming }: { readonly toId: string; readonly since: string; readonly naming: FileNaming },
): ReadonlyMap<string, FileStateHash> {
  const standing = basisOf(context, toId);
  const begin = nodeOf(context, since);
  const last = new Map<string, TreeWrite>();
  for (const [path, each] of writes) {
    const write = each.findLast(
      ({ node }) => inOrder(node, begin) <= 0 && !standing.has(node.id) && !isOnPath(context, toId, node.id),
    );
    if (write !== undefined) last.set(path, write);
  }
  const stood = new Map([...last].map(([path, { after }]) => [path, after] as const));
  const sought = new Set(last.keys());
  for (const node of upwards(context, toId)) {
    if (sought.size === 0) break;
    for (const effect of effectsOf(node.payload)) {
      const path = naming(effect.path);
      const write = sought.delete(path) ? last.get(path) : undefined;
      if (write !== undefined && inOrder(node, write.node) > 0) stood.delete(path);
    }
  }
  return stood;
}

/** Whether a file was in another state before a write than the one before had left. A late write may be told twice. */
function isGap(one: TreeWrite | undefined, { before, after }: TreeWrite): boolean {
  return one !== undefined && before !== one.after && !(before === one.before && after === one.after);
}

interface KnownOfFile {
  readonly back: FileTransition | undefined;
  readonly forth: FileTransition | undefined;
  /** Its state in the manifest of the node that is gone to. */
  readonly there: FileStateHash | undefined;
}

function difference(
  context: ConversationContext,
  path: string,
  { back, forth, there }: KnownOfFile,
  beside: Beside | undefined,
  newest?: TreeWrite,
): DifferingFile | undefined {
  const isAside = back === undefined && forth === undefined;
  const onPath = back === undefined ? forth?.first : back.last;
  const left = isAside || isLater(context, beside, back) ? beside?.last : onPath;
  const before = isEarlier(context, beside, back) ? beside?.first : back?.first;
  const wanted = there === undefined ? before : there;
  // Where the head had come without the files, they may stand as the branch that is gone to had left them.
  const stood = left !== undefined && left === wanted ? leftSince(context, newest, back) : undefined;
  if (left !== undefined && left === wanted && (stood === undefined || stood === wanted)) return undefined;
  const maker = back !== undefined && back.first !== back.last ? back : forth;
  return {
    path,
    left: stood === undefined ? left : stood,
    wanted,
    ours: maker?.ours === true || beside?.isElsewhere === true || (isAside && beside !== undefined),
    others: maker?.others === true || (isAside && beside?.others === true),
    ...defined({ aside: isAside ? (true as const) : undefined }),
  };
}

/** Whether the branch beside wrote the file after the path that is left spoke of it last. */
function isLater(
  context: ConversationContext,
  beside: Beside | undefined,
  back: FileTransition | undefined,
): boolean {
  if (beside === undefined || back === undefined) return false;
  return inOrder(beside.lastNode, nodeOf(context, back.lastId)) > 0;
}

/** How the newest write of all branches left a file, where it came after what the path that is left says of it. */
function leftSince(
  context: ConversationContext,
  newest: TreeWrite | undefined,
  back: FileTransition | undefined,
): FileStateHash | undefined {
  if (newest === undefined || back === undefined) return undefined;
  const last = nodeOf(context, back.lastId);
  // What a merge tells was done before it.
  return last.payload.kind === "task_summary" || inOrder(newest.node, last) > 0 ? newest.after : undefined;
}

/** Whether it wrote it before that path spoke of it at all. */
function isEarlier(
  context: ConversationContext,
  beside: Beside | undefined,
  back: FileTransition | undefined,
): boolean {
  if (beside === undefined) return false;
  return back === undefined || inOrder(beside.firstNode, nodeOf(context, back.firstId)) < 0;
}

/** The restore and what was done after it, inverted. */
function diffBack(
  context: ConversationContext,
  { fromId, undoes }: { readonly fromId: string; readonly undoes: string },
  { naming }: Manifests,
): RestoreDiff | ConversationRefusal {
  const node = context.nodes.get(undoes);
  if (node === undefined) return noSuchNode(undoes);
  const { payload, parentId } = node;
  if (payload.kind !== "restore" || parentId === null || !isOnPath(context, undoes, fromId))
    return refuse("invalid_arguments", "Only a restore on the path to the head can be taken back.");
  const flaw = flawOf(context, fromId, payload.fromId);
  if (flaw !== undefined) return flaw;
  const nodes = nodesBelow(context, parentId, fromId);
  const writes = writesInTree(context, naming);
  // What the restore left alone was on the disk then as it is here: no state above it says more.
  const terms = { naming, before: () => undefined, restoreId: payload.restoreId, isOurs: leftBy(writes) };
  const transitions = transitionsAlong(context, nodes, terms);
  const files: DifferingFile[] = [];
  for (const [path, back] of transitions) {
    const known = { back, forth: undefined, there: undefined };
    const file = difference(context, path, known, undefined);
    if (file !== undefined) files.push(file);
  }
  const ends = { fromId, toId: payload.fromId, undoes: payload.restoreId };
  return { ...ends, writes, files: files.sort(byPath) };
}

/** Refuses a node that is missing, and a destination that was pruned. */
function flawOf(context: ConversationContext, fromId: string, toId: string): ConversationRefusal | undefined {
  if (!context.nodes.has(fromId)) return noSuchNode(fromId);
  const target = unprunedNode(context, toId);
  return isRefusal(target) ? target : undefined;
}
