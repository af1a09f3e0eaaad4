/** More places than our sources have. */
const most = 1 << 16;

/** How often each place was reached since the last `resetEdges`. */
export const hits = new Uint32Array(most);

let steps = 0;
let limit = Number.POSITIVE_INFINITY;

/** Work that goes on for longer than its input explains. */
export class TooManySteps extends Error {}

/** Called by the instrumented sources wherever they branch. */
export function edge(id: number): void {
  hits[id] = (hits[id] ?? 0) + 1;
  steps += 1;
  if (steps > limit) throw new TooManySteps(`more than ${limit} steps`);
}

/**
 * Counts from 0 again.
 *
 * @param most steps after which `edge` throws.
 */
export function resetEdges(most: number): void {
  hits.fill(0);
  steps = 0;
  limit = most;
}

/** Steps since the last `resetEdges`, also where what `edge` threw was caught on its way. */
export function stepsTaken(): number {
  return steps;
}

/** What was reached and how often by orders of magnitude, as one would say "never, once, some, many". */
export class Coverage {
  private readonly seen = new Uint8Array(most);
  private readonly features = new Set<string>();
  /** Places that were reached at all. */
  edges = 0;

  /**
   * Takes the present counts in.
   *
   * @param features further things that were met, for what runs in a process of its own.
   * @returns whether any of it is new.
   */
  add(features: readonly string[], count: number): boolean {
    let fresh = false;
    for (let id = 0; id < count; id++) {
      const times = hits[id] ?? 0;
      if (times === 0) continue;
      const before = this.seen[id] ?? 0;
      const bit = 1 << Math.min(7, 31 - Math.clz32(times));
      if ((before & bit) !== 0) continue;
      if (before === 0) this.edges += 1;
      this.seen[id] = before | bit;
      fresh = true;
    }
    for (const feature of features) {
      if (this.features.has(feature)) continue;
      this.features.add(feature);
      fresh = true;
    }
    return fresh;
  }

  /** The places that were reached. */
  reached(): readonly number[] {
    return [...this.seen.entries()].flatMap(([id, bits]) => (bits === 0 ? [] : [id]));
  }

  /** How many features were met. */
  get met(): number {
    return this.features.size;
  }
}
