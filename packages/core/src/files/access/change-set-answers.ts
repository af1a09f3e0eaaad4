import { escapeForDisplay } from "../../text/index.js";
import type {
  ApplyChangesOutcome,
  ChangedFile,
  ChangeSetRefusal,
  WriteOutcome,
  WriteRefusal,
} from "../values/outcomes.js";
import { displacedNotes, withDisplacedNote } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { say } from "../values/vocabulary.js";
import { withoutState } from "./change.js";

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
    const message = `Change set applied: ${count(changed.length)} changed together (${names(changed)}).`;
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
  const head = `Nothing was written: ${reasons.length} of ${count(files.length)} ${reasons.length === 1 ? "is" : "are"} a reason to refuse the whole set.`;
  return [head, ...lines, ...more].join(reasons.length === 1 ? " " : "\n");
}

/** Names of files for a message, not more than a message should hold. */
export function names(files: readonly { readonly path: string }[]): string {
  const shown = files.slice(0, mostNames).map(({ path }) => escapeForDisplay(path));
  const more = files.length > shown.length ? [`${files.length - shown.length} more`] : [];
  return [...shown, ...more].join(", ");
}

function count(files: number): string {
  return files === 1 ? "1 file" : `${files} files`;
}

const mostNames = 10;
