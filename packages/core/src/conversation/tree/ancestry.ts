import type { ConversationContext, TurnNode } from "../values/node.js";

/** A node and those above it, up to the root; climbed no further than is asked for. */
export class Ancestry {
  /** From the tip upwards. */
  readonly #climbed: TurnNode[];

  /** @param tip a node of the context, or one that is to be added below a node of it. */
  constructor(
    readonly context: ConversationContext,
    readonly tip: TurnNode,
  ) {
    this.#climbed = [tip];
  }

  /** Throws where there is no such node. */
  static to(context: ConversationContext, tipId: string): Ancestry {
    const tip = context.nodes.get(tipId);
    if (tip === undefined) throw new Error(`there is no node ${tipId} on any path`);
    return new Ancestry(context, tip);
  }

  /** The node of the path at this depth; depths are whole, from 0 to the tip's. */
  nodeAt(depth: number): TurnNode {
    const steps = this.tip.depth - depth;
    let last = this.#climbed[this.#climbed.length - 1] ?? this.tip;
    while (this.#climbed.length <= steps) {
      const parent = last.parentId === null ? undefined : this.context.nodes.get(last.parentId);
      if (parent === undefined) throw new Error(`the path of ${this.tip.id} is broken above ${last.id}`);
      this.#climbed.push(parent);
      last = parent;
    }
    return this.#climbed[steps] ?? last;
  }

  /** The node, if it is on the path. */
  find(nodeId: string): TurnNode | undefined {
    const node = nodeId === this.tip.id ? this.tip : this.context.nodes.get(nodeId);
    if (node === undefined || node.depth > this.tip.depth) return undefined;
    return this.nodeAt(node.depth).id === nodeId ? node : undefined;
  }
}
