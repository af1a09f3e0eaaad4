import { bareName } from "../../files/index.js";
import { type InPlaceEdit, PersistentMap } from "../../files/seen/index.js";
import { effectsOf, type FileNaming, type FileStateHash, remembered } from "../values/file-effects.js";
import type { FileDelta } from "../values/file-facts.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import { transitionsAlong } from "./file-transitions.js";
import { commonAncestor, nodesBelow } from "./path.js";
import { PathFold } from "./path-fold.js";
import { inOrder, lastNamed } from "./tree-writes.js";

/** The states of files that a node implies, by name; of a file that is not in it nothing is known there. */
export type Manifest = PersistentMap<FileStateHash>;

/** The manifests of one conversation: the fold of what the nodes on a path say of files. */
export class Manifests {
  readonly naming: FileNaming;
  private readonly fold: PathFold<Manifest>;

  /**
   * @param naming makes one of several names of a file; see `namesFrom`.
   * @param distance as in `PathFold`.
   */
  constructor(naming: FileNaming = bareName, distance?: number) {
    const name = remembered(naming);
    this.naming = name;
    const step = (manifest: Manifest, { payload }: TurnNode, edit: InPlaceEdit) => {
      let next = manifest;
      for (const { path, after } of effectsOf(payload)) next = next.set(name(path), after, edit);
      return next;
    };
    this.fold = new PathFold<Manifest>(PersistentMap.empty(), step, distance);
  }

  /** Throws where there is no such node. */
  at(context: ConversationContext, nodeId: string): Manifest {
    return this.fold.at(context, nodeId);
  }
}

/**
 * What the tools did to files on the way down to a node, from the state that they found: others' work before it, and
 * files that only others changed, are not among it. Sorted by path.
 *
 * @param fromId a node above.
 * @param onto where it is told, if not here: what was left otherwise there since then stands, and is not among it.
 */
export function filesMade(
  context: ConversationContext,
  fromId: string,
  toId: string,
  manifests = new Manifests(),
  onto?: Onto,
): readonly FileDelta[] {
  const base = manifests.at(context, fromId);
  const transitions = transitionsAlong(context, nodesBelow(context, fromId, toId), {
    naming: manifests.naming,
    before: (path) => base.get(path),
  });
  const deltas: FileDelta[] = [];
  for (const [path, { before, ours, last }] of transitions) {
    if (ours && before !== undefined && before !== last) deltas.push({ path, from: before, to: last });
  }
  const standing = onto === undefined ? deltas : stillSo(context, deltas, toId, onto, manifests.naming);
  return standing.toSorted(byPath);
}

/** The node below which the work of another branch is told, and what becomes of the files then. */
export interface Onto {
  readonly nodeId: string;
  /** `follow`: what was only put back there, with a move of the head, is made again. */
  readonly files: "stay" | "follow";
}

/** Two branches may have written one file in turn: it is as the later one left it, whichever is merged into which. */
function stillSo(
  context: ConversationContext,
  deltas: readonly FileDelta[],
  toId: string,
  { nodeId, files }: Onto,
  naming: FileNaming,
): readonly FileDelta[] {
  if (deltas.length === 0) return deltas;
  const { id } = commonAncestor(context, toId, nodeId);
  const there = lastNamed(context, id, nodeId, { naming, which: files === "follow" ? "own" : "all" });
  if (there.size === 0) return deltas;
  const made = lastNamed(context, id, toId, { naming });
  return deltas.filter(({ path, to }) => {
    const [ours, theirs] = [made.get(path), there.get(path)];
    return (
      ours === undefined || theirs === undefined || theirs.after === to || inOrder(theirs.node, ours.node) < 0
    );
  });
}

/** By code units: the same order everywhere. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}
