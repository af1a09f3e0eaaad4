import { diffLines, finish, type Steps, type TextSplice } from "../../patch/index.js";
import { countLines, splitLines } from "../../text/index.js";
import { carrySpans, joinSpans, type LineEdit, type LineSpan, lineEdits } from "./line-spans.js";

/** What splices came to, line by line. */
export interface PlacedLines {
  readonly changes: readonly LineEdit[];
  /** Lines of the new text that all came from the splices' own texts. */
  readonly authored: readonly LineSpan[];
}

/**
 * The lines that splices change, where they were made: of two equal lines the very one that was meant. Lines
 * that a splice puts back as they were are no change.
 *
 * In `a\nb\nc\n` the splice of `b` (2 to 3) by `x\nb` inserts one line: `{ at: 2, removed: 0, added: 1 }`,
 * and lines 2 and 3 of the new text are authored.
 *
 * @param splices sorted, none overlapping another.
 * @returns undefined for a text whose lines a lone carriage return ends.
 */
export function placeSplices(before: string, splices: readonly TextSplice[]): PlacedLines | undefined {
  return finish(spliceLines(before, splices));
}

function* spliceLines(before: string, splices: readonly TextSplice[]): Steps<PlacedLines | undefined> {
  if (loneReturn.test(before)) return undefined;
  const changes: LineEdit[] = [];
  const authored: LineSpan[] = [];
  let line = 1;
  let counted = 0;
  let shift = 0;
  let done = 0;
  for (const region of regionsOf(before, splices)) {
    if (++done % stepLength === 0) yield;
    if (loneReturn.test(region.text)) return undefined;
    line += newlinesBetween(before, counted, region.from);
    counted = region.from;
    const placed = placeRegion(region);
    for (const edit of placed.changes) changes.push({ ...edit, at: edit.at + line - 1 });
    for (const { from, to } of placed.authored)
      authored.push({ from: from + line - 1 + shift, to: to + line - 1 + shift });
    shift += placed.grown;
  }
  return { changes, authored };
}

/** The lines of one region, counted from its first. Those of a very large one count as one change. */
function placeRegion(region: Region): PlacedLines & { readonly grown: number } {
  const { old } = region;
  const isLarge = old.length + region.text.length > largeRegion;
  if (isLarge && region.own.length > 1) {
    const [removed, added] = [countLines(old), countLines(region.text)];
    return { changes: [{ at: 1, removed, added }], authored: [], grown: added - removed };
  }
  const [before, after] = [linesOf(old), linesOf(region.text)];
  const changes = joinMoved(lineEdits(diffLines(before, after, compareMs)), before, after);
  return { changes, authored: authoredLines(after, region.own), grown: after.length - before.length };
}

/**
 * Which of two lines stayed and which one was moved past it is a comparison's whim where one text brings them in
 * another order: all from the first to the last of them is one change then.
 */
function joinMoved(
  edits: readonly LineEdit[],
  before: readonly string[],
  after: readonly string[],
): readonly LineEdit[] {
  const [first] = edits;
  const last = edits.at(-1);
  if (first === undefined || last === undefined || edits.length === 1) return edits;
  const gone = new Set<string>();
  for (const { at, removed } of edits)
    for (const line of before.slice(at - 1, at - 1 + removed)) gone.add(line);
  let shift = 0;
  let isMoved = false;
  for (const { at, removed, added } of edits) {
    isMoved ||= after.slice(at - 1 + shift, at - 1 + shift + added).some((line) => gone.has(line));
    shift += added - removed;
  }
  if (!isMoved) return edits;
  const removed = last.at + last.removed - first.at;
  return [{ at: first.at, removed, added: removed + shift }];
}

/** In UTF-16 units. Cutting so many into lines takes some milliseconds. */
const largeRegion = 1 << 19;
/** After so long the changed middle of a region counts as one change. */
const compareMs = 25;
const stepLength = 64;

/** Several steps of splices, each on the result of the one before, as one. */
export function placeSteps(
  steps: readonly { readonly before: string; readonly splices: readonly TextSplice[] }[],
): PlacedLines | undefined {
  return finish(placeEdits(steps));
}

/** The same in steps: each splice has a comparison of its own. */
export function* placeEdits(
  steps: readonly { readonly before: string; readonly splices: readonly TextSplice[] }[],
): Steps<PlacedLines | undefined> {
  let placed: PlacedLines = { changes: [], authored: [] };
  for (const { before, splices } of steps) {
    const next = yield* spliceLines(before, splices);
    if (next === undefined) return undefined;
    yield;
    const authored = joinSpans([...carrySpans(placed.authored, next.changes), ...next.authored]);
    placed = { changes: composeEdits(placed.changes, next.changes), authored };
  }
  return placed;
}

/** Whether it ends a line depends on the rest of the text (`splitLines`). */
const loneReturn = /\r(?!\n)/;

/**
 * First one change, then another on its result, as one. Both are sorted.
 *
 * Of `a b c` to `a X b c` and on to `a Y c`: the first added line 2 of the text between, the second replaced its lines
 * 2 and 3, so that together line 2 of the old text is replaced by one line.
 */
export function composeEdits(first: readonly LineEdit[], second: readonly LineEdit[]): readonly LineEdit[] {
  if (first.length === 0) return second;
  const composed: LineEdit[] = [];
  let shift = 0;
  for (const { from, to, grown, grows } of joinStretches([...stretchesOf(first), ...second.map(stretchOf)])) {
    const edit = { at: from - shift, removed: to - from - grown, added: to - from + grows };
    if (edit.removed > 0 || edit.added > 0) composed.push(edit);
    shift += grown;
  }
  return composed;
}

/** Lines of the text between two changes that either touches; the end excluded. */
interface TouchedLines {
  readonly from: number;
  readonly to: number;
  /** How many lines it has more than the old text there, and the new text more than it. */
  readonly grown: number;
  readonly grows: number;
}

function stretchesOf(first: readonly LineEdit[]): readonly TouchedLines[] {
  let shift = 0;
  return first.map(({ at, removed, added }) => {
    const from = at + shift;
    shift += added - removed;
    return { from, to: from + added, grown: added - removed, grows: 0 };
  });
}

function stretchOf({ at, removed, added }: LineEdit): TouchedLines {
  return { from: at, to: at + removed, grown: 0, grows: added - removed };
}

/** The same in order, those that touch or overlap joined. */
function joinStretches(stretches: readonly TouchedLines[]): readonly TouchedLines[] {
  const joined: TouchedLines[] = [];
  for (const next of stretches.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last === undefined || next.from > last.to) joined.push(next);
    else {
      const [to, grown] = [Math.max(last.to, next.to), last.grown + next.grown];
      joined[joined.length - 1] = { from: last.from, to, grown, grows: last.grows + next.grows };
    }
  }
  return joined;
}

/** Whole lines of the old text, what becomes of them, and which stretches of that came from splices. */
interface Region {
  readonly from: number;
  readonly to: number;
  /** Both with a long beginning and end that they share cut short. */
  readonly old: string;
  readonly text: string;
  readonly own: readonly { readonly from: number; readonly to: number }[];
}

function* regionsOf(before: string, splices: readonly TextSplice[]): Generator<Region, void, void> {
  let next = 0;
  for (let splice = splices[next]; splice !== undefined; splice = splices[next]) {
    const first = splice;
    const from = splice.from === 0 ? 0 : before.lastIndexOf("\n", splice.from - 1) + 1;
    const own: { from: number; to: number }[] = [];
    const made = new TextInMaking();
    let done = from;
    let to = from;
    while (splice !== undefined && (own.length === 0 || touches(before, splice.from, to))) {
      made.add(own.length === 0 ? shortened(before, from, splice.from) : before.slice(done, splice.from));
      own.push({ from: made.length, to: made.length + splice.text.length });
      made.add(splice.text);
      done = splice.to;
      // In the lines that are there already, whatever ends them stays.
      if (splice.to >= to) to = regionEnd(before, splice, made.endsLine);
      next += 1;
      splice = splices[next];
    }
    const tail = shortened(before, done, to);
    made.add(tail);
    const old = shortened(before, from, first.from) + before.slice(first.from, done) + tail;
    yield { from, to, old, text: made.text(), own };
  }
}

/**
 * A stretch that stands in both texts: of a line of many megabytes, what is between its ends makes no difference to
 * which lines are equal, and would be copied again and again. No text holds the NUL in its place, and its offsets tell
 * one stretch from another.
 */
function shortened(text: string, from: number, to: number): string {
  if (to - from <= longStretch) return text.slice(from, to);
  return `${text.slice(from, from + endUnits)}\0${from}-${to}\0${text.slice(to - endUnits, to)}`;
}

/** In UTF-16 units. Only the head and the tail of a region are cut short: they hold at most the end of one line. */
const longStretch = 1 << 16;
const endUnits = 16;

/** A text of many pieces: joined once, since each look at a text in the making would copy all of it. */
class TextInMaking {
  length = 0;
  /** Whether nothing stands before what comes next, or a newline does. */
  endsLine = true;
  private readonly pieces: string[] = [];

  add(piece: string): void {
    if (piece === "") return;
    this.pieces.push(piece);
    this.length += piece.length;
    this.endsLine = piece.endsWith("\n");
  }

  text(): string {
    return this.pieces.join("");
  }
}

/** Whether an offset lies in the lines up to `to`; behind a last line without newline it does, too. */
function touches(before: string, from: number, to: number): boolean {
  return from < to || (from === to && to === before.length && before[to - 1] !== "\n");
}

/** Up to the end of the line in which a splice ends, unless it ends between two lines and leaves them so. */
function regionEnd(before: string, { to }: TextSplice, endsLine: boolean): number {
  const between = to === 0 || before[to - 1] === "\n";
  if (between && endsLine) return to;
  const newline = before.indexOf("\n", to);
  return newline < 0 ? before.length : newline + 1;
}

function newlinesBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Lines with their terminators, so that a changed one is seen. */
function linesOf(text: string): readonly string[] {
  const { contents, endings } = splitLines(text);
  return contents.map((line, at) => line + (endings[at] ?? ""));
}

/** The lines whose text (the terminator may be the file's) lies in one stretch; 1-based. */
function authoredLines(lines: readonly string[], own: Region["own"]): readonly LineSpan[] {
  const authored: LineSpan[] = [];
  let start = 0;
  let next = 0;
  for (const [at, line] of lines.entries()) {
    const end = start + line.length - (line.endsWith("\r\n") ? 2 : line.endsWith("\n") ? 1 : 0);
    while ((own[next]?.to ?? Number.POSITIVE_INFINITY) < end) next += 1;
    const stretch = own[next];
    if (stretch !== undefined && stretch.from <= start && end <= stretch.to)
      authored.push({ from: at + 1, to: at + 1 });
    start += line.length;
  }
  return joinSpans(authored);
}
