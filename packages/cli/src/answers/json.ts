import { escapeInJson } from "@holdfast/core/text";
import { answerBudgetChars, phraseResult, type ResultContent, renderResult } from "@holdfast/core/tools";
import { exitCodeOf } from "../shell/exit-code-of.js";
import type { Terminal } from "../shell/terminal.js";
import { applyWords, commandWords } from "./command-words.js";

/** What a tool hands over to be written down. */
export type ToolResult = Parameters<typeof renderResult>[0];

/**
 * Prints the tools' own JSON object, for `--json`. This file is loaded only then: with it come the
 * tools and their schemas, which a command that answers a person does not need.
 *
 * @returns the exit code.
 */
export async function printJson(
  result: ToolResult,
  terminal: Terminal,
  resultContent: ResultContent = "full",
): Promise<number> {
  const { code, text } = renderHarmless(result, resultContent);
  // Set before anything is printed: a reader who goes away must not hide what happened.
  process.exitCode = exitCodeOf[code];
  await terminal.out(`${text}\n`);
  return exitCodeOf[code];
}

/** Within the budget as it is printed: the escapes take their room, too. */
function renderHarmless(result: ToolResult, resultContent: ResultContent) {
  const vocabulary = result.kind === "change_set" ? applyWords : commandWords;
  const said = phraseResult(result, vocabulary);
  const most = answerBudgetChars - 1;
  for (let budgetChars = most; ; ) {
    const reply = renderResult(said, { wire: "json", resultContent, vocabulary, budgetChars });
    const text = escapeInJson(reply.text);
    const over = text.length - most;
    if (over <= 0 || budgetChars === 0) return { code: reply.code, text };
    budgetChars = Math.max(0, budgetChars - over);
  }
}
