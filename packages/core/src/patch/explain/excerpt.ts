import { clip, escapeForDisplay } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import type { HunkLine } from "../model/hunk.js";

/** Lines `from` to `to` (after the last, 0-based) of the file, each after its number. */
export function showLines(base: BaseText, from: number, to: number): string {
  const out: string[] = [];
  for (let at = Math.max(0, from); at < Math.min(to, base.count); at++) {
    out.push(`${String(at + 1).padStart(5)}| ${showLine(base.line(at))}`);
  }
  return out.join("\n");
}

/** A line as it is, so that it can be quoted back, except for characters that could act. */
export function showLine(text: string): string {
  return clip(text, 240)
    .split(/([\t<>])/)
    .map((part, at) => (at % 2 === 1 ? part : escapeForDisplay(part)))
    .join("");
}

/** A line of a hunk in quotes. */
export function quoteLine(line: HunkLine | undefined): string {
  return line === undefined ? "(none)" : line.text.trim() === "" ? "(blank)" : `"${showLine(line.text)}"`;
}

/** Line numbers, 1-based, as in "lines 3, 8". */
export function listLines(positions: ArrayLike<number>): string {
  const shown = Array.from({ length: Math.min(positions.length, 20) }, (_, at) => (positions[at] ?? 0) + 1);
  const more = positions.length > 20 ? ` and ${positions.length - 20} more` : "";
  return `${positions.length === 1 ? "line" : "lines"} ${shown.join(", ")}${more}`;
}

/** "1 line", "2 lines". */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
