import { bareName } from "../files/index.js";
import { effectsOf, type FileNaming, type FileStateHash } from "./file-effects.js";
import { storiesAlong } from "./file-stories.js";
import type { ConversationContext, TurnNode } from "./node.js";
import type { FileDelta } from "./payload.js";
import { type Edit, PersistentMap } from "./persistent-map.js";
import { commonAncestor, nodeOf, nodesBelow } from "./tree-paths.js";

/** The states of files that a node implies, by name; of a file that is not in it nothing is known there. */
export type Manifest = PersistentMap<FileStateHash>;

/**
 * The manifests of one conversation: the fold of what the nodes on a path say of files. A few are kept, so
 * that the manifest of a new node costs what is new, and that of an old one a bounded number of steps.
 */
export class Manifests {
  private readonly recent = new Map<string, Manifest>();
  private readonly checkpoints = new Map<string, Manifest>();

  /**
   * @param naming makes one of several names of a file; see `namesFrom`.
   * @param steps how far checkpoints lie apart on a path.
   */
  constructor(
    readonly naming: FileNaming = bareName,
    private readonly steps = 256,
  ) {}

  /** Throws where there is no such node. */
  at(context: ConversationContext, nodeId: string): Manifest {
    const ahead: TurnNode[] = [];
    let manifest: Manifest | undefined;
    for (let id: string | null = nodeId; id !== null && manifest === undefined; ) {
      manifest = this.kept(id);
      if (manifest !== undefined) break;
      const node = nodeOf(context, id);
      ahead.push(node);
      id = node.parentId;
    }
    return this.fold(manifest ?? PersistentMap.empty(), ahead.reverse());
  }

  private fold(start: Manifest, nodes: readonly TurnNode[]): Manifest {
    let manifest = start;
    let edit: Edit = { edit: true };
    for (const [at, { id, depth, payload }] of nodes.entries()) {
      for (const { path, after } of effectsOf(payload)) {
        manifest = manifest.set(this.naming(path), after, edit);
      }
      const isCheckpoint = depth % this.steps === 0;
      if (!isCheckpoint && at < nodes.length - 1) continue;
      keep(isCheckpoint ? this.checkpoints : this.recent, id, manifest);
      // What is kept must not be changed any more.
      edit = { edit: true };
    }
    return manifest;
  }

  private kept(id: string): Manifest | undefined {
    for (const map of [this.recent, this.checkpoints]) {
      const manifest = map.get(id);
      if (manifest === undefined) continue;
      keep(map, id, manifest);
      return manifest;
    }
    return undefined;
  }
}

/**
 * What became of files on the way down to a node, by our tools or by others: the net changes, sorted by
 * path. A file whose earlier state nobody knew is left out, since nothing true can be said of the change.
 *
 * @param fromId a node above; where it is none, the way counts from the last node that both share.
 */
export function filesChanged(
  context: ConversationContext,
  fromId: string,
  toId: string,
  manifests = new Manifests(),
): readonly FileDelta[] {
  const { id } = commonAncestor(context, fromId, toId);
  const base = manifests.at(context, id);
  const stories = storiesAlong(context, nodesBelow(context, id, toId), {
    naming: manifests.naming,
    before: (path) => base.get(path),
  });
  const deltas: FileDelta[] = [];
  for (const [path, { first, last }] of stories) {
    if (first !== undefined && first !== last) deltas.push({ path, from: first, to: last });
  }
  return deltas.sort(byPath);
}

/** By code units: the same order everywhere. */
export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

const mostKept = 512;

/** The one that was not asked for the longest time goes. */
function keep(map: Map<string, Manifest>, id: string, manifest: Manifest): void {
  map.delete(id);
  map.set(id, manifest);
  const [oldest] = map.keys();
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest);
}
