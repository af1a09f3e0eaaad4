import { cutVisibly, splitLines, type TextLines } from "../../text/index.js";
import type { LineChange, LineRange } from "../model/types.js";
import { diffLines, diffTexts } from "./line-diff.js";

/** How much of a difference is shown. */
export interface DescribeOptions {
  /** Unchanged lines around each change; 3 unless given. */
  readonly context?: number;
  /** Lines of the description at most; 60 unless given. */
  readonly maxLines?: number;
  /** Characters of a line at most; 2,000 unless given. The rest is counted. */
  readonly maxLineChars?: number;
  /** The name in the header; no header without one. */
  readonly name?: string;
}

/**
 * The lines of the new text that differ from the old one; a changed ending counts.
 *
 * @param limitMs after this the changed middle is given as one range; 200 unless given.
 */
export function changedRanges(before: string, after: string, limitMs = 200): readonly LineRange[] {
  return diffTexts(before, after, limitMs).map((change) => ({ from: change.newFrom + 1, to: change.newTo }));
}

/**
 * A short unified diff between two texts, to be shown, not to be applied: it is cut after `maxLines` and
 * then says so. Empty where the texts are the same.
 */
export function describeChange(before: string, after: string, options: DescribeOptions = {}): string {
  return describeShown(before, after, options).text;
}

/** A description, and the lines of the new text that it shows whole. */
export interface ShownChange {
  readonly text: string;
  readonly lines: readonly LineRange[];
  /** No line of the difference is left out, so that whoever reads it can follow every other line. */
  readonly isWhole: boolean;
}

/** `describeChange` for those who keep what was shown. */
export function describeShown(before: string, after: string, options: DescribeOptions = {}): ShownChange {
  const { context = 3, maxLines = 60, maxLineChars = 2_000, name } = options;
  const old = withEndings(splitLines(before));
  const fresh = withEndings(splitLines(after));
  const changes = diffLines(old, fresh, 200);
  if (changes.length === 0) return { text: "", lines: [], isWhole: true };
  const lines: LineRange[] = [];
  const out: string[] = name === undefined ? [] : [`--- ${name}`, `+++ ${name}`];
  const groups = groupChanges(changes, context);
  for (const group of groups) {
    if (out.length >= maxLines) break;
    lines.push(...renderGroup(old, fresh, group, context, out, maxLines));
  }
  const whole = groups.reduce(
    (sum, group) => sum + groupLength(old, group, context),
    name === undefined ? 0 : 2,
  );
  const left = whole - out.length;
  if (left > 0) out.push(`… ${left} more lines of the difference are not shown.`);
  const isWhole = (line: number) => (fresh[line - 1] ?? "").length < maxLineChars;
  const text = out.map((line) => cutVisibly(line, maxLineChars)).join("\n");
  const shown = lines.flatMap((range) => rangesWhere(range, isWhole));
  return { text, lines: shown, isWhole: left <= 0 };
}

/** The lines of a range that are as asked. */
function rangesWhere({ from, to }: LineRange, holds: (line: number) => boolean): readonly LineRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (let line = from; line <= to; line++) {
    const last = ranges.at(-1);
    if (!holds(line)) continue;
    if (last?.to === line - 1) last.to = line;
    else ranges.push({ from: line, to: line });
  }
  return ranges;
}

/** Lines as they are compared and shown: the ending is part of the line, so that a changed one is seen. */
function withEndings({ contents, endings }: TextLines): readonly string[] {
  return contents.map((text, at) => text + (endings[at] ?? ""));
}

function groupChanges(changes: readonly LineChange[], context: number): readonly (readonly LineChange[])[] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && change.oldFrom - last.oldTo <= 2 * context) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups;
}

function boundsOf(
  old: readonly string[],
  group: readonly LineChange[],
  context: number,
): { from: number; to: number } {
  const from = Math.max(0, (group[0]?.oldFrom ?? 0) - context);
  return { from, to: Math.min(old.length, (group.at(-1)?.oldTo ?? 0) + context) };
}

function groupLength(old: readonly string[], group: readonly LineChange[], context: number): number {
  const { from, to } = boundsOf(old, group, context);
  return 1 + to - from + group.reduce((sum, change) => sum + change.newTo - change.newFrom, 0);
}

/** @returns the lines of the new text that were put. */
function renderGroup(
  old: readonly string[],
  fresh: readonly string[],
  group: readonly LineChange[],
  context: number,
  out: string[],
  maxLines: number,
): readonly LineRange[] {
  const { from, to } = boundsOf(old, group, context);
  const [first] = group;
  const newFrom = from + (first === undefined ? 0 : first.newFrom - first.oldFrom);
  const growth = group.reduce(
    (sum, change) => sum + change.newTo - change.newFrom - (change.oldTo - change.oldFrom),
    0,
  );
  const range = (start: number, count: number) => `${count === 0 ? start : start + 1},${count}`;
  out.push(`@@ -${range(from, to - from)} +${range(newFrom, to - from + growth)} @@`);
  const put = (sign: string, lines: readonly string[], start: number, end: number) => {
    const count = Math.max(0, Math.min(end - start, maxLines - out.length));
    for (const line of lines.slice(start, start + count)) out.push(sign + showEnding(line));
    return count;
  };
  let at = from;
  // Context and added lines follow each other in the new text; what was removed is none of it.
  let shown = 0;
  for (const change of group) {
    shown += put(" ", old, at, change.oldFrom);
    put("-", old, change.oldFrom, change.oldTo);
    shown += put("+", fresh, change.newFrom, change.newTo);
    at = change.oldTo;
  }
  shown += put(" ", old, at, to);
  return shown === 0 ? [] : [{ from: newFrom + 1, to: newFrom + shown }];
}

/** Carriage returns become visible; a last line without newline says so. */
function showEnding(line: string): string {
  if (line.endsWith("\r\n")) return `${line.slice(0, -2)}␍`;
  if (line.endsWith("\n")) return line.slice(0, -1);
  if (line.endsWith("\r")) return `${line.slice(0, -1)}␍`;
  return `${line}  (no newline at the end)`;
}
