/**
 * A text of TOML without the lines of one setting: the line of a value of the root, or the tables of a path, as setup
 * writes them. Comments and blank lines at the end of a table belong to what follows. What comes out is to be read
 * again: a line in a text over several lines may look like a header.
 */
export function withoutLines(text: string, path: readonly string[]): string {
  const lines = text.split(/(?<=\n)/);
  return path.length === 1 ? withoutValue(lines, path[0] ?? "") : withoutTables(lines, path.join("."));
}

function withoutValue(lines: readonly string[], name: string): string {
  const at = lines.findIndex((line) => line.startsWith(name) && /^\s*=/.test(line.slice(name.length)));
  const left = lines.filter((_, index) => index !== at);
  // The blank line that parted it from the first table.
  return (at === 0 && isBlank(left[0]) ? left.slice(1) : left).join("");
}

function withoutTables(lines: readonly string[], name: string): string {
  const left: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = tableEnd(lines, at, name);
    const isParted = isBlank(left.at(-1)) && (end === lines.length || isBlank(lines[end]));
    if (end > at && isParted) left.pop();
    if (end === at) left.push(lines[at] ?? "");
    at = Math.max(end, at + 1);
  }
  return left.join("");
}

/** Behind the last line of the table that begins here; where it begins, if it is another's. */
function tableEnd(lines: readonly string[], start: number, name: string): number {
  const header = lines[start] ?? "";
  if (!header.startsWith(`[${name}]`) && !header.startsWith(`[${name}.`)) return start;
  let end = start + 1;
  while (end < lines.length && !/^\s*\[/.test(lines[end] ?? "")) end += 1;
  while (/^\s*(?:#.*)?\r?\n?$/.test(lines[end - 1] ?? "")) end -= 1;
  return end;
}

function isBlank(line: string | undefined): boolean {
  return line?.trim() === "";
}
