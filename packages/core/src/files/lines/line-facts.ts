import type { LineChange } from "../../patch/index.js";
import { joinSpans, type LineSpan } from "./line-spans.js";

/**
 * One change of lines, from which together with its like every unchanged line of the new text can be
 * found in the old one. Edits of one change are sorted and do not touch each other's lines.
 *
 * Of `a b c` to `a X Y c`: `{ at: 2, removed: 1, added: 2 }`. An insertion before the first line is
 * `{ at: 1, removed: 0, added: n }`, behind the last of three lines `{ at: 4, removed: 0, added: n }`.
 */
export interface LineEdit {
  /** 1-based line of the old text: the first one removed, or the one before which lines were inserted. */
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

/** A part of one line, in Unicode code points of its text without terminator. */
export interface LinePart {
  /** 1-based. */
  readonly line: number;
  /** 0-based, the end excluded. */
  readonly from: number;
  readonly to: number;
  /** How many code points the whole line has. */
  readonly of: number;
}

/** The changes of a line diff as edits. */
export function lineEdits(changes: readonly LineChange[]): readonly LineEdit[] {
  return changes.map(({ oldFrom, oldTo, newFrom, newTo }) => ({
    at: oldFrom + 1,
    removed: oldTo - oldFrom,
    added: newTo - newFrom,
  }));
}

/**
 * Where unchanged lines of the old text stand in the new one; removed lines are left out.
 *
 * @param edits sorted; each is looked at once, and again by the next span if it reaches into that.
 */
export function carrySpans(spans: readonly LineSpan[], edits: readonly LineEdit[]): readonly LineSpan[] {
  const carried: LineSpan[] = [];
  let [next, before] = [0, 0];
  for (const span of joinSpans(spans)) {
    let { from } = span;
    for (let edit = edits[next]; edit !== undefined && edit.at + edit.removed <= from; edit = edits[next]) {
      before += edit.added - edit.removed;
      next += 1;
    }
    let shift = before;
    for (let at = next; at < edits.length; at++) {
      const edit = edits[at];
      if (edit === undefined || edit.at > span.to) break;
      if (edit.at > from) carried.push({ from: from + shift, to: edit.at - 1 + shift });
      shift += edit.added - edit.removed;
      from = Math.max(from, edit.at + edit.removed);
    }
    if (from <= span.to) carried.push({ from: from + shift, to: span.to + shift });
  }
  return joinSpans(carried);
}

/** Where parts of unchanged lines stand in the new text. */
export function carryParts(parts: readonly LinePart[], edits: readonly LineEdit[]): readonly LinePart[] {
  if (parts.length === 0) return parts;
  const carried = new Map<number, number>();
  const lines = [...new Set(parts.map(({ line }) => line))].sort((one, other) => one - other);
  let [next, shift] = [0, 0];
  for (const line of lines) {
    for (let edit = edits[next]; edit !== undefined && edit.at + edit.removed <= line; edit = edits[next]) {
      shift += edit.added - edit.removed;
      next += 1;
    }
    if ((edits[next]?.at ?? Number.POSITIVE_INFINITY) > line) carried.set(line, line + shift);
  }
  return parts.flatMap((part) => {
    const line = carried.get(part.line);
    return line === undefined ? [] : [{ ...part, line }];
  });
}

/** The lines that parts make up together, and the parts of those that they do not. */
export function wholeLines(parts: readonly LinePart[]): {
  readonly complete: readonly LineSpan[];
  readonly rest: readonly LinePart[];
} {
  const byLine = new Map<number, LinePart[]>();
  for (const part of parts) {
    const own = byLine.get(part.line);
    if (own === undefined) byLine.set(part.line, [part]);
    else own.push(part);
  }
  const complete: LineSpan[] = [];
  const rest: LinePart[] = [];
  for (const [line, own] of byLine) {
    const joined = joinParts(own);
    const [only] = joined;
    if (joined.length === 1 && only !== undefined && only.from === 0 && only.to >= only.of)
      complete.push({ from: line, to: line });
    else rest.push(...joined);
  }
  return { complete, rest };
}

/** The parts of one line in order, those that touch or overlap joined. */
function joinParts(parts: readonly LinePart[]): readonly LinePart[] {
  const joined: LinePart[] = [];
  for (const part of [...parts].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && part.from <= last.to)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, part.to) };
    else joined.push(part);
  }
  return joined;
}
