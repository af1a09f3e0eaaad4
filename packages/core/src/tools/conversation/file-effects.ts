import type { FileEffect } from "../../conversation/values/index.js";
import type { ShownLines } from "../../files/seen/index.js";
import type { FileState, ReadOutcome, WriteOutcome } from "../../files/values/index.js";
import type { ToolResult } from "../wire/result.js";

/**
 * What a tool did to files or found out about them: a read has seen a state; a write has replaced one by
 * another; a refusal that tells the true state has seen it.
 *
 * @param shown what the reply shows.
 */
export function fileEffects(result: ToolResult, shown: readonly ShownLines[]): readonly FileEffect[] {
  return tracesOf(result).flatMap(({ state, written }): readonly FileEffect[] => {
    if (state === null) return [];
    const { path, sha256: after } = state;
    if (written === undefined || written.kind !== "written")
      return [{ path, after, by: "seen", ...told(state), ...sinceIn(shown, state) }];
    const { replaced, change, state: now, movedFrom, own } = written;
    const { changes, authored, derived, total } = change;
    const facts = total === undefined ? {} : { changes, authored, derived, lines: total };
    const from = movedFrom === undefined ? {} : { from: movedFrom };
    return [{ path, before: replaced, after, by: "tool", ...facts, ...from, version: now.version, own }];
  });
}

/** How the state came about, where the reply shows all that differs from one that the caller knows. */
function sinceIn(
  shown: readonly ShownLines[],
  { path, sha256 }: FileState,
): Pick<FileEffect, "before" | "changes"> {
  const since = shown.find((lines) => lines.path === path && lines.sha256 === sha256)?.since;
  return since === undefined ? {} : { before: since.before, changes: since.changes };
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
    case "preview":
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
