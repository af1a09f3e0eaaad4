import type { FileState, TextFacts } from "@holdfast/core/files/values";
import { defined, escapeText } from "@holdfast/core/text";
import { answerInJson, withWorkspace } from "../answers/open.js";
import { reportRefusal, stateLine } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

/**
 * `holdfast read FILE`: the text to standard output exactly, its state to standard error. A pipe gets all of
 * it or nothing: the limit of a read is what keeps it within the budget.
 */
export function readCommand(call: Invocation): Promise<number> {
  const { args, flags, settings, terminal } = call;
  const { offset, limit, charOffset, encoding } = flags;
  const request = {
    path: args[0] ?? "",
    ...defined({ offset, limit, charOffset, encoding }),
  };
  return withWorkspace(call, async (workspace) => {
    const outcome = await workspace.read(request);
    if (settings.json) return answerInJson({ kind: "read", outcome }, terminal);
    if (outcome.kind === "refusal") return reportRefusal(outcome, terminal);
    const { state } = outcome;
    terminal.err(`${terminal.errPaint.dim(header(state))}\n`);
    const text = state.content ?? "";
    await terminal.out(terminal.outIsTerminal ? escapeText(text) : `${markOf(state)}${text}`);
    return exitCodes.success;
  });
}

/** The byte order mark is no part of the text, but it is of the file that a pipe copies. */
function markOf({ facts, lines }: FileState): string {
  const marked = facts?.bom === true && facts.encoding === "utf-8" && (lines?.from ?? 1) === 1;
  return marked ? "\ufeff" : "";
}

function header(state: FileState): string {
  const { facts, lines, chars } = state;
  const parts = [stateLine(state)];
  if (facts !== undefined) {
    const range = lines === undefined ? "" : `${lines.from}-${lines.to} of `;
    const part = chars === undefined ? [] : [`characters ${chars.from}-${chars.to} of ${chars.of}`];
    parts.push(`lines ${range}${facts.totalLines}`, ...part, ...unusual(facts));
  }
  return parts.join("  ");
}

function unusual(facts: TextFacts): readonly string[] {
  return [
    `${facts.encoding}${facts.guessed ? " (guessed)" : ""}${facts.bom ? " with BOM" : ""}`,
    ...(facts.endings === "lf" || facts.endings === "none" ? [] : [`endings ${facts.endings}`]),
    ...(facts.finalNewline || facts.totalLines === 0 ? [] : ["no final newline"]),
  ];
}
