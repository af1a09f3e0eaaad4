import {
  applyDiff,
  applyDiffInTurns,
  applyPacked,
  carryEndings,
  describeMendedContext,
  describeOtherFile,
  inFence,
  omissionIn,
  type PackedDiff,
  type PatchOutcome,
  type PatchRequest,
  type PatchSuccess,
  type Repair,
  type RepairKind,
  readPacked,
  type StrictApplier,
} from "../../patch/index.js";
import { clip, countLines, type Steps, sameBytes } from "../../text/index.js";
import type { Plan, PlannedWrite } from "../access/change.js";
import { decodeFile, encodeFile, type FileText, newFormat, sharePast } from "../access/file-text.js";
import { type Current, type KeptState, textOfState } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { joinSpans, lineEdits } from "../lines/line-spans.js";
import type { PlacedLines } from "../lines/placed-lines.js";
import { allLines, comparingReport, placedReport, unreported } from "../values/change-report.js";
import type { FileAccess } from "../values/disk.js";
import { fromPatch, isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Asked, PatchFileRequest, WriteFileRequest } from "../values/requests.js";
import { type TimeBudget, takeSteps } from "../values/time-budget.js";

/** What a diff makes of a file: placed, corrected, strictly applied, encoded as the file was. */
export async function planPatch(
  session: Session,
  request: Asked<PatchFileRequest>,
  current: Current,
  budget: TimeBudget,
  applier?: StrictApplier,
): Promise<Plan> {
  const packed = readPacked(request.diff);
  if (packed !== undefined) return planPacked(session, packed, current, budget);
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const tooLong = tooManyLines(session, before.text);
  if (tooLong !== undefined) return tooLong;
  const base = withShownMark(before, request.diff);
  const outcome = await place(session, {
    base: current.kind === "absent" ? null : base,
    diff: request.diff,
    path: request.path,
    limitMs: session.limits.patchMs,
    ...(applier === undefined ? {} : { applier }),
  });
  if (outcome.kind === "refusal") return fromPatch(outcome);
  switch (outcome.code) {
    case "no_change":
      return {
        kind: "unchanged",
        code: "no_change",
        message: withSentences("The diff changes nothing; the file stays as it is.", outcome.repairs),
      };
    case "already_applied":
      return {
        kind: "unchanged",
        code: "already_applied",
        message: withSentences(
          `${standsAlready}${outcome.isExecutable === true ? modeUnseen : ""}`,
          outcome.repairs,
        ),
      };
    case "applied":
      return takeSteps(planPatched(session, outcome, before, base, current), budget);
  }
}

async function planPacked(
  session: Session,
  packed: PackedDiff,
  current: Current,
  budget: TimeBudget,
): Promise<Plan> {
  const { inflate = () => undefined, isGitBlob = () => false } = session.ports;
  if (current.kind === "absent" && !packed.isCreation)
    return refuse("file_missing", "There is no file to change.");
  const before = current.kind === "file" ? current.bytes : new Uint8Array();
  const by = { inflate, isGitBlob, limitBytes: session.limits.changeBytes };
  const late = await budget.pause();
  if (late !== undefined) return late;
  const after = applyPacked(before, packed, by);
  if (typeof after === "string")
    return refuse(
      "invalid_diff",
      `Invalid Diff: Its packed bytes (\`GIT binary patch\`) ${after}. Nothing was changed.`,
    );
  if (after === before && current.kind === "file")
    return { kind: "unchanged", code: "already_applied", message: standsAlready };
  const message = `Patch applied successfully: ${before.length} bytes before, ${after.length} now.`;
  const plan = await planBytes(session, current, after, { message, budget });
  return plan.kind === "write" && packed.isExecutable ? { ...plan, access: "executable" } : plan;
}

const standsAlready = "Already applied: the file already holds what the diff asks for. Nothing was written.";

/**
 * The text that a diff is for. The mark of a file is no part of its text, but git's diffs show it as the first
 * character of line 1: where a line of the diff begins with one, the text has its own.
 */
function withShownMark({ text, format }: FileText, diff: string): string {
  return format.bom && format.encoding === "utf-8" && shownMark.test(diff) ? `\ufeff${text}` : text;
}

const otherLines =
  "Invalid Diff: The lines of the new file are not the content that its line `index` names. Nothing was written. Send all of its lines; or leave the line `index` out if they are meant as they are.";

/** Of a file that is there already, and that the diff makes executable. */
export const modeUnseen = " Whether it may be run was not looked at.";
const shownMark = /(?:^[-+ ]|(?<=[\n\r])[-+ ]?)\ufeff/;

/** @param base the text that the diff was applied to: with the file's mark where the diff shows it. */
function* planPatched(
  session: Session,
  outcome: PatchSuccess,
  before: FileText,
  base: string,
  current: Current,
): Steps<Plan> {
  const { landed, repairs, isExecutable, blob } = outcome;
  const { format } = before;
  const isShown = format.encoding === "utf-8" && !(format.bom && base === before.text);
  const isMarked = isShown && outcome.text.startsWith("\ufeff");
  const bom = isShown ? isMarked : format.bom;
  const text = isMarked ? outcome.text.slice(1) : outcome.text;
  const bytes = yield* encodeFile(text, { ...before, format: { ...format, bom } }, session.ports.codec);
  if ("kind" in bytes) return bytes;
  const { isGitBlob = () => true } = session.ports;
  if (blob !== undefined && ![bytes, new TextEncoder().encode(text)].some((one) => isGitBlob(one, blob)))
    return refuse("invalid_diff", otherLines);
  const old = current.kind === "absent" ? null : before.text;
  yield;
  const report = placedReport(old, text, placedByDiff(outcome));
  const changesMark = old !== null && bom !== format.bom;
  const note = changesMark ? `The file ${bom ? "begins with a" : "has no"} byte order mark now.` : undefined;
  const message = patchMessage(outcome, note);
  const plainMessage = patchMessage({ ...outcome, repairs: unquoted(repairs) }, note);
  return {
    kind: "write",
    bytes,
    message,
    plainMessage,
    report: { ...report, landed, repairs },
    // A mark has no line by which the change could be made on another state.
    ...(changesMark ? {} : { text }),
    ...(isExecutable === true ? { access: "executable" } : {}),
  };
}

/** The engine's outcome, the same whether others have their turns meanwhile or not. */
async function place({ ports }: Session, request: PatchRequest): Promise<PatchOutcome> {
  return ports.nextTurn === undefined ? applyDiff(request) : applyDiffInTurns(request, ports.nextTurn);
}

/** Whole new content. `isLiteral`: its line endings and its words are meant as they stand. */
type WholeWrite = Asked<WriteFileRequest> & { readonly isLiteral?: boolean };

/** What whole new content makes of a file: a text in the file's own format, or bytes as they are. */
export function planWrite(
  session: Session,
  request: WholeWrite,
  current: Current,
  budget: TimeBudget,
): Promise<Plan> {
  return takeSteps(stepsOfWrite(session, request, current), budget);
}

function* stepsOfWrite(session: Session, request: WholeWrite, current: Current): Steps<Plan> {
  const next =
    typeof request.content === "string"
      ? yield* newText(session, request, request.content, current)
      : asGiven(request.content);
  if (isRefusal(next)) return next;
  const { bytes, before, text } = next;
  if (current.kind === "file" && sameBytes(bytes, current.bytes)) {
    return {
      kind: "unchanged",
      code: "no_change",
      message:
        "The file already holds this text (in its own encoding and line endings); nothing was written.",
    };
  }
  const counts = before === null ? "" : ` (lines: ${countLines(before)} before, ${countLines(text)} now)`;
  yield;
  const message = current.kind === "absent" ? "File created." : `File overwritten${counts}.`;
  const report =
    typeof request.content === "string"
      ? { ...(yield* comparingReport(before, text)), sentWhole: true, authored: allLines(text) }
      : { ...unreported, sentWhole: true };
  return { kind: "write", bytes, message, report, ...(typeof request.content === "string" ? { text } : {}) };
}

/** Puts the bytes of a kept state back as they were. */
export async function planKept(
  session: Session,
  current: Current,
  kept: KeptState,
  past: PastPlan,
): Promise<Plan> {
  const plan = await planBytes(session, current, kept.bytes, past);
  if (plan.kind !== "write") return plan;
  const access = kept.access ?? (kept.isApart ? ownerOnly : undefined);
  const given = current.kind === "file" || access === undefined ? {} : { access };
  return { ...plan, ...given, ...(kept.isApart ? { isUnshown: true } : {}) };
}

/** For what may hold secrets, where nothing is recorded: it never becomes readable for others. */
const ownerOnly: FileAccess = { mode: 0o600 };

/** What is said of bytes that are put back, and the time that this may take. */
export interface PastPlan {
  readonly message: string;
  /** The entry of the history that is taken back. */
  readonly undoes?: string | undefined;
  readonly budget: TimeBudget;
}

/** Puts these bytes there as they are; `null` deletes the file. */
export function planBytes(
  session: Session,
  current: Current,
  bytes: Uint8Array | null,
  plan: PastPlan,
): Promise<Plan> {
  return takeSteps(stepsOfPast(session, current, bytes, plan), plan.budget);
}

/** The same, however long it takes. */
export function* stepsOfPast(
  session: Session,
  current: Current,
  past: Uint8Array | null,
  { message, undoes }: PastPlan,
): Steps<PlannedWrite> {
  const present = current.kind === "file" ? current.bytes : undefined;
  const before = present === undefined ? null : decodedText(session, present);
  yield;
  const bytes = past === null ? null : sharePast(past, present);
  yield;
  const after = bytes === null ? "" : decodedText(session, bytes);
  const report = after === null ? unreported : yield* comparingReport(before, after);
  return { kind: "write", bytes, message, report, ...(undoes === undefined ? {} : { undoes }) };
}

/** The text of bytes; `null` where they are none. @param encoding that the caller names. */
export function decodedText(session: Session, bytes: Uint8Array, encoding?: string): string | null {
  const decoded = decodeFile(bytes, session.ports.codec, encoding);
  return isRefusal(decoded) ? null : decoded.text;
}

interface NewContent {
  readonly kind: "content";
  readonly bytes: Uint8Array;
  readonly before: string | null;
  readonly text: string;
}

function* newText(
  session: Session,
  request: WholeWrite,
  content: string,
  current: Current,
): Steps<NewContent | Refusal> {
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const tooLong = tooManyLines(session, content) ?? tooManyLines(session, before.text);
  if (tooLong !== undefined) return tooLong;
  // A byte order mark of the file is never part of its text, so one in the content is content.
  const existing = current.kind === "absent" ? null : before.text;
  const text = request.isLiteral === true ? content : yield* mendedText(existing, content, current);
  if (typeof text !== "string") return text;
  yield;
  const bytes = yield* encodeFile(text, before, session.ports.codec);
  if ("kind" in bytes) return bytes;
  return { kind: "content", bytes, before: existing, text };
}

/** What a model wrote, in the line endings of the file. */
function* mendedText(existing: string | null, content: string, current: Current): Steps<string | Refusal> {
  if (existing === null) return newLines(content, current);
  return refuseOmission(existing, content) ?? (yield* carryEndings(existing, content));
}

/** The lines of a new file; those that a caller ended otherwise stay. */
function newLines(content: string, current: Current): string {
  const isCrlf = current.kind === "absent" && current.isCrlf === true && !content.includes("\r");
  return isCrlf ? content.replaceAll("\n", "\r\n") : content;
}

function refuseOmission(before: string, content: string): Refusal | undefined {
  const line = omissionIn(before, content);
  if (line === undefined) return undefined;
  return refuseIn(
    "placeholder",
    'The new content leaves something out: "$line". Write the whole text[, or change a part with {patch,edit:or}].$way Nothing was written.',
    { line: clip(line, 80), way: inFence },
  );
}

/** Lines cost memory by their number: a file of nothing but newlines is larger than its bytes. */
export function tooManyLines(session: Session, text: string): Refusal | undefined {
  const limit = session.limits.changeLines;
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    if (lines > limit)
      return refuse("too_large", `A text of more than ${limit} lines is not changed line by line.`);
  }
  return undefined;
}

/** A view of its own: what is remembered of it ends with this call, since the bytes are the caller's. */
function asGiven(bytes: Uint8Array): NewContent {
  return { kind: "content", bytes: bytes.subarray(), before: null, text: "" };
}

/** The text that stands there; for a file that is yet to be made the empty one, in the format it will have. */
export function textOf(session: Session, encoding: string | undefined, current: Current): FileText | Refusal {
  if (current.kind === "file") return textOfState(session, current, encoding);
  const wanted = encoding === undefined ? current.format : undefined;
  const format = wanted ?? newFormat(session.ports.codec, encoding);
  return "kind" in format ? format : { kind: "file_text", text: "", format };
}

/** A diff whose added lines were mended on the way: they did not stand in the call as they are. */
function placedByDiff({ changes, repairs }: PatchSuccess): PlacedLines {
  const isMended = repairs.some(({ kind }) => mending.has(kind));
  const authored = isMended ? [] : changes.map(({ newFrom, newTo }) => ({ from: newFrom + 1, to: newTo }));
  return { changes: lineEdits(changes), authored: joinSpans(authored) };
}

const mending: ReadonlySet<RepairKind> = new Set<RepairKind>([
  "escaped",
  "entities",
  "pasted_numbers",
  "missing_prefix",
  "blank_lines",
  "indentation",
  "punctuation",
]);

/**
 * What a patch did, after seed 1's words.
 *
 * @param note a sentence that the caller must know, right behind these words.
 */
export function patchMessage(outcome: Pick<PatchSuccess, "landed" | "repairs">, note?: string): string {
  const places = outcome.landed.map(({ newStart, newLines }) =>
    newLines > 1 ? `${newStart}-${newStart + newLines - 1}` : `${newStart}`,
  );
  const mended = describeMendedContext(outcome.repairs);
  const words = "Patch applied successfully.";
  const applied = withSentences(note === undefined ? words : `${words} ${note}`, outcome.repairs);
  const done = mended === undefined ? applied : `${applied} ${mended}`;
  if (places.length === 0) return done;
  const [first = ""] = places;
  if (places.length === 1) {
    return `${done} 1 hunk landed at ${first.includes("-") ? "lines" : "line"} ${first}.`;
  }
  const shown = places.slice(0, maxPlaces).join(", ");
  const more = places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : "";
  return `${done} ${places.length} hunks landed at lines ${shown}${more}.`;
}

/** The seed's words, and what the caller must know right after them. */
function withSentences(words: string, repairs: readonly Repair[]): string {
  const other = describeOtherFile(repairs);
  return other === undefined ? words : `${words} ${other}`;
}

const maxPlaces = 20;

/** The repairs of which a message quotes nothing of the file. */
export function unquoted(repairs: readonly Repair[]): readonly Repair[] {
  return repairs.filter(({ kind }) => kind !== "context_mended");
}
