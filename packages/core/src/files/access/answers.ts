import { defined } from "../../text/index.js";
import { hasTrait, type QuotingCode, type RefusalCode } from "../values/codes.js";
import { type FileName, isKnownWhole, isSeen } from "../values/knowledge.js";
import type { FileState, Unchanged, WriteRefusal } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { largeSize } from "../values/time-budget.js";
import { type Call, handOut } from "./call.js";
import type { UnchangedPlan } from "./change.js";
import { type Current, type LeftState, linkText, textOfState } from "./current.js";
import { knownText, textFacts } from "./file-text.js";
import { isStoredAsSecret } from "./kept-states.js";
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
