import { endingAt, inEndingsAt, spliceSteps, type TextSplice, withEndingsOf } from "../../patch/index.js";
import {
  clip,
  counted,
  countLines,
  endsLine,
  escapeForDisplay,
  LineFinder,
  type Steps,
} from "../../text/index.js";
import type { Plan } from "../access/change.js";
import { encodeFile } from "../access/file-text.js";
import type { Current } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import type { LineSpan } from "../lines/line-spans.js";
import { splicedReport } from "../values/change-report.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Asked, EditLinesRequest, NumberedEdit } from "../values/requests.js";
import { type TimeBudget, takeSteps } from "../values/time-budget.js";
import { textOf, tooManyLines } from "./plans.js";

/**
 * Whole lines in the place of lines, or between two: a missing newline at their end is added. Whether the file ends with
 * a newline stays as it was. `out_of_range`, or `invalid_arguments` where two edits name one line.
 */
export function planLines(
  session: Session,
  request: Asked<EditLinesRequest>,
  current: Current,
  budget: TimeBudget,
  words: LineWords = { done: (replaced) => `${linesMessage(request)}${replaced}`, outOfRange: noSuchLine },
): Plan | Promise<Plan> {
  if (current.kind === "absent")
    return refuse("file_missing", "There is no file whose lines could be changed.");
  return takeSteps(stepsOfLines(session, request, current, words), budget);
}

function* stepsOfLines(
  session: Session,
  request: Asked<EditLinesRequest>,
  current: Current,
  { done, outOfRange }: LineWords,
): Steps<Plan> {
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const edits = [...request.edits].sort((one, other) => one.from - other.from || one.to - other.to);
  const total = countLines(before.text);
  const flaw = flawOf(edits, total, outOfRange);
  if (flaw !== undefined) return flaw;
  const finder = new LineFinder(before.text);
  const splices: TextSplice[] = [];
  let replaced = "";
  for (const { from, to, content } of edits) {
    const [start, end] = [finder.startOf(from), finder.startOf(to + 1)];
    const whole = asWholeLines(before.text, start, end, content);
    // Kept lines keep their ending, and a new one has that of the line in whose place it stands.
    const [own = ""] =
      start < end ? yield* withEndingsOf(before.text, [{ from: start, to: end }], whole) : [whole];
    splices.push({ from: start, to: end, text: own });
    if (replaced.length < mostQuoted) replaced += before.text.slice(start, end);
  }
  const text = yield* spliceSteps(before.text, splices);
  if (text === before.text)
    return {
      kind: "unchanged",
      code: "no_change",
      message: "The lines read as they did; nothing was written.",
    };
  const tooLong = tooManyLines(session, text);
  if (tooLong !== undefined) return tooLong;
  yield;
  const steps = [{ before: before.text, splices }];
  const bytes = yield* encodeFile(text, before, session.ports.codec, steps);
  if ("kind" in bytes) return bytes;
  yield;
  const report = yield* splicedReport(before.text, text, splices);
  const quoted = replaced === "" ? "" : `\nReplaced lines:\n${clip(replaced, mostQuoted)}`;
  return { kind: "write", bytes, text, message: done(quoted), plainMessage: done(""), report };
}

/** The lines that edits name in their base; of an insertion the one before it. */
export function namedByEdits({ edits }: Asked<EditLinesRequest>): readonly LineSpan[] {
  return edits.flatMap(({ from, to }) => {
    if (from <= to) return [{ from, to }];
    return to === 0 ? [] : [{ from: to, to }];
  });
}

/** What edits by lines did, in a sentence. */
export function linesMessage({ path, edits }: Asked<EditLinesRequest>): string {
  const done = edits.map(({ from, to, content }) => {
    const count = countLinesOf(content);
    if (from > to) return to === 0 ? `${count} inserted before line 1` : `${count} inserted after line ${to}`;
    const lines = from === to ? `line ${from}` : `lines ${from}-${to}`;
    return content === "" ? `${lines} deleted` : `${lines} replaced by ${count}`;
  });
  return `Edited ${escapeForDisplay(path)}: ${done.join(", ")}.`;
}

/** How a tool speaks of edits by lines. */
interface LineWords {
  /** @param replaced what stood there, behind a word that says so; "" where nothing did. */
  done(replaced: string): string;
  outOfRange(line: number, total: number): Refusal;
}

/** The refusal of a line that the file does not have. */
export function noSuchLine(line: number, total: number): Refusal {
  return refuseIn("out_of_range", "The file has $total lines, and an edit names line $line.", {
    line,
    total,
  });
}

function flawOf(
  edits: readonly NumberedEdit[],
  total: number,
  outOfRange: LineWords["outOfRange"],
): Refusal | undefined {
  let last = 0;
  for (const { from, to } of edits) {
    if (from < 1 || to < from - 1 || to > total || from > total + 1)
      return outOfRange(Math.max(to, from > to ? 0 : from), total);
    if (from <= last)
      return refuse(
        "invalid_arguments",
        `Two edits name line ${from}. Put all that is to become of it into one. Nothing was written.`,
      );
    last = Math.max(last, to);
  }
  return undefined;
}

function asWholeLines(text: string, start: number, end: number, content: string): string {
  if (content === "") return "";
  const at = Math.max(0, start - 1);
  const ending = endingAt(text, at);
  const own = start < end ? content : inEndingsAt(text, at, content);
  const bare = own.replace(ending === "\r" ? /\r\n?$|\n$/ : /\r?\n$/, "");
  const isLast = end === text.length && text !== "" && !endsLine(text);
  // The last line has no newline: the new last line has none, and one that stays gets one.
  if (isLast) return start === end ? `${ending}${bare}` : bare;
  if (start < end) return own === bare ? `${own}\n` : own;
  return own === bare ? `${own}${ending}` : own;
}

/** Lines of a text as a count in words. */
export function countLinesOf(content: string): string {
  return counted(countLines(content), "line");
}

/** So many characters of what was replaced are shown: a wrong count of lines is seen by them. */
const mostQuoted = 2_000;
