import { countLines, cutVisibly, LineFinder } from "../../text/index.js";
import { Deadline, finish, finishInTurns, type Steps } from "../model/steps.js";
import type { LineChange, LineRange } from "../model/types.js";
import { diffSteps } from "./line-diff.js";

/** How much of a difference is shown. */
interface DescribeOptions {
  /** Unchanged lines around each change; 3 unless given. */
  readonly context?: number;
  /** Lines of the description at most; 60 unless given. */
  readonly maxLines?: number;
  /** Characters of a line at most; 2,000 unless given. The rest is counted. */
  readonly maxLineChars?: number;
  /** The name in the header; no header without one. */
  readonly name?: string;
  /** After so many milliseconds of comparing the changed middle is one change; 200 unless given. */
  readonly limitMs?: number;
  /** Whether there is room for a description; one that does not fit is made anew with half the lines, down to one. */
  readonly fits?: (text: string) => boolean;
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
  /** All that differs is there: no line was left out, and none was cut. */
  readonly isWhole: boolean;
}

/** `describeChange` for those who keep what was shown. */
export function describeShown(before: string, after: string, options: DescribeOptions = {}): ShownChange {
  return finish(describeSteps(before, after, options));
}

/**
 * The same in a process that has other things to do: whenever it has worked for 5 ms, it waits until `pause` resolves.
 *
 * @param pause resolves once the others had their turn, such as `setImmediate` of `node:timers/promises`.
 */
export async function describeShownInTurns(
  before: string,
  after: string,
  options: DescribeOptions,
  pause: () => Promise<unknown>,
): Promise<ShownChange> {
  // The comparison has a limit of its own; the rest has none.
  return finishInTurns(describeSteps(before, after, options), new Deadline(0), pause);
}

/** The same in steps. */
export function* describeSteps(
  before: string,
  after: string,
  options: DescribeOptions = {},
): Steps<ShownChange> {
  const { context = 3, limitMs = 200, fits = () => true } = options;
  const changes = yield* diffSteps(before, after, limitMs);
  if (changes.length === 0) return { text: "", lines: [], starts: [], isWhole: true };
  const texts = { old: new LineFinder(before), fresh: new LineFinder(after) };
  const compared = {
    texts,
    oldLength: countLines(before),
    groups: groupChanges(changes, context),
  };
  for (let maxLines = options.maxLines ?? 60; ; maxLines = Math.floor(maxLines / 2)) {
    const shown = showCompared(compared, { ...options, context, maxLines });
    if (maxLines <= 1 || fits(shown.text)) return shown;
    yield;
  }
}

/** Two texts with their changes, those near each other together. */
interface Compared {
  readonly texts: { readonly old: LineFinder; readonly fresh: LineFinder };
  readonly oldLength: number;
  readonly groups: readonly (readonly LineChange[])[];
}

function showCompared(
  { texts, oldLength, groups }: Compared,
  {
    context,
    maxLines,
    maxLineChars = 2_000,
    name,
  }: DescribeOptions & { readonly context: number; readonly maxLines: number },
): ShownChange {
  const out: ShownLine[] = name === undefined ? [] : [{ text: `--- ${name}` }, { text: `+++ ${name}` }];
  for (const group of groups) {
    if (out.length >= maxLines) break;
    renderGroup(texts, group, boundsOf(oldLength, group, context), { out, maxLines, maxLineChars });
  }
  const whole = groups.reduce(
    (sum, group) => sum + groupLength(oldLength, group, context),
    name === undefined ? 0 : 2,
  );
  const missing = whole - out.length;
  const shown = out.flatMap(({ line, isCut }) => (line === undefined ? [] : [{ line, isCut }]));
  const isWhole = missing <= 0 && !out.some(({ isCut }) => isCut);
  if (missing > 0) out.push({ text: `… ${missing} more lines of the difference are not shown.` });
  const uncut = shown.filter(({ isCut }) => isCut !== true).map(({ line }) => line);
  return { ...put(out, maxLineChars), lines: rangesOf(uncut), isWhole };
}

/** A line of the description; `line` is its number in the new text, where it stands there. */
interface ShownLine {
  readonly text: string;
  readonly line?: number;
  /** It is too long to be shown whole. */
  readonly isCut?: boolean;
  /** It was cut already, around what differs in it. */
  readonly isFitted?: boolean;
}

/** The lines one under the other, each cut to its limit, and where those of the new text begin. */
function put(out: readonly ShownLine[], maxLineChars: number) {
  const starts: { line: number; start: number }[] = [];
  const written: string[] = [];
  let at = 0;
  for (const { text, line, isCut, isFitted } of out) {
    const cut = isFitted === true ? text : cutVisibly(text, maxLineChars);
    // After the sign.
    if (line !== undefined && isCut !== true) starts.push({ line, start: at + 1 });
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

interface Bounds {
  readonly from: number;
  readonly to: number;
}

function boundsOf(oldLength: number, group: readonly LineChange[], context: number): Bounds {
  const from = Math.max(0, (group[0]?.oldFrom ?? 0) - context);
  return { from, to: Math.min(oldLength, (group.at(-1)?.oldTo ?? 0) + context) };
}

function groupLength(oldLength: number, group: readonly LineChange[], context: number): number {
  const { from, to } = boundsOf(oldLength, group, context);
  return 1 + to - from + group.reduce((sum, change) => sum + change.newTo - change.newFrom, 0);
}

interface Output {
  readonly out: ShownLine[];
  readonly maxLines: number;
  readonly maxLineChars: number;
}

function renderGroup(
  { old, fresh }: { readonly old: LineFinder; readonly fresh: LineFinder },
  group: readonly LineChange[],
  { from, to }: Bounds,
  { out, maxLines, maxLineChars }: Output,
): void {
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
  const push = (
    sign: " " | "+" | "-",
    lines: LineFinder,
    start: number,
    end: number,
    other?: { readonly lines: LineFinder; readonly from: number; readonly to: number },
  ) => {
    for (let at = start; at < end && out.length < maxLines; at++) {
      const one = lines.lines(at + 1, at + 1);
      const isCut = one.length >= maxLineChars;
      const partner = other === undefined ? 0 : other.from + at - start;
      const isPaired = isCut && other !== undefined && partner < other.to;
      const text = isPaired
        ? sign +
          cutAround(showEnding(one), differAt(one, other.lines.lines(partner + 1, partner + 1)), maxLineChars)
        : sign + showEnding(one);
      out.push({
        text,
        isCut,
        ...(isPaired ? { isFitted: true } : {}),
        ...(sign === "-" ? {} : { line: ++line }),
      });
    }
  };
  let at = from;
  for (const change of group) {
    push(" ", old, at, change.oldFrom);
    const room = maxLines - out.length;
    // What goes and what comes share the room: a question about the one without the other says nothing.
    const most = Math.max(Math.ceil(room / 2), room - (change.newTo - change.newFrom));
    const oldTo = Math.min(change.oldTo, change.oldFrom + most);
    push("-", old, change.oldFrom, oldTo, { lines: fresh, from: change.newFrom, to: change.newTo });
    push("+", fresh, change.newFrom, change.newTo, {
      lines: old,
      from: change.oldFrom,
      to: change.oldTo,
    });
    at = change.oldTo;
  }
  push(" ", old, at, to);
}

/** Where two lines begin to differ (UTF-16). */
function differAt(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** A long line around what differs in it, with how much was left out on both sides. */
function cutAround(line: string, at: number, limit: number): string {
  if (at < limit / 2) return cutVisibly(line, limit);
  const from = at - Math.floor(limit / 4);
  const isHalf = line.charCodeAt(from) >= 0xdc00 && line.charCodeAt(from) <= 0xdfff;
  const begin = isHalf ? from + 1 : from;
  return `${begin.toLocaleString("en-US")} characters …${cutVisibly(line.slice(begin), limit)}`;
}

/** Carriage returns become visible; a last line without newline says so. */
function showEnding(line: string): string {
  if (line.endsWith("\r\n")) return `${line.slice(0, -2)}␍`;
  if (line.endsWith("\n")) return line.slice(0, -1);
  if (line.endsWith("\r")) return `${line.slice(0, -1)}␍`;
  return `${line}  (no newline at the end)`;
}
