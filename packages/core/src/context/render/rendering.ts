import type { Choices, Ignored } from "../../conversation/index.js";
import type { Content, Part } from "../layout/content.js";
import { dropPendingThoughts, type Layout, type PositionedPart } from "../layout/layout.js";
import { itemsOf, type List, sizeOf } from "../layout/list.js";
import type { BrokenReferral, Referral, RenderReport } from "../layout/report.js";
import type { Provenance, Rendering } from "../layout/types.js";
import { Visibility } from "../layout/visibility.js";
import { awaitsResults, closeCalls } from "./rule-calls.js";

/** What is known where a rendering ends. */
interface Rendered {
  readonly layout: Layout;
  readonly choices: Choices;
  readonly ignored: List<Ignored>;
}

/** Finishes a layout for reading: open calls are closed for now, and lists made when asked for. */
export function renderingOf(rendered: Rendered, lists: ListCache): Rendering {
  const { layout } = rendered;
  const provisional = awaitsResults(layout);
  const final = dropPendingThoughts(closeCalls(layout));
  let contents: ListCache["contents"] | undefined;
  let provenance: ListCache["provenance"] | undefined;
  let referrals: readonly Referral[] | undefined;
  let report: RenderReport | undefined;
  return {
    get contents() {
      contents ??= writeList(final.parts, lists.contents, asContents);
      lists.contents = contents;
      return contents.entries;
    },
    get provenance() {
      provenance ??= writeList(final.parts, lists.provenance, asProvenance);
      lists.provenance = provenance;
      return provenance.entries;
    },
    visibility: new Visibility(final.seen),
    get referrals() {
      referrals ??= itemsOf(final.refers);
      return referrals;
    },
    get report() {
      report ??= reportOf({ ...rendered, layout: final }, provisional, sizeOf(layout.parts));
      return report;
    },
  };
}

function reportOf(
  { layout, choices, ignored }: Rendered,
  provisional: boolean,
  stable: number,
): RenderReport {
  const last = layout.parts?.item;
  const inLoop = endsInResults(layout.parts);
  let broken: readonly BrokenReferral[] | undefined;
  return {
    ready: last?.role === "user" && !provisional,
    provisional,
    stableParts: stable,
    parts: sizeOf(layout.parts),
    chars: layout.chars,
    thinking: inLoop && layout.lostThought ? "off" : "kept",
    start: { rule: choices.start.rule, nodeId: choices.start.nodeId },
    repairs: itemsOf(layout.repairs),
    boundaries: itemsOf(layout.boundaries),
    dropped: itemsOf(layout.dropped),
    ignored: [...itemsOf(ignored), ...itemsOf(layout.ignored)],
    // Costs the length of the prompt, and most who read a report do not ask.
    get broken() {
      broken ??= brokenIn(layout);
      return broken;
    },
  };
}

function brokenIn({ refers, seen }: Layout): readonly BrokenReferral[] {
  const { isVisible } = new Visibility(seen);
  return itemsOf(refers).filter(({ lines }) => !isVisible(lines));
}

/** Whether the last content holds results: a tool loop is open. */
function endsInResults(parts: List<PositionedPart>): boolean {
  const content = parts?.item.content;
  for (let cell = parts; cell !== undefined && cell.item.content === content; cell = cell.before)
    if ("functionResponse" in cell.item.part) return true;
  return false;
}

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

const asContents: ListForm<Part, Content> = {
  itemOf: ({ part }) => part,
  entryOf: (role, parts) => ({ role, parts }),
  itemsIn: ({ parts }) => parts,
};

const asProvenance: ListForm<Provenance, readonly Provenance[]> = {
  itemOf: ({ origin }) => origin,
  entryOf: (_, origins) => origins,
  itemsIn: (origins) => origins,
};

/** The list of the parts; what `last` has already is taken over as it is. */
function writeList<Item, Entry>(
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
