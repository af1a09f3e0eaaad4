import {
  type Choices,
  type ConversationContext,
  choose,
  firstChoices,
  type Ignored,
  type TurnNode,
  Walk,
} from "../conversation/index.js";
import { emptyLayout, type Layout } from "./layout.js";
import { type List, put } from "./list.js";
import { providerFacts } from "./providers.js";
import { renderingOf } from "./rendering.js";
import type { Scene, Settings } from "./scene.js";
import { openWith, step } from "./step.js";
import type { Rendering, RenderOptions } from "./types.js";
import { freshMemory, type Memory } from "./written.js";

/**
 * The prompt that a conversation stands for: everything from the root to the head, as far as the path's own
 * decisions let it through. Pure and deterministic. Throws only for a head that is on no path.
 */
export function renderContext(context: ConversationContext, options: RenderOptions = {}): Rendering {
  return new ContextRenderer().render(context, options);
}

/** How much a renderer keeps between two prompts. */
export interface RendererOptions {
  /** How many states are kept beside the last ones, each sharing all it can. */
  readonly checkpoints?: number;
}

/**
 * Renders the states of one conversation, one after the other, each from what is known of its path. The
 * same results as from scratch; a turn that is appended costs what it adds.
 */
export class ContextRenderer {
  /** By what of the options changes every part; the last used is last. */
  readonly #known = new Map<string, Known>();
  readonly #checkpoints: number;

  constructor({ checkpoints = 4096 }: RendererOptions = {}) {
    this.#checkpoints = checkpoints;
  }

  render(context: ConversationContext, options: RenderOptions = {}): Rendering {
    const settings = settle(context, options);
    const known = this.#knownFor(context.sessionId, settings);
    const walk = Walk.to(context, options.headId ?? context.currentNodeId);
    const state = reach(known, walk, settings, this.#checkpoints);
    return renderingOf(state, known.memory);
  }

  /** Forgets all states; the next rendering starts from scratch. */
  forget(): void {
    this.#known.clear();
  }

  #knownFor(sessionId: string, { target, bound, now }: Settings): Known {
    const timeless = now === Number.POSITIVE_INFINITY;
    const key = JSON.stringify([sessionId, target?.provider, target?.model, bound, timeless]);
    const known = this.#known.get(key) ?? { states: new Map(), memory: freshMemory() };
    this.#known.delete(key);
    this.#known.set(key, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= mostTargets) break;
      this.#known.delete(oldest);
    }
    return known;
  }
}

/** A renderer that serves this many kinds of prompt at once keeps what it knows of each. */
const mostTargets = 4;

/** How many levels lie between two states that are kept on the way. */
const levelsApart = 64;

interface Known {
  /** States as their node's own rendering has them; the last used is last. */
  readonly states: Map<string, State>;
  readonly memory: Memory;
}

/** Everything known at one node. */
interface State {
  readonly choices: Choices;
  /** What the path decided to no effect: of journals of 0.1 only, since it is refused now. */
  readonly ignored: List<Ignored>;
  readonly layout: Layout;
  /** Layouts on the way to this one, under the choices of this one. */
  readonly way: List<Stop>;
}

interface Stop {
  readonly depth: number;
  readonly layout: Layout;
}

function settle(context: ConversationContext, options: RenderOptions): Settings {
  const { expand, target, now, boundThinking } = options;
  const facts = target === undefined ? undefined : providerFacts(target.provider);
  return {
    expand: expand ?? new Set(context.expansions.map(({ taskId }) => taskId)),
    target,
    now: now ?? Number.POSITIVE_INFINITY,
    bound: boundThinking ?? facts?.bindsThinking ?? false,
  };
}

function reach(known: Known, walk: Walk, settings: Settings, most: number): State {
  const { tip } = walk;
  const found = nearest(known, walk, settings);
  if (found?.depth === tip.depth) return found.state;
  const chosen = replayChoices(walk, found);
  const from = startFrom(chosen, found, settings);
  const scene: Scene = {
    context: walk.context,
    walk,
    choices: chosen.choices,
    settings,
    within: undefined,
    around: [],
  };
  let layout = from.layout ?? begin(chosen.choices, scene);
  let way = from.way;
  for (let depth = from.depth; depth <= tip.depth; depth += 1) {
    layout = step(layout, walk.nodeAt(depth), scene);
    if (depth % levelsApart !== 0) continue;
    way = put(way, { depth, layout });
    const there = chosen.at.get(depth);
    const own = there !== undefined && chosen.affectedAfter(depth) > depth;
    if (own) keep(known, walk.nodeAt(depth).id, { ...there, layout, way }, most);
  }
  const state: State = { choices: chosen.choices, ignored: chosen.ignored, layout, way };
  keep(known, tip.id, state, most);
  return state;
}

/** The lowest node of the path whose state is known and still holds. */
function nearest(known: Known, walk: Walk, settings: Settings) {
  if (known.states.size === 0) return undefined;
  for (let depth = walk.tip.depth; depth >= 0; depth -= 1) {
    const { id } = walk.nodeAt(depth);
    const state = known.states.get(id);
    if (state === undefined || !holds(state.layout, settings)) continue;
    keep(known, id, state, Number.POSITIVE_INFINITY);
    return { depth, state };
  }
  return undefined;
}

/** Whether a layout is the same under these options. */
function holds(layout: Layout, { expand, now }: Settings): boolean {
  if (now !== Number.POSITIVE_INFINITY && (now < layout.validFrom || now >= layout.validUntil)) return false;
  if (!layout.asked.every((taskId) => expand.has(taskId))) return false;
  for (const taskId of expand) if (layout.summaries.get(taskId)?.asked === false) return false;
  return true;
}

interface Replay extends Decided {
  /** What was decided at the depths where states are kept. */
  readonly at: ReadonlyMap<number, Decided>;
  /** The shallowest depth that is rendered differently for anything below this depth. */
  affectedAfter(depth: number): number;
}

type Decided = Pick<State, "choices" | "ignored">;

function replayChoices(walk: Walk, found: { depth: number; state: State } | undefined): Replay {
  const first = found === undefined ? 0 : found.depth + 1;
  let choices = found?.state.choices ?? firstChoices(walk.nodeAt(0));
  let ignored = found?.state.ignored;
  const at = new Map<number, Decided>();
  const effects: { readonly depth: number; readonly affects: number }[] = [];
  for (let depth = first; depth <= walk.tip.depth; depth += 1) {
    const chosen = choose(choices, walk.nodeAt(depth), walk, 0);
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

interface From {
  /** The first node to lay out. */
  readonly depth: number;
  readonly layout: Layout | undefined;
  readonly way: List<Stop>;
}

/** The last layout on the way that none of the new choices touches. */
function startFrom(
  chosen: Replay,
  found: { depth: number; state: State } | undefined,
  settings: Settings,
): From {
  const { start } = chosen.choices;
  const scratch: From = { depth: start.depth, layout: undefined, way: undefined };
  if (found === undefined || found.state.choices.start !== start) return scratch;
  const affected = chosen.affectedAfter(found.depth);
  if (affected > found.depth)
    return { depth: found.depth + 1, layout: found.state.layout, way: found.state.way };
  let way = found.state.way;
  while (way !== undefined && (way.item.depth >= affected || !holds(way.item.layout, settings)))
    way = way.before;
  return way === undefined ? scratch : { depth: way.item.depth + 1, layout: way.item.layout, way };
}

/** The layout before the first node that stays. */
function begin({ start }: Choices, scene: Scene): Layout {
  const node = scene.context.nodes.get(start.nodeId);
  const { rule } = start;
  if (node === undefined || rule === "root") return emptyLayout;
  const boundary = { rule, nodeId: node.id, targetId: node.id, firstPart: 0 } as const;
  const boundaries = put(emptyLayout.boundaries, boundary);
  const changed: Layout = { ...emptyLayout, changedUntil: node.depth, boundaries };
  return node.payload.kind === "summary" ? openWith(changed, node, node.payload, scene) : changed;
}

function keep({ states }: Known, id: TurnNode["id"], state: State, most: number): void {
  states.delete(id);
  states.set(id, state);
  for (const oldest of states.keys()) {
    if (states.size <= most) break;
    states.delete(oldest);
  }
}
