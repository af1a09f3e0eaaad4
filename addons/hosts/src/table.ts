/** The rows of a table that is written as text: by their first cell, the cells behind it. */
export function tableOf(text: string): ReadonlyMap<string, readonly string[]> {
  const rows = text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(rows.map(([name = "", ...cells]) => [name, cells]));
}
