import { type Call, handOut } from "./call.js";
import type { UnchangedPlan } from "./change.js";
import type { Current } from "./current.js";
import { decodeFile, knownText, textFacts } from "./file-text.js";
import { isKeptApart } from "./kept-states.js";
import { type FileName, isKnownWhole } from "./knowledge.js";
import type { FileState, Unchanged, WriteRefusal } from "./outcomes.js";
import { isRefusal, type Refusal, type RefusalCode } from "./refusal.js";
import { largeSize } from "./time-budget.js";

/** What an answer is about: the file by its names, and the encoding that the caller insisted on. */
export interface Subject {
  readonly call: Call;
  readonly file: FileName;
  readonly encoding: string | undefined;
}

/** A refusal with the state on disk; a mismatch on a file that may hold secrets names its hash and version only. */
export function refuseWith(subject: Subject, refusal: Refusal, current: Current): WriteRefusal {
  const shownBefore = wasShown(subject, current);
  const state = stateOf(subject, current);
  if (!mismatchCodes.has(refusal.code) || !isKeptApart(subject.file) || state.content === null)
    return { ...refusal, success: false, state, shownBefore };
  const message = refusal.message + namedOnly;
  return { ...refusal, message, success: false, state: withoutContent(state), shownBefore };
}

const namedOnly =
  " What it holds is not shown here, since it may be secret: read it to see its present state.";

const mismatchCodes: ReadonlySet<RefusalCode> = new Set<RefusalCode>(["state_mismatch", "unknown_base"]);

/** A state by its version and hash alone. */
export function withoutContent({ path, version, sha256 }: FileState): FileState {
  return { path, version, sha256, content: null };
}

/** The answer if there is nothing to write. */
export function unchanged(subject: Subject, plan: UnchangedPlan, current: Current): Unchanged {
  const shownBefore = wasShown(subject, current);
  return { ...plan, success: true, state: stateOf(subject, current), shownBefore };
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
export function wasShown({ call, file }: Subject, current: Current): boolean {
  if (current.kind === "absent") return true;
  return isKnownWhole(call.knowledge.find(file, current.sha256));
}

/** Hands a state out under the next version. */
export function stateOf({ call, file, encoding }: Subject, current: Current): FileState {
  const { path } = file;
  // A version is given only to a state that exists.
  if (current.kind === "absent") return { path, version: 0, sha256: null, content: null };
  const { sha256, bytes } = current;
  // Large bytes that nobody had the time to decode are named alone.
  const decoded =
    bytes.length <= largeSize
      ? decodeFile(bytes, call.session.ports.codec, encoding)
      : knownText(bytes, encoding);
  if (decoded === undefined || isRefusal(decoded))
    return { path, version: handOut(call, file, sha256, undefined), sha256, content: null };
  const facts = textFacts(decoded, bytes.length);
  const version = handOut(call, file, sha256, facts.totalLines);
  return { path, version, sha256, content: decoded.text, facts };
}
