import { editText } from "../../host/editor.js";
import type { AskPerson } from "../../loop/gate.js";
import { askIn } from "../asking/ask-list.js";
import { themes } from "../lines/theme.js";
import { askInTerminal } from "./ask-person.js";

/**
 * Asks on standard error, in a run that is no conversation. @param interrupted called for Ctrl-C. @param hasColor whether
 * standard error has.
 */
export function askBeside(interrupted: () => void, hasColor: boolean): AskPerson {
  const output = process.stderr;
  return askIn({
    show: (text) => void output.write(text),
    theme: hasColor ? themes.ansi : themes.plain,
    answer: (question, signal) => askInTerminal(question, { output, signal, interrupted }),
    edit: (text, name, signal) => editText({ text, name, signal }),
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
  });
}
