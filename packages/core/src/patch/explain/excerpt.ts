import { clip, escapeForDisplay, showText } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import type { HunkLine } from "../model/hunk.js";
import type { Repair } from "../model/types.js";

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
  return showText(clip(text, 240));
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

/**
 * The sentence that belongs right after the word of a success: which context was not the file's, and where. A
 * reader who takes it for his own success goes on from a wrong picture of the file.
 *
 * @returns undefined where all context was the file's.
 */
export function describeMendedContext(repairs: readonly Repair[]): string | undefined {
  const mended = repairs.filter(({ kind }) => kind === "context_mended");
  if (mended.length === 0) return undefined;
  const shown = mended
    .slice(0, shownHunks)
    .map(({ hunk, detail }) => `hunk ${hunk ?? 1}, ${clip(showText(detail), 300)}`);
  const more = mended.length > shownHunks ? `; and ${count(mended.length - shownHunks, "hunk")} more` : "";
  return `Its context is not that of the file everywhere: ${shown.join("; ")}${more}.`;
}

/**
 * The sentence that belongs right after the seed's words where the diff's header names another file: the caller may
 * have meant that one.
 *
 * @returns undefined where it does not.
 */
export function describeOtherFile(repairs: readonly Repair[]): string | undefined {
  const other = repairs.find(({ otherFile }) => otherFile !== undefined)?.otherFile;
  if (other === undefined) return undefined;
  const name = escapeForDisplay(JSON.stringify(clip(other, 200)));
  return `The diff's header names another file, ${name}; the file that the call names counts.`;
}

const shownHunks = 5;
