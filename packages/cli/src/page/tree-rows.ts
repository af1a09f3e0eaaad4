import { type ConversationContext, pathTo, type TurnNode } from "@holdfast/core";

/** One line of the tree. */
export interface TreeRow {
  readonly node: TurnNode;
  /** How many branches it lies inside; the path to the head lies in none. */
  readonly indent: number;
  /** Of the accessibility tree: a branch's first node is the parent of those that follow it. */
  readonly level: number;
  /** Whether it begins a branch beside the path it leaves. */
  readonly startsBranch: boolean;
  /** How many branches leave the path here. */
  readonly forks: number;
  /** Nodes that are folded away below it; `undefined` where it cannot be folded. */
  readonly folded: number | false | undefined;
}

/** Which part of a tree is shown. */
export interface TreeView {
  /** Nodes that are folded: of a branch's first node the rest of it, of others the branches that leave there. */
  readonly folded: ReadonlySet<string>;
  /** Only these nodes, where it is given. */
  readonly shows?: (node: TurnNode) => boolean;
}

/**
 * The tree as lines. What leads to the head goes straight down; a branch that leaves it is set in, and
 * stands before what follows on the path.
 */
export function treeRows(context: ConversationContext, view: TreeView): readonly TreeRow[] {
  const onPath = pathToHead(context);
  const rows: TreeRow[] = [];
  const ahead: PendingRow[] = [{ id: context.rootNode.id, indent: 0, startsBranch: true }];
  for (let row = ahead.pop(); row !== undefined; row = ahead.pop()) {
    const node = context.nodes.get(row.id);
    if (node === undefined) continue;
    const main = node.childIds.find((id) => onPath.has(id)) ?? node.childIds.at(-1);
    const sides = node.childIds.filter((id) => id !== main);
    const isFolded = view.folded.has(node.id) && view.shows === undefined;
    const hidesAll = row.startsBranch && row.indent > 0;
    const foldable = (hidesAll && node.childIds.length > 0) || sides.length > 0;
    if (view.shows === undefined || view.shows(node)) {
      const hidden = hidesAll ? node.childIds : sides;
      rows.push({
        node,
        indent: row.indent,
        level: 2 * row.indent + (row.startsBranch ? 1 : 2),
        startsBranch: row.startsBranch,
        forks: sides.length,
        folded: !foldable ? undefined : isFolded && countBelow(context, hidden),
      });
    }
    if (isFolded && hidesAll) continue;
    if (main !== undefined) ahead.push({ id: main, indent: row.indent, startsBranch: false });
    if (isFolded) continue;
    for (const id of sides.toReversed()) ahead.push({ id, indent: row.indent + 1, startsBranch: true });
  }
  return rows;
}

interface PendingRow {
  readonly id: string;
  readonly indent: number;
  readonly startsBranch: boolean;
}

/** The nodes from the root to the head. */
export function pathToHead(context: ConversationContext): ReadonlySet<string> {
  return new Set(pathTo(context, context.currentNodeId).map(({ id }) => id));
}

/** The folded nodes above this one, which have to be opened to see it. */
export function foldsAbove(
  context: ConversationContext,
  folded: ReadonlySet<string>,
  nodeId: string,
): readonly string[] {
  return pathTo(context, nodeId)
    .slice(0, -1)
    .map(({ id }) => id)
    .filter((id) => folded.has(id));
}

/**
 * The first node of the branch before or after the one on which a node stands, round and round; `undefined`
 * where nothing branches above it.
 */
export function neighbourBranch(
  context: ConversationContext,
  nodeId: string,
  step: 1 | -1,
): string | undefined {
  let node = context.nodes.get(nodeId);
  while (node !== undefined) {
    const parent = parentOf(context, node);
    const siblings = parent?.childIds ?? [];
    if (siblings.length > 1) return siblings.at((siblings.indexOf(node.id) + step) % siblings.length);
    node = parent;
  }
  return undefined;
}

function parentOf(context: ConversationContext, { parentId }: TurnNode): TurnNode | undefined {
  return parentId === null ? undefined : context.nodes.get(parentId);
}

function countBelow(context: ConversationContext, ids: readonly string[]): number {
  const ahead = [...ids];
  let count = 0;
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    count += 1;
    ahead.push(...(context.nodes.get(id)?.childIds ?? []));
  }
  return count;
}
