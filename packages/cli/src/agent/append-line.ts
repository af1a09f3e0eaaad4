import { appendFileSync } from "node:fs";
import { escapeText } from "../shell/terminal.js";

/**
 * Appends a line to a file that a run writes beside its work (`--record`, `--debug`). Never throws: work does not end for
 * the want of it. A file that cannot be written is told once and left from there on: a gap in it would be no better.
 */
export function appendLine(path: string, line: string): void {
  if (left.has(path)) return;
  try {
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  } catch (error) {
    left.add(path);
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(escapeText(`holdfast: ${path} ends here, the run goes on: ${why}\n`));
  }
}

const left = new Set<string>();
