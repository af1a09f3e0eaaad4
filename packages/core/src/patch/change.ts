import { splitLines, type TextLines } from "../text/index.js";
import { diffLines, diffTexts, type LineChange } from "./line-diff.js";

/** Lines of a text, 1-based, both included. `to < from` marks a deletion before line `from`. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface DescribeOptions {
  /** Unchanged lines around each change; 3 unless given. */
  readonly context?: number;
  /** Lines of the description at most; 60 unless given. */
  readonly maxLines?: number;
  /** The name in the header; no header without one. */
  readonly name?: string;
}

/**
 * The lines of the new text that differ from the old one; a changed ending counts.
 *
 * @param limitMs after this the changed middle is told as one range; 200 unless given.
 */
export function changedRanges(before: string, after: string, limitMs = 200): readonly LineRange[] {
  return diffTexts(before, after, limitMs).map((change) => ({ from: change.newFrom + 1, to: change.newTo }));
}

/**
 * A short unified diff between two texts, to be shown, not to be applied: it is cut after `maxLines` and
 * then says so. Empty where the texts are the same.
 */
export function describeChange(before: string, after: string, options: DescribeOptions = {}): string {
  const { context = 3, maxLines = 60, name } = options;
  const old = withEndings(splitLines(before));
  const fresh = withEndings(splitLines(after));
  const changes = diffLines(old, fresh, 200);
  if (changes.length === 0) return "";
  const out: string[] = name === undefined ? [] : [`--- ${name}`, `+++ ${name}`];
  const groups = groupChanges(changes, context);
  for (const group of groups) {
    if (out.length >= maxLines) break;
    renderGroup(old, fresh, group, context, out, maxLines);
  }
  const whole = groups.reduce(
    (sum, group) => sum + groupLength(old, group, context),
    name === undefined ? 0 : 2,
  );
  if (out.length < whole) out.push(`… ${whole - out.length} more lines of the difference are not shown.`);
  return out.join("\n");
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

function renderGroup(
  old: readonly string[],
  fresh: readonly string[],
  group: readonly LineChange[],
  context: number,
  out: string[],
  maxLines: number,
): void {
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
    for (let at = start; at < end && out.length < maxLines; at++)
      out.push(sign + showEnding(lines[at] ?? ""));
  };
  let at = from;
  for (const change of group) {
    put(" ", old, at, change.oldFrom);
    put("-", old, change.oldFrom, change.oldTo);
    put("+", fresh, change.newFrom, change.newTo);
    at = change.oldTo;
  }
  put(" ", old, at, to);
}

/** Carriage returns become visible; a last line without newline says so. */
function showEnding(line: string): string {
  if (line.endsWith("\r\n")) return `${line.slice(0, -2)}␍`;
  if (line.endsWith("\n")) return line.slice(0, -1);
  if (line.endsWith("\r")) return `${line.slice(0, -1)}␍`;
  return `${line}  (no newline at the end)`;
}
