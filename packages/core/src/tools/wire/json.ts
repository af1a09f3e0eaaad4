import {
  type FileState,
  type ListedEntry,
  type ListOutcome,
  type ReadManyOutcome,
  type ReadOutcome,
  type Refusal,
  unchangedStub,
  type WriteOutcome,
} from "../../files/index.js";
import { describeOmission, describeRepair } from "./notes.js";
import type { ResultContent } from "./options.js";
import type { ChangeSetResult, RefusedResult, WriteResult } from "./result.js";
import type {
  WireChangeSetResult,
  WireFileState,
  WireListResult,
  WireReadManyResult,
  WireReadResult,
  WireRefusal,
  WireWriteResult,
} from "./schemas.js";
import type { Shown } from "./shown.js";

/** The wire objects. Names with `_` exist from here outwards and nowhere further in. */
export function readToJson(outcome: ReadOutcome): WireReadResult {
  if (outcome.kind === "refusal") return refusalToJson(outcome, outcome.path);
  const state =
    outcome.unchanged === true
      ? { ...stateToJson(outcome.state, undefined), message: unchangedStub }
      : stateToJson(outcome.state, outcome.state.content);
  return outcome.notice === undefined ? state : { ...state, notice: outcome.notice };
}

export function readManyToJson(outcome: ReadManyOutcome): WireReadManyResult {
  const left = outcome.leftOut.map(
    ({ path, sizeBytes }): WireRefusal => ({
      file_path: path,
      success: false,
      code: "too_large",
      message: "Left out: the files together are more than one answer holds. Read it on its own.",
      size_bytes: sizeBytes,
    }),
  );
  return [...outcome.files.map(readToJson), ...left];
}

export function listToJson(outcome: ListOutcome): WireListResult {
  if (outcome.kind === "refusal") return refusalToJson(outcome);
  return { path: outcome.path, entries: outcome.entries.map(entryToJson), more: outcome.more };
}

export function entryToJson(entry: ListedEntry) {
  return {
    path: entry.path,
    is_directory: entry.isDirectory,
    ...(entry.sizeBytes === undefined ? {} : { size_bytes: entry.sizeBytes }),
    ...(entry.special === undefined ? {} : { special: entry.special }),
    ...(entry.openable ? {} : { openable: false as const }),
  };
}

/** `{success, code, message, latest_file_state}`; `full` adds nothing to these four. */
export function writeToJson(
  { outcome }: WriteResult,
  shown: Shown,
  resultContent: ResultContent,
): WireWriteResult {
  const { success, code, message, state } = outcome;
  const latest = state === null ? null : stateToJson(state, shownContent(state, shown));
  const omission = describeOmission(shown);
  const omitted = omission === undefined ? {} : { content_omitted: omission };
  if (resultContent === "full") {
    return { success, code, message: withRepairs(outcome), latest_file_state: latest, ...omitted };
  }
  return { success, code, message, latest_file_state: latest, ...changeToJson(outcome, shown), ...omitted };
}

/** `{success, code, message, changes}`, each change as the answer to a write. */
export function changeSetToJson(
  { outcome }: ChangeSetResult,
  shown: readonly Shown[],
  resultContent: ResultContent,
): WireChangeSetResult {
  const { success, code, message, files } = outcome;
  const changes = files.map(({ path, outcome: one }, at) => ({
    file_path: path,
    ...writeToJson({ kind: "write", outcome: one }, shown[at] ?? { kind: "none" }, resultContent),
  }));
  return { success, code, message, changes };
}

export function refusedToJson({
  refusal,
  path,
  writing,
  several,
}: RefusedResult): WireWriteResult | WireChangeSetResult | WireRefusal {
  const { code, message } = refusal;
  if (several === true) return { success: false, code, message, changes: [] };
  if (writing) return { success: false, code, message, latest_file_state: null };
  return refusalToJson(refusal, path);
}

export function refusalToJson({ code, message }: Refusal, path?: string): WireRefusal {
  return { ...(path === undefined ? {} : { file_path: path }), success: false, code, message };
}

function stateToJson(state: FileState, content: string | null | undefined): WireFileState {
  return {
    file_path: state.path,
    version: state.version,
    sha256: state.sha256,
    ...(content === undefined ? {} : { content }),
    ...(state.lines === undefined || content === undefined
      ? {}
      : { lines: { ...state.lines, total: state.facts?.totalLines ?? state.lines.to } }),
    ...unusualToJson(state),
  };
}

/** `null` where there is no text to show, undefined where it is left out. */
function shownContent(state: FileState, shown: Shown): string | null | undefined {
  if (shown.kind === "full") return shown.content;
  return state.content === null ? null : undefined;
}

function unusualToJson({ facts }: FileState): Pick<WireFileState, "encoding" | "encoding_guessed" | "bom"> {
  if (facts === undefined) return {};
  return {
    ...(facts.encoding === "utf-8" ? {} : { encoding: facts.encoding }),
    ...(facts.guessed ? { encoding_guessed: true as const } : {}),
    ...(facts.bom ? { bom: true as const } : {}),
  };
}

function changeToJson({ change }: WriteOutcome, shown: Shown): Partial<WireWriteResult> {
  if (change === undefined) return {};
  const landed = change.landed.map(({ hunk, newStart, newLines }) => ({
    hunk,
    from: newStart,
    to: newStart + newLines - 1,
  }));
  const repairs = change.repairs.map(({ kind, hunk, detail }) => ({
    kind,
    ...(hunk === undefined ? {} : { hunk }),
    detail,
  }));
  return {
    ...(shown.kind === "windows" ? { changed_lines: [...shown.windows] } : {}),
    ...(landed.length === 0 ? {} : { landed }),
    ...(repairs.length === 0 ? {} : { repairs }),
  };
}

function withRepairs({ message, change }: WriteOutcome): string {
  if (change === undefined || change.repairs.length === 0) return message;
  return `${message} Repaired: ${change.repairs.map(describeRepair).join("; ")}.`;
}
