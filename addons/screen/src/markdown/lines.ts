import { cellsOfLine, cutLine, fitted, type Highlighter, type Line, span } from "@holdfast/agent/shown";
import type { BlockPart, MarkdownBlock, Table } from "./parse.js";

/**
 * A block as lines that are safe to show. Those of code and tables are no wider than the window; those of prose are as long
 * as they are. Pure.
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
      const lines = highlight?.(part.text, part.language) ?? plainCode(part.text);
      return lines.map((line) => cutLine([...part.lead, span("  "), ...fitted(line)], columns));
    }
    case "table": {
      const room = columns - cellsOfLine(part.lead);
      return tableLines(part.table, room).map((line) => cutLine([...part.lead, ...line], columns));
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
  const drawn = rows.map((row): Line => {
    const cells = widths.flatMap((width, at) => [
      span(at === 0 ? "│ " : " │ ", "faint"),
      ...aligned(row[at] ?? [], width, aligns[at] ?? "left"),
    ]);
    return [...cells, span(" │", "faint")];
  });
  const [head, ...body] = drawn;
  if (goesOn) return [...drawn, rule("└", "┴", "┘")];
  return [rule("┌", "┬", "┐"), head ?? [], rule("├", "┼", "┤"), ...body, rule("└", "┴", "┘")];
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

const leastCells = 3;

function aligned(line: Line, width: number, align: Table["aligns"][number]): Line {
  const cut = cutLine(line, width);
  const room = Math.max(0, width - cellsOfLine(cut));
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return [span(" ".repeat(before)), ...cut, span(" ".repeat(room - before))].filter(
    ({ text }) => text !== "",
  );
}
