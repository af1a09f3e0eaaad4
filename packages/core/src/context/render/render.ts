import { Ancestry, type Choices, choose, firstChoices, type Ignored } from "../../conversation/index.js";
import type { ConversationContext, TurnNode } from "../../conversation/values/index.js";
import { PersistentMap } from "../../files/seen/index.js";
import type { Content, Part } from "../layout/content.js";
import { dropPendingThoughts, emptyLayout, type Layout, type PositionedPart } from "../layout/layout.js";
import type { BrokenReferral, Referral, RenderReport } from "../layout/report.js";
import type { Provenance, Rendering, RenderOptions } from "../layout/types.js";
import { itemsOf, type List, providerFacts, put, sizeOf, Visibility } from "../layout/visibility.js";
import type { RenderScope, RenderSettings } from "./render-scope.js";
import { awaitsResults, closeCalls } from "./rule-calls.js";
import { openWith, step } from "./step.js";

/**
 * The prompt that a conversation stands for: everything from the root to the head, as far as the path's own
 * decisions let it through. Pure and deterministic. Throws only for a head that is on no path.
 */
export function renderContext(context: ConversationContext, options: RenderOptions = {}): Rendering {
  return new ContextRenderer().render(context, options);
}

/** How much a renderer keeps between two prompts. */
interface RendererOptions {
  /** How many states are kept beside the last ones, each sharing all it can. */
  readonly checkpoints?: number;
}

/**
 * Renders the states of one conversation, one after the other, each from what is known of its path. The
 * same results as from scratch; a turn that is appended costs what it adds.
 */
export class ContextRenderer {
  /** By those options that change every part; the last used is last. */
  readonly #caches = new Map<string, RenderCache>();
  readonly #checkpoints: number;

  constructor({ checkpoints = 4096 }: RendererOptions = {}) {
    this.#checkpoints = checkpoints;
  }

  render(context: ConversationContext, options: RenderOptions = {}): Rendering {
    const settings = settingsOf(context, options);
    const cache = this.#cacheFor(context.sessionId, settings);
    const ancestry = Ancestry.to(context, options.headId ?? context.currentNodeId);
    const state = stateAt(cache, ancestry, settings, this.#checkpoints);
    return renderingOf(state, cache.lists);
  }

  /** Forgets all states; the next rendering starts from scratch. */
  forget(): void {
    this.#caches.clear();
  }

  #cacheFor(sessionId: string, { target, bound, now, files }: RenderSettings): RenderCache {
    const timeless = now === Number.POSITIVE_INFINITY;
    const key = JSON.stringify([sessionId, target?.provider, target?.model, bound, timeless, files]);
    const cache = this.#caches.get(key) ?? { states: new Map(), lists: emptyListCache() };
    this.#caches.delete(key);
    this.#caches.set(key, cache);
    for (const oldest of this.#caches.keys()) {
      if (this.#caches.size <= mostTargets) break;
      this.#caches.delete(oldest);
    }
    return cache;
  }
}

/** For so many kinds of prompt a renderer keeps what it knows. */
const mostTargets = 4;

/** How many levels lie between two checkpoints. */
const levelsApart = 64;

interface RenderCache {
  /** States as their node's own rendering has them; the last used is last. */
  readonly states: Map<string, RenderState>;
  readonly lists: ListCache;
}

/** Everything known at one node. */
interface RenderState {
  readonly choices: Choices;
  /** What the path decided to no effect: of journals of earlier builds only, since it is refused now. */
  readonly ignored: List<Ignored>;
  readonly layout: Layout;
  /** Layouts above this one, made under the choices of this one. */
  readonly checkpoints: List<Checkpoint>;
}

interface Checkpoint {
  readonly depth: number;
  readonly layout: Layout;
}

function settingsOf(context: ConversationContext, options: RenderOptions): RenderSettings {
  const { expand, target, now, boundThinking, files = "text" } = options;
  const facts = target === undefined ? undefined : providerFacts(target.provider);
  return {
    expand: expand ?? new Set(context.expansions.map(({ taskId }) => taskId)),
    target,
    now: now ?? Number.POSITIVE_INFINITY,
    bound: boundThinking ?? facts?.bindsThinking ?? false,
    files,
  };
}

function stateAt(
  cache: RenderCache,
  ancestry: Ancestry,
  settings: RenderSettings,
  most: number,
): RenderState {
  const { tip } = ancestry;
  const found = nearest(cache, ancestry, settings);
  if (found?.depth === tip.depth) return found.state;
  const chosen = replayChoices(ancestry, found);
  const from = resumePoint(chosen, found, settings);
  const scope: RenderScope = {
    context: ancestry.context,
    ancestry,
    choices: chosen.choices,
    settings,
    within: undefined,
    around: PersistentMap.empty(),
  };
  let layout = from.layout ?? begin(chosen.choices, scope);
  let checkpoints = from.checkpoints;
  for (let depth = from.depth; depth <= tip.depth; depth += 1) {
    layout = step(layout, ancestry.nodeAt(depth), scope);
    if (depth % levelsApart !== 0) continue;
    checkpoints = put(checkpoints, { depth, layout });
    const there = chosen.at.get(depth);
    const own = there !== undefined && chosen.affectedAfter(depth) > depth;
    if (own) cacheState(cache, ancestry.nodeAt(depth).id, { ...there, layout, checkpoints }, most);
  }
  const state: RenderState = { choices: chosen.choices, ignored: chosen.ignored, layout, checkpoints };
  cacheState(cache, tip.id, state, most);
  return state;
}

/** The lowest node of the path whose state is known and still holds. */
function nearest(cache: RenderCache, ancestry: Ancestry, settings: RenderSettings) {
  if (cache.states.size === 0) return undefined;
  for (let depth = ancestry.tip.depth; depth >= 0; depth -= 1) {
    const { id } = ancestry.nodeAt(depth);
    const state = cache.states.get(id);
    if (state === undefined || !holds(state.layout, settings)) continue;
    cacheState(cache, id, state, Number.POSITIVE_INFINITY);
    return { depth, state };
  }
  return undefined;
}

/** Whether a layout is the same under these options. */
function holds(layout: Layout, { expand, now }: RenderSettings): boolean {
  if (now !== Number.POSITIVE_INFINITY && (now < layout.validFrom || now >= layout.validUntil)) return false;
  for (const taskId of layout.asked.keys()) if (!expand.has(taskId)) return false;
  for (const taskId of expand) if (layout.summaries.get(taskId)?.asked === false) return false;
  return true;
}

interface Replay extends DecidedChoices {
  /** What was decided at the depths where states are kept. */
  readonly at: ReadonlyMap<number, DecidedChoices>;
  /** The shallowest depth that is rendered differently for anything below this depth. */
  affectedAfter(depth: number): number;
}

type DecidedChoices = Pick<RenderState, "choices" | "ignored">;

function replayChoices(ancestry: Ancestry, found: { depth: number; state: RenderState } | undefined): Replay {
  const first = found === undefined ? 0 : found.depth + 1;
  let choices = found?.state.choices ?? firstChoices(ancestry.nodeAt(0));
  let ignored = found?.state.ignored;
  const at = new Map<number, DecidedChoices>();
  const effects: { readonly depth: number; readonly affects: number }[] = [];
  for (let depth = first; depth <= ancestry.tip.depth; depth += 1) {
    const chosen = choose(choices, ancestry.nodeAt(depth), ancestry, 0);
    choices = chosen.choices;
    if (chosen.ignored.length > 0) for (const one of chosen.ignored) ignored = put(ignored, one);
    if (chosen.affects !== Number.POSITIVE_INFINITY) effects.push({ depth, affects: chosen.affects });
    if (depth % levelsApart === 0) at.set(depth, { choices, ignored });
  }
  return { choices, ignored, at, affectedAfter: leastAfter(effects) };
}

function leastAfter(effects: readonly { readonly depth: number; readonly affects: number }[]) {
  const least: { readonly depth: number; readonly affects: number }[] = [];
  for (const { depth, affects } of effects.toReversed())
    least.push({ depth, affects: Math.min(affects, least.at(-1)?.affects ?? Number.POSITIVE_INFINITY) });
  least.reverse();
  return (depth: number) => {
    let [low, high] = [0, least.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((least[middle]?.depth ?? 0) > depth) high = middle;
      else low = middle + 1;
    }
    return least[low]?.affects ?? Number.POSITIVE_INFINITY;
  };
}

interface ResumePoint {
  /** The first node to lay out. */
  readonly depth: number;
  readonly layout: Layout | undefined;
  readonly checkpoints: List<Checkpoint>;
}

/** The last checkpoint that none of the new choices touches. */
function resumePoint(
  chosen: Replay,
  found: { depth: number; state: RenderState } | undefined,
  settings: RenderSettings,
): ResumePoint {
  const { start } = chosen.choices;
  const scratch: ResumePoint = { depth: start.depth, layout: undefined, checkpoints: undefined };
  if (found === undefined || found.state.choices.start !== start) return scratch;
  const affected = chosen.affectedAfter(found.depth);
  if (affected > found.depth)
    return { depth: found.depth + 1, layout: found.state.layout, checkpoints: found.state.checkpoints };
  let checkpoints = found.state.checkpoints;
  while (
    checkpoints !== undefined &&
    (checkpoints.item.depth >= affected || !holds(checkpoints.item.layout, settings))
  )
    checkpoints = checkpoints.before;
  return checkpoints === undefined
    ? scratch
    : { depth: checkpoints.item.depth + 1, layout: checkpoints.item.layout, checkpoints };
}

/** The layout before the first node that stays. */
function begin({ start }: Choices, scope: RenderScope): Layout {
  const node = scope.context.nodes.get(start.nodeId);
  const { rule } = start;
  if (node === undefined || rule === "root") return emptyLayout;
  const boundary = { rule, nodeId: node.id, targetId: node.id, firstPart: 0 } as const;
  const boundaries = put(emptyLayout.boundaries, boundary);
  const changed: Layout = { ...emptyLayout, changedUntil: node.depth, boundaries };
  return node.payload.kind === "summary" ? openWith(changed, node, node.payload, scope) : changed;
}

function cacheState({ states }: RenderCache, id: TurnNode["id"], state: RenderState, most: number): void {
  states.delete(id);
  states.set(id, state);
  for (const oldest of states.keys()) {
    if (states.size <= most) break;
    states.delete(oldest);
  }
}

/** What is known where a rendering ends. */
interface Rendered {
  readonly layout: Layout;
  readonly choices: Choices;
  readonly ignored: List<Ignored>;
}

/** Finishes a layout for reading: open calls are closed for now, and lists made when asked for. */
function renderingOf(rendered: Rendered, lists: ListCache): Rendering {
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
interface ListCache {
  contents: WrittenList<Content>;
  provenance: WrittenList<readonly Provenance[]>;
}

/** An empty cache: the next lists are written from their beginning. */
function emptyListCache(): ListCache {
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
