/** One line of a comparison; line numbers are 1-based, `old` absent for added lines, `new` for removed. */
export type DiffLine =
  | { readonly kind: "same"; readonly old: number; readonly new: number; readonly text: string }
  | { readonly kind: "removed"; readonly old: number; readonly text: string }
  | { readonly kind: "added"; readonly new: number; readonly text: string };

/**
 * Compares two texts for a person's eye. The result is always right (its removed and same lines are the
 * old text, its added and same lines the new); where the texts differ in more than `limit` lines it is
 * not always the shortest.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  limit = 400,
): readonly DiffLine[] {
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const script = new Script(before, after);
  script.same(head);
  const steps = shortestEdit(
    before.slice(head, before.length - tail),
    after.slice(head, after.length - tail),
    limit,
  );
  for (const step of steps) script[step](1);
  script.same(tail);
  return script.lines;
}

/** The stretches that changed, each with some lines around it. */
export function hunksOf(lines: readonly DiffLine[], context: number): readonly (readonly DiffLine[])[] {
  const hunks: (readonly DiffLine[])[] = [];
  let from = -1;
  let to = -1;
  for (const [at, line] of lines.entries()) {
    if (line.kind === "same") continue;
    if (from >= 0 && at - context > to) {
      hunks.push(lines.slice(from, to));
      from = -1;
    }
    if (from < 0) from = Math.max(0, at - context, to);
    to = Math.min(lines.length, at + context + 1);
  }
  if (from >= 0) hunks.push(lines.slice(from, to));
  return hunks;
}

type Step = "same" | "removed" | "added";

class Script {
  readonly lines: DiffLine[] = [];
  private oldAt = 0;
  private newAt = 0;

  constructor(
    private readonly before: readonly string[],
    private readonly after: readonly string[],
  ) {}

  same(count: number): void {
    for (let step = 0; step < count; step++) {
      const text = this.before[this.oldAt++] ?? "";
      this.lines.push({ kind: "same", old: this.oldAt, new: ++this.newAt, text });
    }
  }

  removed(count: number): void {
    for (let step = 0; step < count; step++) {
      const text = this.before[this.oldAt++] ?? "";
      this.lines.push({ kind: "removed", old: this.oldAt, text });
    }
  }

  added(count: number): void {
    for (let step = 0; step < count; step++) {
      const text = this.after[this.newAt++] ?? "";
      this.lines.push({ kind: "added", new: this.newAt, text });
    }
  }
}

/** Myers' greedy search for the shortest edit script; beyond `limit` edits, everything is replaced. */
function shortestEdit(before: readonly string[], after: readonly string[], limit: number): readonly Step[] {
  const rounds: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(limit, before.length + after.length); edits++) {
    const next = new Map<number, number>();
    rounds.push(reach);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = furthest(reach, diagonal, edits);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) {
        return walkBack(rounds, before.length, after.length);
      }
    }
    reach = next;
  }
  return [...before.map((): Step => "removed"), ...after.map((): Step => "added")];
}

/** From where a diagonal is reached with one edit more: by an added line from above, else by a removed one. */
function furthest(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const above = reach.get(diagonal + 1) ?? -1;
  const left = reach.get(diagonal - 1) ?? -1;
  return diagonal === -edits || (diagonal !== edits && left < above) ? above : left + 1;
}

function walkBack(
  rounds: readonly ReadonlyMap<number, number>[],
  endX: number,
  endY: number,
): readonly Step[] {
  const steps: Step[] = [];
  let [x, y] = [endX, endY];
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const reach = rounds[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const above = reach.get(diagonal + 1) ?? -1;
    const left = reach.get(diagonal - 1) ?? -1;
    const down = diagonal === -edits || (diagonal !== edits && left < above);
    const fromX = down ? above : left;
    const fromY = fromX - (down ? diagonal + 1 : diagonal - 1);
    const startX = down ? fromX : fromX + 1;
    for (; x > startX; x--) steps.push("same");
    steps.push(down ? "added" : "removed");
    [x, y] = [fromX, fromY];
  }
  for (; x > 0; x--) steps.push("same");
  return steps.reverse();
}
