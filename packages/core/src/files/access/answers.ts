import { counted, defined, escapeForDisplay } from "../../text/index.js";
import { type FileName, isKnownWhole, isSeen } from "../values/knowledge.js";
import {
  type ApplyChangesOutcome,
  type ChangedFile,
  type ChangeSetRefusal,
  displacedNotes,
  type FileState,
  type Unchanged,
  type WriteOutcome,
  type WriteRefusal,
  withDisplacedNote,
} from "../values/outcomes.js";
import {
  hasTrait,
  isRefusal,
  type QuotingCode,
  type Refusal,
  type RefusalCode,
  refuse,
} from "../values/refusal.js";
import { largeSize } from "../values/time-budget.js";
import { say } from "../values/vocabulary.js";
import { type Call, handOut } from "./call.js";
import { type UnchangedPlan, withoutState } from "./change.js";
import { knownText, textFacts } from "./file-text.js";
import { type Current, isStoredAsSecret, type LeftState, linkText, textOfState } from "./kept-states.js";
import { leadsTo } from "./path-names.js";

/** What an answer is about: the file by its names, and the encoding that the caller insisted on. */
export interface Subject {
  readonly call: Call;
  readonly file: FileName;
  readonly encoding: string | undefined;
}

/**
 * Whether an answer may show this caller lines of the file that it did not ask to read: of one that may hold secrets only
 * where something of that very state was shown to it before. The one home of that rule.
 */
export function maySee({ call, file }: Pick<Subject, "call" | "file">, current: Current): boolean {
  if (current.kind === "absent" || !isStoredAsSecret(file)) return true;
  return isSeen(call.knowledge.find(file, current.sha256));
}

/**
 * A refusal with the state on disk. Of a file that may hold secrets a mismatch names hash and version only, and so does
 * every refusal to a caller who may not see its lines.
 */
export function refuseWith(subject: Subject, refusal: Refusal, current: Current): WriteRefusal {
  const shownBefore = wasShown(subject, current);
  const state = stateOf(subject, current);
  const isMismatch = hasTrait(refusal.code, "news") && isStoredAsSecret(subject.file);
  if (!isMismatch && maySee(subject, current)) return { ...refusal, success: false, state, shownBefore };
  const plain = plainly(refusal);
  const message = state.content === null ? plain.message : plain.message + namedOnly;
  return { ...plain, message, success: false, state: withoutContent(state), shownBefore };
}

const namedOnly =
  " What it holds is not shown here, since it may be secret: read it to see its present state.";

/** A refusal without the lines that it may quote. */
function plainly(refusal: Refusal): Refusal {
  const messages: Readonly<Partial<Record<RefusalCode, string>>> = plainMessages;
  const message = messages[refusal.code];
  return message === undefined ? refusal : refuse(refusal.code, message);
}

const plainMessages: Readonly<Record<QuotingCode, string>> = {
  invalid_diff:
    "Invalid Diff: The provided diff content does not match the file's content. The context or lines to be removed may be incorrect. Nothing was written.",
  ambiguous: "Ambiguous: the text to be changed stands at several places. Nothing was written.",
  not_found: "The text to be replaced does not stand in the file. Nothing was written.",
  occurrence_mismatch:
    "The text to be replaced does not stand in the file as often as expected. Nothing was written.",
  section_missing: "The file has no section of this name. Nothing was written.",
  unseen_lines: "The change touches lines that were not shown in this session. Nothing was written.",
  internal_error:
    "Internal Error: The corrected patch failed to apply. Please review the diff for subtle errors. Nothing was written.",
};

/** A state by its version and hash alone. */
export function withoutContent({ path, leadsTo, version, sha256 }: FileState): FileState {
  return { path, ...defined({ leadsTo }), version, sha256, content: null };
}

/** The answer if there is nothing to write. */
export function unchanged(subject: Subject, plan: UnchangedPlan, current: Current): Unchanged {
  const shownBefore = wasShown(subject, current);
  const state = stateOf(subject, current);
  const shown = maySee(subject, current) ? state : withoutContent(state);
  return { ...plan, success: true, state: shown, shownBefore };
}

/** Either of them. */
export function answer(
  subject: Subject,
  result: Refusal | UnchangedPlan,
  current: Current,
): Unchanged | WriteRefusal {
  return result.kind === "unchanged"
    ? unchanged(subject, result, current)
    : refuseWith(subject, result, current);
}

/** Whether the caller knows all of a state; a missing file needs no showing. */
function wasShown({ call, file }: Subject, current: Current): boolean {
  if (current.kind === "absent") return true;
  return isKnownWhole(call.knowledge.find(file, current.sha256));
}

/** Hands a state out under the next version. */
export function stateOf({ call, file, encoding }: Subject, current: LeftState): FileState {
  const named = { path: file.path, ...defined({ leadsTo: linkOf(call, file, current) }) };
  // A version is given only to a state that exists.
  if (current.kind === "absent") return { ...named, version: 0, sha256: null, content: null };
  const { sha256, bytes } = current;
  const { session } = call;
  // Large bytes that nobody had the time to decode are named alone.
  const decoded =
    bytes.length <= largeSize
      ? textOfState(session, current, encoding)
      : knownText(bytes, encoding ?? session.encodings.get(sha256));
  if (decoded === undefined || isRefusal(decoded))
    return { ...named, version: handOut(call, file, sha256, undefined), sha256, content: null };
  const facts = textFacts(decoded, bytes.length);
  const version = handOut(call, file, sha256, facts.totalLines);
  return { ...named, version, sha256, content: decoded.text, facts };
}

/** Where a name leads: by the text of a link that is meant itself, else by the walk. */
function linkOf({ session }: Call, file: FileName, current: LeftState): string | undefined {
  return current.kind === "file" && current.isLink === true
    ? linkText(current.bytes)
    : leadsTo(session.ports.disk, file);
}

/** For a file whose own change fits, in a set that is refused. */
export const notWrittenWithSet = refuse(
  "not_applied",
  "This change fits, but another one of the set was refused; nothing was written.",
);

/** The answer to a set that was refused as a whole, before its files were looked at. */
export function refusedSet(refusal: Refusal): ChangeSetRefusal {
  return { ...refusal, success: false, files: [] };
}

/**
 * The answer about the one file of a set: of a move the reason of a refusal, else the new name with the old
 * beside it.
 */
export function outcomeOfOneFile(outcome: ApplyChangesOutcome): WriteOutcome {
  const { files } = outcome;
  const reason = files.find((file) => isRefusal(file.outcome) && file.outcome.code !== "not_applied");
  const file = reason ?? files.at(-1);
  if (file === undefined) {
    if (outcome.kind === "change_set") throw new Error("a change set was made of no file");
    const { files: _, ...refusal } = outcome;
    return withoutState(refusal);
  }
  const note = displacedNotes([outcome], file.outcome.message);
  const told = withDisplacedNote(file.outcome, note);
  if (files.length === 1) return told;
  const together = files.filter((other) => other !== file).map((other) => other.outcome);
  return { ...told, together };
}

/** What becomes of the files of a set, one by one; a refusal where they were not looked at. */
export type SetAnswers = readonly ChangedFile[] | Refusal;

/** The answer to a set, from those to its files. No set is written in place, so no file of it names that way. */
export function setOutcome(answers: SetAnswers): ApplyChangesOutcome {
  if (isRefusedWhole(answers)) return refusedSet(answers);
  const files = answers.map(({ path, outcome }) => ({
    path,
    outcome: outcome.kind === "refusal" ? withoutInPlace(outcome) : outcome,
  }));
  const refused = files.flatMap(({ path, outcome }) => (isRefusal(outcome) ? [{ path, outcome }] : []));
  // Those that only stand aside are no reason; where the set as a whole was stopped, all of them are.
  const reasons = refused.filter(({ outcome }) => outcome.code !== "not_applied");
  const [first = refused[0]] = reasons;
  if (first !== undefined) {
    const { code } = first.outcome;
    return { ...refuse(code, refusalMessage(files, reasons)), success: false, files };
  }
  const changed = files.filter(({ outcome }) => outcome.code === "applied");
  if (changed.length > 0) {
    const message = `Change set applied: ${counted(changed.length, "file")} changed together (${names(changed)}).`;
    return { kind: "change_set", success: true, code: "applied", message, files };
  }
  const repeated = files.some(({ outcome }) => outcome.code === "already_applied");
  const code = repeated ? "already_applied" : "no_change";
  const message = repeated
    ? "Already applied: all files are already as this change set asks. Nothing was written."
    : "The change set changes nothing; all files stay as they are.";
  return { kind: "change_set", success: true, code, message, files };
}

/** `Array.isArray` does not know a readonly array. */
function isRefusedWhole(answers: SetAnswers): answers is Refusal {
  return "code" in answers;
}

/** The answer to the one change of a set of one. */
export function answerOfOne(answers: SetAnswers): WriteOutcome {
  if (isRefusedWhole(answers)) return withoutState(answers);
  const [file] = answers;
  if (file === undefined) throw new Error("a change set was made of no file");
  return file.outcome;
}

/** Whether a refusal says that the file can be written, and not replaced. */
export function namesInPlace({ sentence }: WriteRefusal): boolean {
  return sentence?.template.includes("{inPlace}") === true;
}

/** The refusal without the way to write in place. */
export function withoutInPlace(refusal: WriteRefusal): WriteRefusal {
  const { sentence, ...plain } = refusal;
  if (sentence === undefined || !namesInPlace(refusal)) return refusal;
  return { ...plain, message: say(sentence, {}) };
}

function refusalMessage(files: readonly ChangedFile[], reasons: readonly ChangedFile[]): string {
  const lines = reasons.slice(0, mostNames).map(({ path, outcome }) => {
    const [line = ""] = outcome.message.split("\n");
    return `${escapeForDisplay(path)} (${outcome.code}): ${line}`;
  });
  const more = reasons.length > lines.length ? [`and ${reasons.length - lines.length} more.`] : [];
  const head = `Nothing was written: ${reasons.length} of ${counted(files.length, "file")} ${reasons.length === 1 ? "is" : "are"} a reason to refuse the whole set.`;
  return [head, ...lines, ...more].join(reasons.length === 1 ? " " : "\n");
}

/** Names of files for a message, not more than a message should hold. */
export function names(files: readonly { readonly path: string }[]): string {
  const shown = files.slice(0, mostNames).map(({ path }) => escapeForDisplay(path));
  const more = files.length > shown.length ? [`${files.length - shown.length} more`] : [];
  return [...shown, ...more].join(", ");
}

const mostNames = 10;
