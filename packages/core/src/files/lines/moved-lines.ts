import type { LineEdit, LineSpan } from "./line-spans.js";

/** Where line edits of an older state belong on a newer one, or why that cannot be said. */
type MovedEdits =
  /** In the order of the edits. */
  | { readonly kind: "moved"; readonly edits: readonly LineEdit[] }
  /** A later change reaches into this line of the older state, or was inserted at the very same point. */
  | { readonly kind: "touched"; readonly line: number };

/**
 * Maps edits of one state through the changes that were made since. Two insertions at one point are in nobody's
 * order, so the second is not placed; text that stands above or below is no matter.
 *
 * Of `a b c`, where `a` became `A A2` since: the edit `{ at: 3, removed: 1, added: 1 }` belongs at line 4, the
 * edit `{ at: 1, removed: 1, added: 1 }` nowhere.
 *
 * @param edits sorted; two may overlap.
 * @param since each on the result of the one before, sorted, and oldest first.
 */
export function moveEdits(edits: readonly LineEdit[], since: readonly (readonly LineEdit[])[]): MovedEdits {
  let moved = edits;
  for (const later of since) {
    const next = moveOnce(moved, later);
    if (typeof next === "number") return { kind: "touched", line: edits[next]?.at ?? 1 };
    moved = next;
  }
  return { kind: "moved", edits: moved };
}

/** Lines that are to stand unchanged, as edits that put them back as they are. */
export function keepLines(spans: readonly LineSpan[]): readonly LineEdit[] {
  return spans
    .filter(({ from, to }) => from <= to)
    .toSorted((one, other) => one.from - other.from)
    .map(({ from, to }) => ({ at: from, removed: to - from + 1, added: to - from + 1 }));
}

/** The moved edits, or which of them cannot be moved. */
function moveOnce(edits: readonly LineEdit[], later: readonly LineEdit[]): readonly LineEdit[] | number {
  const moved: LineEdit[] = [];
  let [next, shift] = [0, 0];
  for (const [which, edit] of edits.entries()) {
    for (let other = later[next]; other !== undefined && endOf(other) <= edit.at; other = later[next]) {
      if (other.at === edit.at && other.removed === 0 && edit.removed === 0) return which;
      shift += other.added - other.removed;
      next += 1;
    }
    const other = later[next];
    if (other !== undefined && other.at < endOf(edit)) return which;
    moved.push({ ...edit, at: edit.at + shift });
  }
  return moved;
}

/** The first line behind the removed ones. */
function endOf({ at, removed }: LineEdit): number {
  return at + removed;
}

/**
 * Whether the lines that edits put there still stand, and nothing that they took away can have come back, after
 * later changes.
 */
export function areStillInPlace(
  edits: readonly LineEdit[],
  since: readonly (readonly LineEdit[])[],
): boolean {
  let made: readonly Made[] = madeBy(edits);
  for (const later of since) {
    const moved = made.map((one) => carryMade(one, later));
    if (moved.some((one) => one === undefined)) return false;
    made = moved.filter((one) => one !== undefined);
  }
  return true;
}

/** What an edit put in the place of what it took away. */
interface Made {
  readonly at: number;
  readonly removed: number;
  /** None for a deletion, which is a point before `at`. */
  readonly lines: number;
}

function madeBy(edits: readonly LineEdit[]): readonly Made[] {
  let shift = 0;
  return edits.map(({ at, removed, added }) => {
    const made = { at: at + shift, removed, lines: added };
    shift += added - removed;
    return made;
  });
}

function carryMade(made: Made, later: readonly LineEdit[]): Made | undefined {
  const end = made.at + made.lines;
  let shift = 0;
  for (const other of later) {
    const [from, to] = [other.at, endOf(other)];
    if (from > end) break;
    // Lines that come in beside a change may be those that it took away.
    const comesBack = made.removed > 0 && other.added > other.removed && to >= made.at;
    const reachesIn = made.lines > 0 ? to > made.at && from < end : from < made.at && made.at < to;
    if (comesBack || (reachesIn && made.lines + other.added > 0)) return undefined;
    if (reachesIn) return { ...made, at: from + shift };
    if (to <= made.at) shift += other.added - other.removed;
  }
  return { ...made, at: made.at + shift };
}
