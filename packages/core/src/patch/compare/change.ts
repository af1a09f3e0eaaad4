import { cutVisibly } from "../../text/index.js";
import { finish, type Steps } from "../model/steps.js";
import type { LineChange, LineRange } from "../model/types.js";
import { diffLinesInSteps, diffTexts, linesOf } from "./line-diff.js";

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
  /** After so many milliseconds of comparing, in one step, the changed middle is one change; 200 unless given. */
  readonly limitMs?: number;
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
  /** Where each of these lines, without its sign and its terminator, begins in `text` (UTF-16), in order. */
  readonly starts: readonly { readonly line: number; readonly start: number }[];
  /** All that differs is there: no line was left out, and none of the new ones was cut. */
  readonly isWhole: boolean;
}

/** `describeChange` for those who keep what was shown. */
export function describeShown(before: string, after: string, options: DescribeOptions = {}): ShownChange {
  return finish(describeShownInSteps(before, after, options));
}

/** The same in steps; one of them, the comparing itself, may take `limitMs`. */
export function* describeShownInSteps(
  before: string,
  after: string,
  options: DescribeOptions = {},
): Steps<ShownChange> {
  const { context = 3, maxLines = 60, maxLineChars = 2_000, limitMs = 200, name } = options;
  const old = yield* linesOf(before);
  const fresh = yield* linesOf(after);
  const changes = yield* diffLinesInSteps(old, fresh, limitMs);
  if (changes.length === 0) return { text: "", lines: [], starts: [], isWhole: true };
  const out: ShownLine[] = name === undefined ? [] : [{ text: `--- ${name}` }, { text: `+++ ${name}` }];
  const groups = groupChanges(changes, context);
  for (const group of groups) {
    if (out.length >= maxLines) break;
    renderGroup(old, fresh, group, context, out, maxLines);
  }
  const whole = groups.reduce(
    (sum, group) => sum + groupLength(old, group, context),
    name === undefined ? 0 : 2,
  );
  const missing = whole - out.length;
  const isCut = (line: number) => (fresh[line - 1] ?? "").length >= maxLineChars;
  const shown = out.flatMap(({ line }) => (line === undefined ? [] : [line]));
  const isWhole = missing <= 0 && !shown.some(isCut);
  if (missing > 0) out.push({ text: `… ${missing} more lines of the difference are not shown.` });
  return { ...put(out, maxLineChars, isCut), lines: rangesOf(shown.filter((line) => !isCut(line))), isWhole };
}

/** A line of the description; `line` is its number in the new text, where it stands there. */
interface ShownLine {
  readonly text: string;
  readonly line?: number;
}

/** The lines one under the other, each cut to its limit, and where those of the new text begin. */
function put(out: readonly ShownLine[], maxLineChars: number, isCut: (line: number) => boolean) {
  const starts: { line: number; start: number }[] = [];
  const written: string[] = [];
  let at = 0;
  for (const { text, line } of out) {
    const cut = cutVisibly(text, maxLineChars);
    // After the sign.
    if (line !== undefined && !isCut(line)) starts.push({ line, start: at + 1 });
    written.push(cut);
    at += cut.length + 1;
  }
  return { text: written.join("\n"), starts };
}

/** Sorted lines as ranges. */
function rangesOf(lines: readonly number[]): readonly LineRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last?.to === line - 1) last.to = line;
    else ranges.push({ from: line, to: line });
  }
  return ranges;
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
  out: ShownLine[],
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
  out.push({ text: `@@ -${range(from, to - from)} +${range(newFrom, to - from + growth)} @@` });
  // Context and added lines follow each other in the new text; what was removed is none of it.
  let line = newFrom;
  const push = (sign: " " | "+" | "-", lines: readonly string[], start: number, end: number) => {
    const count = Math.max(0, Math.min(end - start, maxLines - out.length));
    for (const one of lines.slice(start, start + count)) {
      const text = sign + showEnding(one);
      out.push(sign === "-" ? { text } : { text, line: ++line });
    }
  };
  let at = from;
  for (const change of group) {
    push(" ", old, at, change.oldFrom);
    push("-", old, change.oldFrom, change.oldTo);
    push("+", fresh, change.newFrom, change.newTo);
    at = change.oldTo;
  }
  push(" ", old, at, to);
}

/** Carriage returns become visible; a last line without newline says so. */
function showEnding(line: string): string {
  if (line.endsWith("\r\n")) return `${line.slice(0, -2)}␍`;
  if (line.endsWith("\n")) return line.slice(0, -1);
  if (line.endsWith("\r")) return `${line.slice(0, -1)}␍`;
  return `${line}  (no newline at the end)`;
}
