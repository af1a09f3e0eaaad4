import type { Deadline } from "./deadline.js";

/** Lines `from` to `to` (after the last) of what the model sent. */
export interface LineSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the parts of an answer that are diff: the inside of the Markdown fences, where fences stand around
 * the diff, else all of it.
 *
 * A diff of a Markdown file holds fences itself, and some models leave out the space before them. A fence
 * therefore closes the block only if nothing that looks like more diff stands between it and the next one.
 */
export function findDiffSpans(lines: readonly string[], deadline: Deadline): readonly LineSpan[] {
  const spans: LineSpan[] = [];
  let at = 0;
  while (at < lines.length && !deadline.late()) {
    const opening = findOpening(lines, at);
    if (opening === undefined) break;
    const closing = findClosing(lines, opening);
    spans.push({ from: opening + 1, to: closing });
    at = closing + 1;
  }
  const useful = spans.filter((span) => holdsDiff(lines, span));
  return useful.length > 0 ? useful : [{ from: 0, to: lines.length }];
}

const fencePattern = /^( {0,3})(`{3,}|~{3,}) *([\w+-]*)$/;

function readFence(line: string): RegExpExecArray | null {
  return line.length > 200 ? null : fencePattern.exec(line.trimEnd());
}

/** A fence that opens a block before any diff has begun outside of one. */
function findOpening(lines: readonly string[], start: number): number | undefined {
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (readFence(line) !== null) return at;
    if (/^(@@|diff --git |--- \S|\+\+\+ \S|\*\*\* Begin Patch)/.test(line)) return undefined;
  }
  return undefined;
}

function findClosing(lines: readonly string[], opening: number): number {
  const [, indent = "", ticks = ""] = readFence(lines[opening] ?? "") ?? [];
  const closings: number[] = [];
  for (let at = opening + 1; at < lines.length; at++) {
    const [, inner, mark = "", info] = readFence(lines[at] ?? "") ?? [];
    if (inner !== indent || !mark.startsWith(ticks)) continue;
    if (info === "") closings.push(at);
    else if ((info === "diff" || info === "patch") && closings.length > 0) break;
  }
  const last = closings.at(-1);
  if (last === undefined) return lines.length;
  let more = last - 1;
  while (more > opening && !/^(@@|[-+])/.test(lines[more] ?? "")) more -= 1;
  return closings.find((closing) => closing >= more) ?? last;
}

function holdsDiff(lines: readonly string[], span: LineSpan): boolean {
  for (let at = span.from; at < span.to; at++) {
    if (/^(@@|[-+]|\*\*\* )/.test(lines[at] ?? "")) return true;
  }
  return false;
}
