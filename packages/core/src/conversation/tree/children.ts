import type { InPlaceEdit } from "../../files/seen/index.js";
import type { TurnNode } from "../values/node.js";

/** The children of a node that has none: one list for all of them, which nobody changes. */
export const noChildren: readonly string[] = [];

/**
 * A node with one child more; the given one stays as it is, unless `edit` says that nobody holds it. However
 * many children there are, one more costs the same: see `grownNode`.
 */
export function withChild(parent: TurnNode, childId: string, edit: InPlaceEdit | undefined): TurnNode {
  if (edit !== undefined) return withChildInPlace(parent, childId);
  const known = growing.get(parent);
  if (known === undefined && parent.childIds.length < fewChildren)
    return { ...parent, childIds: [...parent.childIds, childId] };
  const { ids, count } = known ?? { ids: [...parent.childIds], count: parent.childIds.length };
  // Of two versions that grow from one, only the first may go on in the same list.
  const list = ids.length === count ? ids : ids.slice(0, count);
  list.push(childId);
  return grownNode(parent, { ids: list, count: list.length });
}

/** In a replay nobody holds a node yet, so it grows as it is. */
function withChildInPlace(parent: TurnNode, childId: string): TurnNode {
  // A node of a replay was made by `nodeBelow` or `startedContext`, and its list by this function.
  const own = parent as { childIds: readonly string[] };
  // A list of one, since most nodes get no second child, and `push` would make room for many.
  if (own.childIds.length === 0) own.childIds = [childId];
  else (own.childIds as string[]).push(childId);
  return parent;
}

/** Lists of fewer are copied. */
const fewChildren = 64;

/** The children of one version of a node: the first `count` of a list that later versions add to. */
interface GrowingList {
  readonly ids: string[];
  readonly count: number;
}

const growing = new WeakMap<TurnNode, GrowingList>();

/** The node with these children, whose list is made when somebody asks for it. */
function grownNode(node: TurnNode, list: GrowingList): TurnNode {
  const { id, parentId, timestamp, payload, metadata, taskId, depth, order, turnParentId, exchange } = node;
  let childIds: readonly string[] | undefined;
  const grown: TurnNode = {
    id,
    parentId,
    get childIds() {
      childIds ??= list.ids.slice(0, list.count);
      return childIds;
    },
    timestamp,
    payload,
    metadata,
    taskId,
    depth,
    order,
    ...(turnParentId === undefined ? {} : { turnParentId }),
    exchange,
  };
  growing.set(grown, list);
  return grown;
}
