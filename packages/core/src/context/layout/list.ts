/** An immutable list to which is added at the end; its versions share what they have in common. */
export type List<Item> = Cell<Item> | undefined;

/** A cell of a persistent list: the newest item and all before it, which are shared. */
interface Cell<Item> {
  readonly item: Item;
  /** What was put before. */
  readonly before: List<Item>;
  readonly size: number;
}

/** The list with one item more, in constant time; the given list stays as it is. */
export function put<Item>(list: List<Item>, item: Item): Cell<Item> {
  return { item, before: list, size: sizeOf(list) + 1 };
}

/** How many items a list has. */
export function sizeOf<Item>(list: List<Item>): number {
  return list?.size ?? 0;
}

/** In the order in which they were put, those after the first `skip`. */
export function itemsOf<Item>(list: List<Item>, skip = 0): Item[] {
  const items = new Array<Item>(sizeOf(list) - skip);
  for (let cell = list; cell !== undefined && cell.size > skip; cell = cell.before)
    items[cell.size - skip - 1] = cell.item;
  return items;
}
