import type { Content, Part } from "../layout/content.js";
import type { PositionedPart } from "../layout/layout.js";
import { itemsOf, type List, sizeOf } from "../layout/list.js";
import type { Provenance } from "../layout/types.js";

/** A list of a rendering, one entry a content, and the parts that it was made of. */
interface WrittenList<Entry> {
  readonly parts: List<PositionedPart>;
  readonly entries: readonly Entry[];
}

/** The lists that were written last: the next ones are made from where they end. */
export interface ListCache {
  contents: WrittenList<Content>;
  provenance: WrittenList<readonly Provenance[]>;
}

/** An empty cache: the next lists are written from their beginning. */
export function emptyListCache(): ListCache {
  const nothing = { parts: undefined, entries: [] };
  return { contents: nothing, provenance: nothing };
}

/** What a list has for each part, and how the items of one content become an entry. */
interface ListForm<Item, Entry> {
  itemOf(positioned: PositionedPart): Item;
  entryOf(role: PositionedPart["role"], items: readonly Item[]): Entry;
  itemsIn(entry: Entry): readonly Item[];
}

export const asContents: ListForm<Part, Content> = {
  itemOf: ({ part }) => part,
  entryOf: (role, parts) => ({ role, parts }),
  itemsIn: ({ parts }) => parts,
};

export const asProvenance: ListForm<Provenance, readonly Provenance[]> = {
  itemOf: ({ origin }) => origin,
  entryOf: (_, origins) => origins,
  itemsIn: (origins) => origins,
};

/** The list of the parts; what `last` has already is taken over as it is. */
export function writeList<Item, Entry>(
  parts: List<PositionedPart>,
  last: WrittenList<Entry>,
  { itemOf, entryOf, itemsIn }: ListForm<Item, Entry>,
): WrittenList<Entry> {
  const shared = sharedPart(parts, last.parts);
  const from = shared?.item.content ?? 0;
  const begun = last.entries[from];
  const added: Entry[] = [];
  let into: Item[] = [];
  if (shared !== undefined && begun !== undefined) {
    into = itemsIn(begun).slice(0, shared.item.at + 1);
    added.push(entryOf(shared.item.role, into));
  }
  for (const positioned of itemsOf(parts, sizeOf(shared))) {
    if (positioned.at === 0) {
      into = [];
      added.push(entryOf(positioned.role, into));
    }
    into.push(itemOf(positioned));
  }
  return { parts, entries: replacedFrom(last.entries, from, added) };
}

/** A list with other entries from one place on. Copied as a block: a turn adds little to a list that may be long. */
export function replacedFrom<Entry>(
  list: readonly Entry[],
  from: number,
  added: readonly Entry[],
): readonly Entry[] {
  if (from === 0) return added;
  return list.slice(0, from).concat(added);
}

/** The last part that two lists share; costs what they do not share. */
function sharedPart(one: List<PositionedPart>, other: List<PositionedPart>): List<PositionedPart> {
  let [a, b] = [one, other];
  while (a !== b && a !== undefined && b !== undefined) {
    const [sizeA, sizeB] = [a.size, b.size];
    if (sizeA >= sizeB) a = a.before;
    if (sizeB >= sizeA) b = b.before;
  }
  return a === b ? a : undefined;
}
