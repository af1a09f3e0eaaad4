import type { LineTable } from "../model/line-table.js";
import type { Deadline } from "../model/steps.js";

/** Lines `from` to `to` (after the last) of what the model sent. */
export interface FencedSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the parts of an answer, up to line `end`, that are diff: the inside of
 * the Markdown fences around the diff, or all of it.
 *
 * A diff of a Markdown file has fences itself, and some models leave out the space before them. A fence
 * therefore closes the block only if nothing that looks like more diff is between it and the next one.
 */
export function findDiffSpans(lines: LineTable, end: number, deadline: Deadline): readonly FencedSpan[] {
  const spans: FencedSpan[] = [];
  let at = 0;
  while (at < end && !deadline.late()) {
    const opening = findOpening(lines, at, end);
    if (opening === undefined) break;
    if (readFence(lines, opening) === null) {
      spans.push({ from: at, to: end });
      break;
    }
    const closing = findClosing(lines, opening, end);
    spans.push({ from: opening + 1, to: closing });
    at = closing + 1;
  }
  const useful = spans.filter((span) => hasDiffLine(lines, span));
  return useful.length > 0 ? useful : [{ from: 0, to: end }];
}

const fencePattern = /^( {0,3})(`{3,}|~{3,}) *([\w+-]*)$/;

/** A line of backticks or tildes, taken apart. */
export function readFence(lines: LineTable, at: number): RegExpExecArray | null {
  const from = lines.startOf(at);
  let first = from;
  while (first < from + 3 && lines.text.charCodeAt(first) === space) first += 1;
  const code = lines.text.charCodeAt(first);
  if ((code !== backtick && code !== tilde) || lines.endOf(at) - from > 200) return null;
  return fencePattern.exec(lines.line(at).trimEnd());
}

const space = 32;
const backtick = 96;
const tilde = 126;

/** A fence that opens a block, or the line where a diff begins outside of one, whichever is first. */
function findOpening(lines: LineTable, start: number, end: number): number | undefined {
  for (let at = start; at < end; at++) {
    if (readFence(lines, at) !== null) return at;
    if (/^(@@|diff --git |--- \S|\+\+\+ \S|\*\*\* (Begin|Add|Update|Delete) )/.test(lines.line(at)))
      return at;
  }
  return undefined;
}

function findClosing(lines: LineTable, opening: number, end: number): number {
  const [, indent = "", ticks = ""] = readFence(lines, opening) ?? [];
  const closings: number[] = [];
  for (let at = opening + 1; at < end; at++) {
    const [, inner, mark = "", info] = readFence(lines, at) ?? [];
    if (inner !== indent || !mark.startsWith(ticks)) continue;
    if (info === "") closings.push(at);
    else if ((info === "diff" || info === "patch") && closings.length > 0) break;
  }
  const last = closings.at(-1);
  if (last === undefined) return end;
  let more = last - 1;
  while (more > opening && !/^(@@|[-+])/.test(lines.line(more))) more -= 1;
  return closings.find((closing) => closing >= more) ?? last;
}

function hasDiffLine(lines: LineTable, span: FencedSpan): boolean {
  for (let at = span.from; at < span.to; at++) {
    if (/^(@@|[-+]|\*\*\* |diff --git )/.test(lines.line(at))) return true;
  }
  return false;
}
