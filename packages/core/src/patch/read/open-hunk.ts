import { counted, splitLines } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import {
  type Hunk,
  type HunkHeader,
  type HunkLine,
  kindOfSign,
  ListedHunk,
  type ShapedHunk,
  WrittenHunk,
} from "../model/hunk.js";
import type { LineTable } from "../model/line-table.js";
import type { Repair } from "../model/types.js";

/** A hunk while its lines are being read: those of the diff from `body` on. */
export interface OpenHunk {
  readonly header: HunkHeader;
  /** The line of the diff at which the hunk begins, its header included, and the first one below it. */
  readonly from: number;
  readonly body: number;
  /** Its lines so far that are not added, that are not removed, and that are either. */
  old: number;
  fresh: number;
  changed: number;
  /** Whether each of its lines so far begins with its sign. */
  isPlain: boolean;
  /** Lines of the diff that are marks of an envelope and none of the file. */
  readonly marks: number[];
  /** The line of the diff behind the one that made both counts of the header true. */
  metAt: number | undefined;
  /** Whether lines with a sign follow that one. */
  isOverrun: boolean;
  /** Whether a marker says that the hunk reaches the end of the file. */
  atEnd: boolean;
}

/** What is needed to know where a hunk ends. */
interface HunkContext {
  /** Whether the file has a line of this text; always true where the file is not known. */
  readonly isBaseLine: (text: string) => boolean;
  /** The line of the diff at which something else begins, and whether that is the end of a part of the diff. */
  readonly at: number;
  readonly isLastOfSpan: boolean;
}

/**
 * The line of the diff behind the last one of the hunk. Lines with a sign belong to it, whatever its counts say, but for
 * text that follows once both counts are met. Of the lines without one at its end, blank ones separate hunks and others
 * may be text.
 */
export function findHunkEnd(lines: LineTable, open: OpenHunk, context: HunkContext): number {
  const { metAt, isPlain, body } = open;
  const { at, isLastOfSpan, isBaseLine } = context;
  if (metAt !== undefined && (metAt === at || isText(lines, metAt, context))) return metAt;
  if (isPlain) return at;
  const end = withoutBlanks(lines, body, isLastOfSpan ? beforeSignature(lines, body, at) : at);
  let text = end;
  while (text > body && isBare(lines, text - 1)) text -= 1;
  const tail = Array.from({ length: end - text }, (_, n) => text + n).filter((one) => !isBlank(lines, one));
  const isOfFile = tail.length === 0 || tail.some((one) => isBaseLine(lines.line(one)));
  return isOfFile ? end : withoutBlanks(lines, body, text);
}

/**
 * Whether what follows once both counts are met is text, such as a mail's signature, whose dashes read like a removed
 * line. A count that is too small is met as well: so it is none where the file has one of its old lines.
 */
function isText(lines: LineTable, from: number, { at, isBaseLine }: HunkContext): boolean {
  if (!isBare(lines, from) && !opensSignature(lines.line(from))) return false;
  let [isTold, isSigned] = [false, false];
  for (let one = from; one < at; one++) {
    if (isBlank(lines, one) || isMarker(lines, one)) continue;
    const kind = kindOfSign(lines.firstCode(one));
    const isOfFile = kind !== "added" && isBaseLine(kind ? lines.textAfterSign(one) : lines.line(one));
    const isSignature = opensSignature(lines.line(one));
    if (isOfFile && kind !== undefined && !isSignature) return false;
    isTold ||= !isOfFile && (kind === undefined || isSignature);
    isSigned ||= kind !== undefined;
  }
  return isTold || !isSigned;
}

/** The hunk of an open one, up to a line of the diff. */
export function closeHunk(
  lines: LineTable,
  open: OpenHunk,
  end: number,
  number: number,
  splitReturns: boolean,
): Hunk {
  const { header, atEnd, body, marks } = open;
  // Every line has its sign, so that all belong to the hunk, whatever its counts say.
  if (open.isPlain && !splitReturns && !lines.endsWithReturns)
    return new WrittenHunk(number, header, atEnd, lines, body, end - body);
  const list: HunkLine[] = [];
  const marked: number[] = [];
  for (let at = body; at < end; at++) {
    if (marks.includes(at)) continue;
    if (!isMarker(lines, at)) list.push(...readLines(lines, at, splitReturns));
    else {
      marked.push(list.length - 1);
      const last = list.at(-1);
      // The newline is the marker's, so that a return before it is the file's own, unless the marker has one as well.
      const isKept = last?.ending === "\r\n" && lines.ending(at) === "\n" && !splitReturns;
      if (last !== undefined)
        list[list.length - 1] = { ...last, text: last.text + (isKept ? "\r" : ""), ending: "" };
    }
  }
  const isMarked = (kind: HunkLine["kind"]) =>
    marked.length > 0 && marked.includes(list.findLastIndex((line) => line.kind !== kind));
  const [oldLacksNewline, newLacksNewline] = [isMarked("added"), isMarked("removed")];
  // A copy has no room to grow, of which many small arrays would waste much.
  return new ListedHunk({ number, header, oldLacksNewline, newLacksNewline, atEnd }, list.slice());
}

/** What was put right in a hunk that was read; text behind it is told with all other text. */
export function describeReading(
  lines: LineTable,
  hunk: Hunk,
  end: number,
  { at, isLastOfSpan }: HunkContext,
): readonly Repair[] {
  const repairs: Repair[] = [];
  const dropped = at - end;
  const isTold = dropped > (isLastOfSpan ? 1 : 0);
  if (isTold && withoutBlanks(lines, end, at) === end)
    repairs.push({
      kind: "blank_lines",
      hunk: hunk.number,
      detail: `${counted(dropped, "blank line")} after the hunk left out`,
    });
  const bare = hunk instanceof WrittenHunk ? 0 : hunk.lines.filter((line) => line.bare).length;
  if (bare > 0) {
    const detail = `${counted(bare, "context line")} without the space`;
    repairs.push({ kind: "missing_prefix", hunk: hunk.number, detail });
  }
  return repairs;
}

/** The lines of the file that a line of the diff is: several where a lone return ends lines of the file. */
function readLines(lines: LineTable, at: number, splitReturns: boolean): readonly HunkLine[] {
  const written = lines.ending(at) ?? "";
  // A lone return ends a line of the diff's transport; of the file only if the file has such lines.
  const ending = written === "\r" && !splitReturns ? "\n" : written;
  const kind = kindOfSign(lines.firstCode(at));
  const text = lines.text.slice(lines.startOf(at) + (kind === undefined ? 0 : 1), lines.endOf(at));
  const line: HunkLine = { kind: kind ?? "context", text, ending, bare: kind === undefined };
  if (!splitReturns || !text.includes("\r")) return [line];
  return text
    .replace(/\r$/, "")
    .split("\r")
    .map((part) => ({ ...line, text: part }));
}

/** Whether a line is `\ No newline at end of file`, in whatever language. */
export function isMarker(lines: LineTable, at: number): boolean {
  return lines.firstCode(at) === backslash && /^\\ \S/.test(lines.line(at));
}

function isBare(lines: LineTable, at: number): boolean {
  return kindOfSign(lines.firstCode(at)) === undefined && !isMarker(lines, at);
}

/** A blank line without its sign. */
function isBlank(lines: LineTable, at: number): boolean {
  return isBare(lines, at) && lines.line(at).trim() === "";
}

function withoutBlanks(lines: LineTable, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(lines, end - 1)) end -= 1;
  return end;
}

/** The signature of a mail that the counts do not end: git's, of which the second line is a version. */
function beforeSignature(lines: LineTable, from: number, to: number): number {
  const end = withoutBlanks(lines, from, to);
  const isVersion = /^\d+\.\d+/.test(lines.line(end - 1));
  return end - 2 >= from && opensSignature(lines.line(end - 2)) && isVersion ? end - 2 : to;
}

/** Whether a line is what the signature of a mail begins with. */
export function opensSignature(line: string): boolean {
  return /^-- ?$/.test(line);
}

const backslash = 92;

/**
 * Finds an added line that stands for code it leaves out, such as `// ... existing code ...`, and that the
 * file does not have.
 *
 * @param diff the whole diff, a quick test that excludes most.
 */
export function findPlaceholder(
  { text: base }: BaseText,
  diff: string,
  hunks: readonly ShapedHunk[],
): { readonly hunk: number; readonly text: string } | undefined {
  if (!hasEllipsis(diff)) return undefined;
  for (const { hunk } of hunks) {
    const without = (kind: "added" | "removed") =>
      hunk.lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join("\n");
    const old = without("added");
    const text = omissionIn(`${base}\n${old}`, without("removed"), old);
    if (text !== undefined) return { hunk: hunk.number, text };
  }
  return undefined;
}

/**
 * The first line of a new text that stands for text left out, such as `// ... rest unchanged ...`: what it
 * stands for would be gone.
 *
 * @param before a line that stands in it is meant as it is.
 * @param old the text that is replaced: where all its lines are kept, a fenced code block may show such a line.
 * @returns the line without blanks around it; undefined where nothing is left out.
 */
export function omissionIn(before: string, fresh: string, old = before): string | undefined {
  if (!hasEllipsis(fresh)) return undefined;
  const { contents } = splitLines(fresh);
  let [isFenced, keepsAll]: [boolean, boolean | undefined] = [false, undefined];
  for (const line of contents) {
    if (fence.test(line)) isFenced = !isFenced;
    if (!isPlaceholder(line) || before.includes(line.trim())) continue;
    if (!isFenced) return line.trim();
    keepsAll ??= holdsLines(contents, old);
    if (!keepsAll) return line.trim();
  }
  return undefined;
}

/** Whether all lines of a text stand among others, in their order; blank ones do not count. */
function holdsLines(lines: readonly string[], text: string): boolean {
  const wanted = splitLines(text).contents.filter((line) => line.trim() !== "");
  let next = 0;
  for (const line of lines) if (line === wanted[next]) next += 1;
  return next === wanted.length;
}

/** What a refusal says of who means the words themselves. */
export const inFence =
  " If these words are meant, show them in a fenced code block (```), in a call that takes nothing away.";

const fence = /^\s*(?:`{3}|~{3})/;

/** Whether a line has an ellipsis and, besides, nothing but the words of an omission. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 120 || !hasEllipsis(text) || spread.test(text)) return false;
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return (
    words.some((word) => omissionWords.has(word)) &&
    words.every((word) => omissionWords.has(word) || fillerWords.has(word))
  );
}

/** One name right behind three dots, as JavaScript spreads it: code, whatever the name. */
const spread = /^[\s[({]*\.{3}[\p{L}_$][\w$.]*[\s\])},;]*$/u;

function hasEllipsis(text: string): boolean {
  return text.includes("...") || text.includes("…");
}

const omissionWords = new Set("rest remaining remains existing unchanged omitted previous same".split(" "));
const fillerWords = new Set(
  (
    "of the this your is are as and for in to above below before here code codes file files function functions " +
    "method methods class classes content contents implementation implementations line lines logic import " +
    "imports body test tests other others all stays stay brevity original no changes keep everything else " +
    "component components definition definitions module section part parts html css"
  ).split(" "),
);
