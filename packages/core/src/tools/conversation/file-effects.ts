import type { FileEffect } from "../../conversation/index.js";
import type { FileState, ReadOutcome, WriteOutcome } from "../../files/index.js";
import type { ShownDifference, ToolResult } from "../wire/result.js";

/**
 * What a tool did to files or found out about them: a read has seen a state; a write has replaced one by
 * another; a refusal that tells the true state has seen it.
 *
 * @param differences what the reply shows of changes that somebody else made.
 */
export function fileEffects(
  result: ToolResult,
  differences: readonly ShownDifference[],
): readonly FileEffect[] {
  return tracesOf(result).flatMap(({ state, written }): readonly FileEffect[] => {
    if (state === null) return [];
    const { path, sha256: after } = state;
    if (written === undefined || written.kind !== "written")
      return [{ path, after, by: "seen", ...differenceTo(state, written, differences), ...told(state) }];
    const { replaced, change, state: now, movedFrom } = written;
    const { changes, authored, derived, total } = change;
    const facts = total === undefined ? {} : { changes, authored, derived, lines: total };
    const from = movedFrom === undefined ? {} : { from: movedFrom };
    return [{ path, before: replaced, after, by: "tool", ...facts, ...from, version: now.version }];
  });
}

/** How lines of the state that the caller named are found again in the one that is there, where it can follow. */
function differenceTo(
  { path, sha256 }: FileState,
  written: WriteOutcome | undefined,
  differences: readonly ShownDifference[],
): Pick<FileEffect, "before" | "changes"> {
  if (written?.kind !== "refusal" || written.since === undefined || written.change === undefined) return {};
  const { since, change } = written;
  const isShown = differences.some(
    (shown) => shown.path === path && shown.sha256 === sha256 && shown.since === since,
  );
  return isShown ? { before: since, changes: change.changes } : {};
}

/** What the reply told of a state that is there, besides its hash. */
function told({ sha256, version, facts }: FileState): Pick<FileEffect, "lines" | "version"> {
  if (sha256 === null) return {};
  return { version, ...(facts === undefined ? {} : { lines: facts.totalLines }) };
}

interface Trace {
  readonly state: FileState | null;
  readonly written?: WriteOutcome;
}

function tracesOf(result: ToolResult): readonly Trace[] {
  switch (result.kind) {
    case "read":
      return traceOfRead(result.outcome);
    case "read_many":
      return result.outcome.files.flatMap(traceOfRead);
    case "write":
      return tracesOfWrite(result.outcome);
    case "change_set":
      return result.outcome.files.flatMap(({ outcome }) => tracesOfWrite(outcome));
    case "list":
    case "find":
    case "search":
    case "refused":
      return [];
    default:
      return result satisfies never;
  }
}

function traceOfRead(outcome: ReadOutcome): readonly Trace[] {
  return outcome.kind === "read" ? [{ state: outcome.state }] : [];
}

function tracesOfWrite(written: WriteOutcome): readonly Trace[] {
  return [{ state: written.state, written }, ...(written.together ?? []).flatMap(tracesOfWrite)];
}
