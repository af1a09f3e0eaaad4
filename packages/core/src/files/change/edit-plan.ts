import type { EditedText, ExactEdit, InexactUse } from "../../patch/index.js";
import { counted, escapeForDisplay, type Steps, sameBytes } from "../../text/index.js";
import type { Plan } from "../access/change.js";
import { encodeFile } from "../access/file-text.js";
import type { Current } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { placeEdits } from "../lines/placed-lines.js";
import { comparingReport, placedReport } from "../values/change-report.js";
import { isRefusal, refuseIn } from "../values/refusal.js";
import type { Asked, EditFileRequest } from "../values/requests.js";
import { type TimeBudget, takeSteps } from "../values/time-budget.js";
import { editSteps } from "./exact-edits.js";
import { textOf, tooManyLines } from "./plans.js";

/** What exact edits make of a file: one after the other, all or none. `timeout` where that takes too long. */
export function planEdits(
  session: Session,
  request: Asked<EditFileRequest>,
  current: Current,
  budget: TimeBudget,
  inexact: InexactUse = "off",
): Promise<Plan> {
  return takeSteps(stepsOfEdits(session, request, current, inexact), budget);
}

function* stepsOfEdits(
  session: Session,
  request: Asked<EditFileRequest>,
  current: Current,
  inexact: InexactUse,
): Steps<Plan> {
  if (current.kind === "absent")
    return refuseIn("file_missing", "There is no file to edit.[ To create one, use {write}.]");
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  yield;
  const edited = yield* editSteps(before.text, request.edits, { path: request.path, inexact });
  if (isRefusal(edited)) return edited;
  const { text } = edited;
  const tooLong = tooManyLines(session, text);
  if (tooLong !== undefined) return tooLong;
  yield;
  const bytes = yield* encodeFile(text, before, session.ports.codec, edited.steps);
  if ("kind" in bytes) return bytes;
  yield;
  if (text === before.text || sameBytes(bytes, current.bytes))
    return { kind: "unchanged", code: "no_change", message: "The edits change nothing together." };
  const message = editMessage(request, edited);
  const plainMessage = editMessage(request, { ...edited, inexact: [] });
  yield;
  const placed = yield* placeEdits(edited.steps);
  const report =
    placed === undefined
      ? { ...(yield* comparingReport(before.text, text)), derived: true }
      : placedReport(before.text, text, placed);
  const literal = isLiteral(request, edited) ? { literal: true as const } : {};
  return { kind: "write", bytes, text, message, plainMessage, report: { ...report, ...literal } };
}

/** Each edit stood at one place, to the letter. */
function isLiteral({ edits }: Asked<EditFileRequest>, { replacements, inexact }: EditedText): boolean {
  return inexact.length === 0 && replacements === edits.length;
}

/** Seed 3's words, with the path; several edits are counted. */
function editMessage({ path, edits }: Asked<EditFileRequest>, { replacements, inexact }: EditedText): string {
  const head = `Edited ${escapeForDisplay(path)}: ${whatWasDone(edits, replacements)}.`;
  return [head, ...inexact].join(" ");
}

function whatWasDone(edits: readonly ExactEdit[], replacements: number): string {
  const [edit] = edits;
  if (edit === undefined || edits.length > 1)
    return `${edits.length} edits with ${counted(replacements, "replacement")}`;
  const sizes = `replaced ${countChars(edit.oldString)} chars with ${countChars(edit.newString)} chars`;
  return replacements === 1 ? sizes : `${sizes}, ${replacements} times`;
}

/** Characters as people count them: code points. */
export function countChars(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xdc00 || unit > 0xdfff || at === 0) count += 1;
    else if (text.charCodeAt(at - 1) < 0xd800 || text.charCodeAt(at - 1) > 0xdbff) count += 1;
  }
  return count;
}
