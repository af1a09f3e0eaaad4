import { answerBudgetChars } from "@holdfast/core/tools";
import type { Terminal } from "../shell/terminal.js";

/**
 * A terminal through which one answer goes, on both streams together: what is more than an answer may hold is
 * not printed, and the end of standard error says how much that was.
 */
interface BudgetedTerminal extends Terminal {
  /** Says what was not printed, if anything. */
  finish(): void;
}

/** @param budgetChars UTF-16 units. */
export function withinBudget(terminal: Terminal, budgetChars = answerBudgetChars): BudgetedTerminal {
  // What says that something was left out has to fit, too.
  let left = budgetChars - noteChars;
  let missing = 0;
  const fitting = (text: string): string => {
    const kept = text.length <= left ? text : wholeLines(text, Math.max(0, left));
    left -= kept.length;
    if (kept.length < text.length) {
      missing += text.length - kept.length;
      // The lines that follow are no answer without those that were left out.
      left = 0;
    }
    return kept;
  };
  return {
    ...terminal,
    async out(text) {
      const kept = typeof text === "string" ? fitting(text) : text;
      if (kept.length > 0) await terminal.out(kept);
    },
    err(text) {
      const kept = fitting(text);
      if (kept !== "") terminal.err(kept);
    },
    finish() {
      if (missing > 0)
        terminal.err(`… ${missing.toLocaleString("en-US")} more characters are not shown: ask for less.\n`);
    },
  };
}

const noteChars = 100;

/** The beginning of a text up to the end of a line, where it has one. */
function wholeLines(text: string, limit: number): string {
  const end = text.lastIndexOf("\n", limit - 1);
  return limit === 0 ? "" : end < 0 ? text.slice(0, limit) : text.slice(0, end + 1);
}
