import type { InPlaceEdit } from "../../files/seen/index.js";
import type { ConversationContext, TurnNode } from "../values/node.js";
import { nodeOf } from "./path.js";

/**
 * What the nodes from the root down to a node come to, one after the other. A few states are kept, so that
 * a new node costs what is new, and an old one a bounded number of steps; memory is bounded, too.
 */
export class PathFold<State> {
  private readonly recent = new Map<string, State>();
  private readonly checkpoints = new Map<string, State>();

  /**
   * @param initial the state above the root.
   * @param step what a node makes of the state. It may use `edit` for changes in place: states in between
   *   are not kept.
   * @param distance how far checkpoints lie apart on a path.
   */
  constructor(
    private readonly initial: State,
    private readonly step: (state: State, node: TurnNode, edit: InPlaceEdit) => State,
    private readonly distance = 256,
  ) {}

  /** Throws where there is no such node. */
  at(context: ConversationContext, nodeId: string): State {
    const ahead: TurnNode[] = [];
    for (let id: string | null = nodeId; id !== null; ) {
      const map = this.recent.has(id) ? this.recent : this.checkpoints;
      const state = map.get(id);
      if (state !== undefined) {
        keep(map, id, state);
        return this.fold(state, ahead.reverse());
      }
      const node = nodeOf(context, id);
      ahead.push(node);
      id = node.parentId;
    }
    return this.fold(this.initial, ahead.reverse());
  }

  private fold(start: State, nodes: readonly TurnNode[]): State {
    let state = start;
    let edit: InPlaceEdit = { edit: true };
    for (const [at, node] of nodes.entries()) {
      state = this.step(state, node, edit);
      const isCheckpoint = node.depth % this.distance === 0;
      if (!isCheckpoint && at < nodes.length - 1) continue;
      keep(isCheckpoint ? this.checkpoints : this.recent, node.id, state);
      // What is kept must not be changed any more.
      edit = { edit: true };
    }
    return state;
  }
}

const mostKept = 512;

/** The one that was not asked for the longest time goes. */
function keep<State>(map: Map<string, State>, id: string, state: State): void {
  map.delete(id);
  map.set(id, state);
  const [oldest] = map.keys();
  if (map.size > mostKept && oldest !== undefined) map.delete(oldest);
}

/** The files that are tracked at a node, in the order in which they came to be; see `trackedFiles`. */
type TrackedFiles = PathFold<readonly string[]>;

/** For the conversation that asks again and again: it pays for what is new only. */
export function foldTrackedFiles(): TrackedFiles {
  return new PathFold<readonly string[]>([], (tracked, { payload }) => {
    if (payload.kind !== "context_management") return tracked;
    if (payload.action !== "track_file" && payload.action !== "untrack_file") return tracked;
    const others = tracked.filter((path) => path !== payload.path);
    return payload.action === "track_file" ? [...others, payload.path] : others;
  });
}

/** The files that are tracked on the branch of a node. */
export function trackedFiles(
  context: ConversationContext,
  nodeId: string = context.currentNodeId,
  fold: TrackedFiles = foldTrackedFiles(),
): readonly string[] {
  return fold.at(context, nodeId);
}
