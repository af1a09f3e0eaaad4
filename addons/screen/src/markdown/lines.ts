import {
  betweenWords,
  brokenLine,
  cellsOfLine,
  dataLine,
  fitted,
  type Highlighter,
  type Line,
  type Span,
  span,
} from "@holdfast/agent/shown";
import type { BlockPart, MarkdownBlock, Table } from "./parse.js";

/**
 * A block as lines that are safe to show, and hold all that it says. Those of a table are no wider than the window where its
 * columns can be so narrow; all others are as long as they are. Pure.
 *
 * @param highlight colours code; without it code has none.
 */
export function linesOf(block: MarkdownBlock, columns: number, highlight?: Highlighter): readonly Line[] {
  return block.flatMap((part) => linesOfPart(part, Math.max(1, columns), highlight));
}

function linesOfPart(part: BlockPart, columns: number, highlight?: Highlighter): readonly Line[] {
  switch (part.kind) {
    case "lines":
      return part.lines.map((line) => fitted(line));
    case "code": {
      const { text, language, lead, begins, ends } = part;
      const lines = text === undefined ? [] : (highlight?.(text, language) ?? plainCode(text));
      const head: Line = [...lead, span(`── ${language}`.trimEnd(), "faint")];
      const foot: Line = [...lead, span("──", "faint")];
      return [
        ...(begins ? [head] : []),
        ...lines.map((line) => dataLine(fitted(line))),
        ...(ends ? [foot] : []),
      ];
    }
    case "table": {
      const room = columns - cellsOfLine(part.lead);
      return tableLines(part.table, room).map((line) => dataLine([...part.lead, ...line]));
    }
    default:
      return part satisfies never;
  }
}

function plainCode(text: string): readonly Line[] {
  return text.split("\n").map((line) => [span(line, "code")]);
}

function tableLines({ rows: raw, aligns, goesOn }: Table, columns: number): readonly Line[] {
  // What is escaped is wider: cells are measured as they are shown.
  const rows = raw.map((row) => row.map((cell) => fitted(cell)));
  const widths = widthsOf(rows, aligns.length, columns);
  const rule = (left: string, between: string, right: string): Line => [
    span(`${left}${widths.map((width) => "─".repeat(width + 2)).join(between)}${right}`, "faint"),
  ];
  const drawn = rows.map((row) => tableRow(row, widths, aligns));
  const [head, ...body] = drawn;
  const end = rule("└", "┴", "┘");
  if (goesOn) return [...drawn.flat(), end];
  return [rule("┌", "┬", "┐"), ...(head ?? []), rule("├", "┼", "┤"), ...body.flat(), end];
}

/** A row of a table, as high as its highest cell. */
function tableRow(row: readonly Line[], widths: readonly number[], aligns: Table["aligns"]): readonly Line[] {
  const cells = widths.map((width, at) => {
    const parts = brokenLine(betweenWords(row[at] ?? [], width, width), width);
    return parts.map((part) => aligned(part, width, aligns[at] ?? "left"));
  });
  const height = Math.max(1, ...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, at): Line => {
    const parts = cells.flatMap((cell, column) => [
      span(column === 0 ? "│ " : " │ ", "faint"),
      ...(cell[at] ?? aligned([], widths[column] ?? 0, "left")),
    ]);
    return [...parts, span(" │", "faint")];
  });
}

/** The widest columns are narrowed until the table fits, as far as a column can be. */
function widthsOf(rows: Table["rows"], count: number, columns: number): readonly number[] {
  const widths = Array.from({ length: count }, (_, at) =>
    Math.max(1, ...rows.map((row) => cellsOfLine(row[at] ?? []))),
  );
  let excess = widths.reduce((sum, width) => sum + width + 3, 1) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths);
    const at = widths.indexOf(widest);
    const next = Math.max(...widths.filter((_, other) => other !== at), leastCells);
    const by = Math.min(excess, Math.max(1, widest - next));
    if (widest <= leastCells) break;
    widths[at] = Math.max(leastCells, widest - by);
    excess -= widest - (widths[at] ?? widest);
  }
  return widths;
}

/** A letter may have two. */
const leastCells = 2;

function aligned(line: Line, width: number, align: Table["aligns"][number]): Line {
  const shown = withoutEndBlanks(line);
  const room = Math.max(0, width - cellsOfLine(shown));
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return [span(" ".repeat(before)), ...shown, span(" ".repeat(room - before))].filter(
    ({ text }) => text !== "",
  );
}

function withoutEndBlanks(line: Line): Line {
  const spans: Span[] = [...line];
  for (let last = spans.at(-1); last !== undefined; last = spans.at(-1)) {
    const text = last.text.trimEnd();
    if (text !== "") return [...spans.slice(0, -1), { ...last, text }];
    spans.pop();
  }
  return spans;
}
