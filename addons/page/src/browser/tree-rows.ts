import { pathTo, type TreeShape } from "@holdfast/core/conversation";
import type { ConversationContext, TurnNode } from "@holdfast/core/conversation/values";

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
  /** Of a line that stands for chatter: its nodes, of which `node` is the first. */
  readonly chatter?: readonly string[];
  /** Nodes that are folded away below it; `undefined` where it cannot be folded. */
  readonly folded: number | false | undefined;
}

/** Which part of a tree is shown. */
interface TreeView {
  /** Nodes that are folded: of a branch's first node the rest of it, of others the branches that leave there. */
  readonly folded: ReadonlySet<string>;
  /** First nodes of chatter that is shown node by node. */
  readonly opened: ReadonlySet<string>;
  /** Only these nodes, where it is given. */
  readonly shows?: (node: TurnNode) => boolean;
  /** Nodes that stand in the row of another one, unless something branches there. */
  readonly within?: (node: TurnNode) => boolean;
}

/**
 * The tree as lines. What leads to the head goes straight down; a branch that leaves it is set in, and
 * stands before what follows on the path.
 */
export function treeRows(shape: TreeShape, view: TreeView): readonly TreeRow[] {
  const { context } = shape;
  const rows: TreeRow[] = [];
  const ahead: PendingRow[] = [{ id: context.rootNode.id, indent: 0, startsBranch: true }];
  for (let row = ahead.pop(); row !== undefined; row = ahead.pop()) {
    const node = context.nodes.get(row.id);
    if (node === undefined) continue;
    const { main, sides, chatter } = view.shows === undefined ? shape.lineOf(node) : shape.plainLineOf(node);
    const isFolded = view.folded.has(node.id) && view.shows === undefined;
    const hidesAll = row.startsBranch && row.indent > 0;
    const below = hidesAll ? [...(main === undefined ? [] : [main]), ...sides] : sides;
    const isWithin = sides.length === 0 && !row.startsBranch && view.within?.(node) === true;
    if (view.shows === undefined ? !isWithin : view.shows(node)) {
      const folded = below.length === 0 ? undefined : isFolded && countBelow(context, below);
      rows.push({ node, ...placeOf(row), startsBranch: row.startsBranch, forks: sides.length, folded });
    }
    if (isFolded && hidesAll) continue;
    addChatter(rows, context, chatter, row, view);
    if (main !== undefined) ahead.push({ id: main, indent: row.indent, startsBranch: false });
    if (isFolded) continue;
    for (const id of sides.toReversed()) ahead.push({ id, indent: row.indent + 1, startsBranch: true });
  }
  return rows;
}

function placeOf({ indent, startsBranch }: PendingRow): Pick<TreeRow, "indent" | "level"> {
  return { indent, level: 2 * indent + (startsBranch ? 1 : 2) };
}

/** One line, and below it those that it stands for, where they are asked for. */
function addChatter(
  rows: TreeRow[],
  context: ConversationContext,
  chatter: readonly string[],
  { indent }: PendingRow,
  { opened }: TreeView,
): void {
  const [first] = chatter;
  const node = first === undefined ? undefined : context.nodes.get(first);
  if (first === undefined || node === undefined) return;
  const place = placeOf({ id: first, indent, startsBranch: false });
  const alone = chatter.length === 1;
  const isOpen = opened.has(first);
  const folded = alone ? undefined : !isOpen && chatter.length;
  rows.push({
    node,
    ...place,
    startsBranch: false,
    forks: 0,
    folded,
    ...(alone || isOpen ? {} : { chatter }),
  });
  for (const id of isOpen ? chatter.slice(1) : []) {
    const said = context.nodes.get(id);
    const level = place.level + 1;
    if (said !== undefined)
      rows.push({ node: said, indent, level, startsBranch: false, forks: 0, folded: undefined });
  }
}

interface PendingRow {
  readonly id: string;
  readonly indent: number;
  readonly startsBranch: boolean;
}

/** By each node of chatter the first node of the line that stands for it. */
export function chatterLines(shape: TreeShape): ReadonlyMap<string, string> {
  const lines = new Map<string, string>();
  const { context } = shape;
  const open: (string | undefined)[] = [context.rootNode.id];
  while (open.length > 0) {
    const id = open.pop();
    const node = id === undefined ? undefined : context.nodes.get(id);
    if (node === undefined) continue;
    const { main, sides, chatter } = shape.lineOf(node);
    for (const each of chatter) lines.set(each, chatter[0] ?? each);
    open.push(main);
    for (const side of sides) open.push(side);
  }
  return lines;
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
export function neighbourBranch(shape: TreeShape, nodeId: string, step: 1 | -1): string | undefined {
  const { context } = shape;
  let node = context.nodes.get(nodeId);
  while (node !== undefined) {
    const parent = parentOf(context, node);
    const siblings = parent?.childIds.filter((id) => !shape.isQuiet(id)) ?? [];
    if (siblings.length > 1 && siblings.includes(node.id))
      return siblings.at((siblings.indexOf(node.id) + step) % siblings.length);
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
    for (const child of context.nodes.get(id)?.childIds ?? []) ahead.push(child);
  }
  return count;
}
