import type { Content, Part } from "./content.js";
import type { PlacedPart } from "./layout.js";
import { itemsOf, type List, sizeOf } from "./list.js";
import type { Provenance } from "./types.js";

/** A list of a rendering, one entry a content, and the parts that it was made of. */
export interface Written<Entry> {
  readonly parts: List<PlacedPart>;
  readonly entries: readonly Entry[];
}

/** The lists that were written last: the next ones are made from where they end. */
export interface Memory {
  contents: Written<Content>;
  provenance: Written<readonly Provenance[]>;
}

/** A memory of nothing: the next lists are written from their beginning. */
export function freshMemory(): Memory {
  const nothing = { parts: undefined, entries: [] };
  return { contents: nothing, provenance: nothing };
}

/** What a list says of each part, and how that of one content is held together. */
interface Form<Item, Entry> {
  itemOf(placed: PlacedPart): Item;
  entryOf(role: PlacedPart["role"], items: readonly Item[]): Entry;
  itemsIn(entry: Entry): readonly Item[];
}

export const asContents: Form<Part, Content> = {
  itemOf: ({ part }) => part,
  entryOf: (role, parts) => ({ role, parts }),
  itemsIn: ({ parts }) => parts,
};

export const asProvenance: Form<Provenance, readonly Provenance[]> = {
  itemOf: ({ origin }) => origin,
  entryOf: (_, origins) => origins,
  itemsIn: (origins) => origins,
};

/** Writes down the parts; those that `last` wrote already are taken over as they are. */
export function writeDown<Item, Entry>(
  parts: List<PlacedPart>,
  last: Written<Entry>,
  { itemOf, entryOf, itemsIn }: Form<Item, Entry>,
): Written<Entry> {
  const shared = sharedPart(parts, last.parts);
  const from = shared?.item.content ?? 0;
  const begun = last.entries[from];
  const added: Entry[] = [];
  let into: Item[] = [];
  if (shared !== undefined && begun !== undefined) {
    into = itemsIn(begun).slice(0, shared.item.at + 1);
    added.push(entryOf(shared.item.role, into));
  }
  for (const placed of itemsOf(parts, sizeOf(shared))) {
    if (placed.at === 0) {
      into = [];
      added.push(entryOf(placed.role, into));
    }
    into.push(itemOf(placed));
  }
  return { parts, entries: replacedFrom(last.entries, from, added) };
}

/** In one copy: a turn adds little to a list that may be long. */
function replacedFrom<Entry>(
  list: readonly Entry[],
  from: number,
  added: readonly Entry[],
): readonly Entry[] {
  if (from === 0) return added;
  // So many arguments may be too many.
  if (added.length > 1_000) return [...list.slice(0, from), ...added];
  return list.toSpliced(from, list.length - from, ...added);
}

/** The last part that two lists share; costs what they do not share. */
function sharedPart(one: List<PlacedPart>, other: List<PlacedPart>): List<PlacedPart> {
  let [a, b] = [one, other];
  while (a !== b && a !== undefined && b !== undefined) {
    const [sizeA, sizeB] = [a.size, b.size];
    if (sizeA >= sizeB) a = a.before;
    if (sizeB >= sizeA) b = b.before;
  }
  return a === b ? a : undefined;
}
