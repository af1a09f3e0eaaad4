import { brokenLine, fitted, type Highlighter, type Line, painted, type Theme } from "@holdfast/agent/shown";
import { linesOf } from "../markdown/lines.js";
import type { MarkdownBlock } from "../markdown/parse.js";

/** What is committed: a line of ours, or a part of what the model says. */
export type Finished =
  | { readonly kind: "line"; readonly line: Line }
  | { readonly kind: "block"; readonly block: MarkdownBlock };

/** Colours code; absent until it is loaded. */
export type Highlighted = Highlighter | undefined;

/**
 * What is finished as it is written for good: nothing in it acts on a terminal. Prose is broken by the terminal itself, code
 * and tables are cut.
 */
export function committedTexts(
  finished: readonly Finished[],
  columns: number,
  theme: Theme,
  highlight?: Highlighted,
): readonly string[] {
  return finished.flatMap((one) =>
    one.kind === "line"
      ? [painted(fitted(one.line, columns), theme)]
      : linesOf(one.block, columns - 1, highlight).map((line) => painted(line, theme)),
  );
}

/** Blocks that nothing can change any more. */
export function finished(blocks: readonly MarkdownBlock[]): readonly Finished[] {
  return blocks.map((block) => ({ kind: "block", block }));
}

/** A line as a row of so many cells at most. */
export function rowOf(line: Line, cells: number, theme: Theme): string {
  const [first = []] = cells < 1 ? [] : brokenLine(fitted(line, cells), cells);
  return painted(first, theme);
}
