import type { ConversationContext, TurnNode } from "../values/node.js";
import { downwards, upwards } from "./path.js";

/** What is drawn below one node. */
export interface NodeLine {
  /** The node that goes on at the same depth, if any. */
  readonly main: string | undefined;
  /** First nodes of the branches that leave here. */
  readonly sides: readonly string[];
  /** Nodes between this one and the next that say nothing to anybody: shown as one line. */
  readonly chatter: readonly string[];
}

/** How a tree is drawn. */
export interface TreeShapeOptions {
  /** Whether a task is a branch also where the head stands in it. */
  readonly tasksAside: boolean;
}

/**
 * A conversation's tree as lines that go on and branches that leave them. Chatter, which sessions of other agents
 * bring along (nodes of kinds that no release knows, such as progress reports), is neither: it is no branch where
 * it hangs beside a line, and one line with all that follows on it.
 */
export class TreeShape {
  /** The nodes from the root to the head. */
  readonly onPath = new Set<string>();
  /** Chatter below which there is nothing else. */
  private readonly quiet = new Set<string>();

  constructor(
    readonly context: ConversationContext,
    private readonly options: TreeShapeOptions,
  ) {
    for (const { id } of upwards(context, context.currentNodeId)) this.onPath.add(id);
    const chatter = [...context.nodes.values()].filter((node) => this.isChatter(node));
    // The deepest first, so that what is below a node is known.
    for (const { id: each, childIds } of chatter.sort((one, other) => other.depth - one.depth))
      if (childIds.every((child) => this.quiet.has(child))) this.quiet.add(each);
  }

  /** What is drawn below a node, with the chatter that follows on it. */
  lineOf(node: TurnNode): NodeLine {
    const chatter: string[] = [];
    let { main, sides } = this.split(node, chatter);
    for (let next = this.chatterAt(main); next !== undefined; next = this.chatterAt(main)) {
      const further = this.split(next, chatter, next.id);
      // A node at which something branches has a line of its own.
      if (further.sides.length > 0) break;
      main = further.main;
    }
    return { main, sides, chatter };
  }

  /** The same with chatter as nodes like any other. */
  plainLineOf(node: TurnNode): NodeLine {
    return { ...this.parted(node.childIds), chatter: [] };
  }

  /** The last nodes of all branches, chatter left aside. */
  ends(): readonly TurnNode[] {
    const ends: TurnNode[] = [];
    for (const node of this.context.nodes.values())
      if (!this.quiet.has(node.id) && node.childIds.every((child) => this.quiet.has(child))) ends.push(node);
    return ends;
  }

  /** How many branches there are: a task's that was merged is part of the one that it was merged into. */
  branches(): number {
    const { tasks } = this.context;
    return this.ends().filter(({ id, taskId }) => {
      const task = tasks.get(taskId);
      return task?.outcome !== "complete" || task.tipId !== id;
    }).length;
  }

  /** Whether nothing but chatter stands at a node and below it. */
  isQuiet(nodeId: string): boolean {
    return this.quiet.has(nodeId);
  }

  private chatterAt(id: string | undefined): TurnNode | undefined {
    const node = id === undefined ? undefined : this.context.nodes.get(id);
    return node !== undefined && this.isChatter(node) ? node : undefined;
  }

  /** Where the head stands, or what a person has labelled, is to be seen. */
  private isChatter({ id, payload, metadata }: TurnNode): boolean {
    return payload.kind === "unknown" && metadata.label === undefined && id !== this.context.currentNodeId;
  }

  /** @param chatter gets the node of `self`, and what of its children says nothing. */
  private split(node: TurnNode, chatter: string[], self?: string): Omit<NodeLine, "chatter"> {
    const children = node.childIds.filter((id) => !this.quiet.has(id));
    const { main, sides } = this.parted(children);
    if (self !== undefined && sides.length > 0) return { main, sides };
    if (self !== undefined) chatter.push(self);
    if (children.length < node.childIds.length) this.takeQuiet(node, chatter);
    return { main, sides };
  }

  private parted(children: readonly string[]): Omit<NodeLine, "chatter"> {
    const plain = this.options.tasksAside ? children.filter((id) => !this.isTask(id)) : children;
    const main = plain.find((id) => this.onPath.has(id)) ?? plain.at(-1);
    return { main, sides: children.filter((id) => id !== main) };
  }

  private takeQuiet(node: TurnNode, chatter: string[]): void {
    for (const child of node.childIds.filter((id) => this.quiet.has(id)))
      for (const { id } of downwards(this.context, child)) chatter.push(id);
  }

  private isTask(id: string): boolean {
    return this.context.nodes.get(id)?.payload.kind === "task_boundary";
  }
}

/** Chatter in a few words, such as `1,367 lines of chatter: claude:progress 1,300, claude:queue 67`. */
export function chatterWords(context: ConversationContext, ids: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const payload = context.nodes.get(id)?.payload;
    const type = payload?.kind === "unknown" ? payload.type : "other";
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const kinds = [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  const named = kinds.slice(0, mostKinds).map(([type, count]) => `${type} ${number(count)}`);
  const more = kinds.length > mostKinds ? [`${number(kinds.length - mostKinds)} more kinds`] : [];
  const lines = ids.length === 1 ? "1 line" : `${number(ids.length)} lines`;
  return `${lines} of chatter: ${[...named, ...more].join(", ")}`;
}

const mostKinds = 4;

function number(count: number): string {
  return count.toLocaleString("en");
}
