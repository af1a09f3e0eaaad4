import { inEndingsAt, spliceSteps } from "../../patch/index.js";
import { endsLine, escapeForDisplay, type Steps, sameBytes } from "../../text/index.js";
import type { Plan } from "../access/change.js";
import { encodeFile, type FileText } from "../access/file-text.js";
import type { Current } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { splicedReport } from "../values/change-report.js";
import { isRefusal, refuse, refuseIn } from "../values/refusal.js";
import type { AddTextRequest, Asked, EditLinesRequest, InsertLinesRequest } from "../values/requests.js";
import { type TimeBudget, takeSteps } from "../values/time-budget.js";
import { countChars } from "./edit-plan.js";
import { countLinesOf, planLines } from "./line-edits.js";
import { textOf, tooManyLines } from "./plans.js";

/**
 * The content, exactly, at the end of the file, or before its first character, after a byte order mark. Where a line goes on
 * in a line that has no newline, the message says so. A file that is missing is made.
 */
export function planAddition(
  session: Session,
  request: Asked<AddTextRequest>,
  current: Current,
  budget: TimeBudget,
  place: "start" | "end",
): Plan | Promise<Plan> {
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const { text } = before;
  const { path, content } = request;
  const grows = place === "end";
  const at = grows ? text.length : 0;
  const fresh = inEndingsAt(text, at, content);
  const isWhole = text === "" || (grows ? endsLine(text) || startsLine(content) : endsLine(fresh));
  const note = isWhole ? "" : grows ? continued : joined;
  const message = `${grows ? "Appended" : "Prepended"} ${countChars(content)} chars to ${escapeForDisplay(path)}.${madeHere(current)}${note}`;
  const added = { before, at, fresh, message, grows };
  return takeSteps(planAdded(session, current, added), budget);
}

const joined = " Your text does not end with a newline, so the old first line continues its last one.";

/**
 * Whole lines after a line of the file: a missing newline at their end is added. Whether the file ends with
 * a newline stays as it was.
 */
export function planInsert(
  session: Session,
  request: Asked<InsertLinesRequest>,
  current: Current,
  budget: TimeBudget,
): Plan | Promise<Plan> {
  if (current.kind === "absent" && request.afterLine === 0)
    return planAddition(session, request, current, budget, "start");
  if (current.kind === "absent") return refuse("file_missing", "There is no file to insert lines in.");
  return planLines(session, asEdits(request), current, budget, {
    done: () => insertMessage(request),
    outOfRange: (line, total) =>
      refuseIn(
        "out_of_range",
        "{afterLine} is $line, but the file has $total lines; 0 to $total are possible.",
        { line, total },
      ),
  });
}

/** An insertion as an edit by lines. */
export function asEdits({
  afterLine,
  content,
  ...request
}: Asked<InsertLinesRequest>): Asked<EditLinesRequest> {
  return { ...request, edits: [{ from: afterLine + 1, to: afterLine, content }] };
}

/** What an insertion did, in a sentence. */
export function insertMessage({ afterLine, content, path }: Asked<InsertLinesRequest>): string {
  const places = afterLine === 0 ? "before line 1" : `after line ${afterLine}`;
  return `Inserted ${countLinesOf(content)} of ${escapeForDisplay(path)}, ${places}.`;
}

interface Added {
  readonly before: FileText;
  /** Where it is put, in UTF-16 units. */
  readonly at: number;
  readonly fresh: string;
  readonly message: string;
  /** The old text is the beginning of the new one. */
  readonly grows: boolean;
}

function* planAdded(
  session: Session,
  current: Current,
  { before, at, fresh, message, grows }: Added,
): Steps<Plan> {
  const splices = [{ from: at, to: at, text: fresh }];
  const text = yield* spliceSteps(before.text, splices);
  if (fresh === "" && current.kind === "file")
    return { kind: "unchanged", code: "no_change", message: "The content is empty; nothing was added." };
  const tooLong = tooManyLines(session, text);
  if (tooLong !== undefined) return tooLong;
  yield;
  const bytes = yield* encodeFile(text, before, session.ports.codec, [{ before: before.text, splices }]);
  if ("kind" in bytes) return bytes;
  yield;
  const report = yield* splicedReport(current.kind === "absent" ? null : before.text, text, splices);
  const keeps = grows && current.kind === "file" && sameBytes(bytes, current.bytes, current.bytes.length);
  const plan = { kind: "write", bytes, text, message, report } as const;
  return keeps ? { ...plan, keepsBeginning: true } : plan;
}

function madeHere(current: Current): string {
  return current.kind === "absent" ? " The file did not exist; it was created." : "";
}

function startsLine(content: string): boolean {
  return /^[\n\r]/.test(content);
}

const continued =
  " The last line had no newline, so your text continues that line; begin with a newline to start a new one.";
