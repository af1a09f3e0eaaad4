import type { MatchedFile, SearchMatch } from "@holdfast/core/files/values";
import { defined, escapeForPeople, escapeText } from "@holdfast/core/text";
import { ignoredNote, searchNotes } from "@holdfast/core/tools";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportNotes, reportRefusal } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import type { Paint } from "../shell/terminal.js";

/** `holdfast search PATTERN [PATH]`: `path:line:text` for a match, `path-line-text` for its context. */
export function searchCommand(call: Invocation): Promise<number> {
  const { args, flags, settings } = call;
  const { limit, after, all, exclude, glob, type, literal, ignoreCase, context } = flags;
  if (flags.counts === true && flags.filesWithMatches === true)
    call.misuse("--counts and --files-with-matches: give one of them");
  const request = {
    pattern: args[0] ?? "",
    ...defined({ path: args[1], globs: glob, exclude, types: type, literal, ignoreCase }),
    ...defined({ context, limit, after, all }),
    ...(flags.counts === true ? { output: "counts" as const } : {}),
    ...(flags.filesWithMatches === true ? { output: "files" as const } : {}),
  };
  return withWorkspace(call, async (workspace, terminal) => {
    const outcome = await workspace.search(request);
    if (settings.json) return answerInJson({ kind: "search", outcome }, terminal);
    if (outcome.kind === "refusal") return reportRefusal(outcome, terminal);
    await terminal.out(outcome.matches.map((match) => show(match, terminal.outPaint)).join(""));
    await terminal.out((outcome.files ?? []).map((file) => showFile(file, terminal.outPaint)).join(""));
    const isNothing = outcome.matches.length + (outcome.files ?? []).length === 0;
    const nothing = isNothing ? ["No line matches.", ...ignoredNote(outcome.skips.ignored, "--all")] : [];
    reportNotes([...nothing, ...searchNotes(outcome)], outcome, terminal);
    return exitCodes.success;
  });
}

/** As `grep -l` and `grep -c` print it. */
function showFile({ path, lines }: MatchedFile, paint: Paint): string {
  return `${paint.cyan(escapeForPeople(path))}${lines === undefined ? "" : `:${lines}`}\n`;
}

function show({ path, line, text, before, after }: SearchMatch, paint: Paint): string {
  const name = paint.cyan(escapeForPeople(path));
  const beside = (lines: readonly string[], from: number) =>
    lines.map((one, at) => `${name}-${from + at}-${escapeText(one)}\n`).join("");
  return `${beside(before, line - before.length)}${name}:${line}:${escapeText(text)}\n${beside(after, line + 1)}`;
}
