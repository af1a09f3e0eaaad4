import {
  brokenLine,
  cellsOfLine,
  drawnLines,
  fitted,
  type Highlighter,
  type Line,
  painted,
  span,
  type Theme,
  themes,
} from "@holdfast/agent/shown";
import { linesOf } from "../markdown/lines.js";
import type { MarkdownBlock } from "../markdown/parse.js";

/** What is committed: a line of ours, or a part of what the model says. */
export type Finished =
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "block"; readonly block: MarkdownBlock };

/** Colours code; absent until it is loaded. */
export type Highlighted = Highlighter | undefined;

/**
 * What is finished as it is written for good: nothing in it acts on a terminal, and nothing is cut. What is wider than the
 * window is broken by the terminal, prose between words. All that is committed comes through here.
 */
export function committedTexts(
  finished: readonly Finished[],
  columns: number,
  theme: Theme,
  highlight?: Highlighted,
): readonly string[] {
  const lines = finished.flatMap((one) =>
    one.kind === "line" ? [one.line] : linesOf(one.block, columns - 1, highlight),
  );
  return drawnLines(lines, theme, Math.max(1, columns));
}

/** Blocks that nothing can change any more. */
export function finished(blocks: readonly MarkdownBlock[]): readonly Finished[] {
  return blocks.map((block) => ({ kind: "block", block }));
}

/** A line of ours, finished. */
export function committed(line: Line): Finished {
  return { kind: "line", line };
}

/** What we say ourselves, to be broken between words; what has colours is drawn already. */
export function prose(text: string, columns: number): string {
  const drawn = (line: string) =>
    line.includes("\u001b") || line.includes("\t")
      ? line
      : drawnLines([[span(line)]], themes.plain, columns).join("");
  return text.split("\n").map(drawn).join("\n");
}

/** A line as a row of so many cells at most. */
export function rowOf(line: Line, cells: number, theme: Theme): string {
  const [first = []] = cells < 1 ? [] : brokenLine(fitted(line, cells), cells);
  return cellsOfLine(first) > cells ? "" : painted(first, theme);
}
