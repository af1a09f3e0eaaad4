import type { LineChange } from "../../patch/index.js";
import { carrySourced, type LineEdit, type LineSpan } from "./line-spans.js";

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

/** Where parts of unchanged lines stand in the new text. */
export function carryParts(parts: readonly LinePart[], edits: readonly LineEdit[]): readonly LinePart[] {
  if (parts.length === 0) return parts;
  const lines = [...new Set(parts.map(({ line }) => line))].sort((one, other) => one - other);
  const whole = lines.map((line) => ({ from: line, to: line, source: String(line) }));
  const carried = new Map(carrySourced(whole, edits).map(({ source, from }) => [Number(source), from]));
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
