import type { LinePart } from "../lines/line-facts.js";
import type { LineEdit, LineSpan } from "../lines/line-spans.js";
import type { ChangedFile, FileOutcome, FileState, ReadOutcome, WriteOutcome } from "../values/outcomes.js";
import { carriesContent, isRefusal } from "../values/refusal.js";
import type { FileRequest } from "../values/requests.js";

/** Lines of one state that a reply shows, by the name that the caller uses for the file. */
export interface ShownLines {
  readonly path: string;
  readonly sha256: string;
  readonly lines: readonly LineSpan[];
  readonly parts?: readonly LinePart[];
  /** How many lines the state has, where that is known. */
  readonly total?: number;
  /** The encoding that the caller insisted on. */
  readonly encoding?: string;
  /** The reply shows all that differs from this state, which the caller knows: what did not change is known. */
  readonly since?: ShownSince;
}

/** How a state that the caller knows became the one whose lines are shown. */
export interface ShownSince {
  /** The sha256 of the state before. */
  readonly before: string;
  readonly changes: readonly LineEdit[];
  /** The version under which the new state was handed out. */
  readonly version: number;
}

/**
 * What an outcome shows to a caller who takes it as it is: the content of what was read, and of refusals that
 * bring it along. That a write's outcome holds the new state is not counted: what its caller knows follows
 * from what it knew and sent.
 *
 * @param limitBytes what is larger is not looked at by anybody.
 */
export function shownBy(
  request: FileRequest,
  outcome: FileOutcome,
  limitBytes: number,
): readonly ShownLines[] {
  const encoding = "encoding" in request ? request.encoding : undefined;
  const shown = linesIn(outcome, limitBytes);
  return encoding === undefined ? shown : shown.map((lines) => ({ ...lines, encoding }));
}

function linesIn(outcome: FileOutcome, limitBytes: number): readonly ShownLines[] {
  switch (outcome.kind) {
    case "read":
      return linesOfRead(outcome);
    case "read_many":
      return outcome.files.flatMap(linesOfRead);
    case "change_set":
      return linesOfFiles(outcome.files, limitBytes);
    case "written":
    case "unchanged":
      return [];
    case "refusal":
      if ("files" in outcome) return linesOfFiles(outcome.files, limitBytes);
      return "state" in outcome ? linesOfRefusal(outcome, limitBytes) : [];
    case "listed":
    case "found":
    case "searched":
      return [];
    default:
      return outcome satisfies never;
  }
}

function linesOfRead(outcome: ReadOutcome): readonly ShownLines[] {
  if (isRefusal(outcome) || outcome.unchanged === true) return [];
  return allOf(outcome.state);
}

function linesOfFiles(files: readonly ChangedFile[], limitBytes: number): readonly ShownLines[] {
  return files.flatMap(({ outcome }) => linesOfRefusal(outcome, limitBytes));
}

function linesOfRefusal(outcome: WriteOutcome, limitBytes: number): readonly ShownLines[] {
  if (!isRefusal(outcome) || outcome.state === null) return [];
  const { state, quoted = [] } = outcome;
  if (carriesContent(outcome.code) && (state.facts?.totalBytes ?? 0) <= limitBytes) return allOf(state);
  return state.sha256 === null || quoted.length === 0
    ? []
    : [{ ...nameOf(state, state.sha256), lines: quoted }];
}

/** All lines that a state carries: of a window, its own. */
export function allOf(state: FileState): readonly ShownLines[] {
  const { sha256, content, facts, lines, chars } = state;
  if (sha256 === null || content === null || facts === undefined) return [];
  if (lines !== undefined && chars !== undefined)
    return [{ ...nameOf(state, sha256), lines: [], parts: [{ line: lines.from, ...chars }] }];
  const shown = lines ?? { from: 1, to: facts.totalLines };
  return [{ ...nameOf(state, sha256), lines: [shown] }];
}

function nameOf({ path, facts }: FileState, sha256: string) {
  return { path, sha256, ...(facts === undefined ? {} : { total: facts.totalLines }) };
}
