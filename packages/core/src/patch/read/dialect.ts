import { clip } from "../../text/index.js";
import type { LineTable } from "../model/line-table.js";
import { readEnvelopeLine } from "./parse-envelope.js";
import { readHunkHeader } from "./parse-header.js";

/** The ways of writing a change that the engine reads; all become the same hunks. */
export type Dialect = "unified" | "v4a" | "search_replace";

/** The name of a dialect in reports. */
export const dialectNames = {
  unified: "unified diff",
  v4a: "V4A (*** Begin Patch)",
  search_replace: "SEARCH/REPLACE blocks",
} as const satisfies Record<Dialect, string>;

/** Recognizes the dialect by the first line that only one of them has. */
export function findDialect(lines: LineTable): Dialect {
  for (let at = 0; at < lines.count; at++) {
    const first = String.fromCharCode(lines.firstCode(at));
    if (!"*<@d- \t".includes(first)) continue;
    const line = lines.line(at);
    switch (first) {
      case " ":
      case "\t":
        if (readEnvelopeLine(line.trim())?.kind === "begin") return "v4a";
        break;
      case "*":
        if (readEnvelopeLine(line) !== undefined) return "v4a";
        break;
      case "<":
        if (opensBlock(line)) return "search_replace";
        break;
      case "@":
        if (readHunkHeader(line) !== undefined) return "unified";
        break;
      case "d":
        if (line.startsWith("diff --git ")) return "unified";
        break;
      case "-":
        if (startsHeader(lines, at)) return "unified";
        break;
      default:
        break;
    }
  }
  return "unified";
}

/** Whether two lines `--- x`, `+++ y` begin here. */
export function startsHeader(lines: LineTable, at: number): boolean {
  return lines.startsWith(at + 1, "+++ ") && /^--- \S/.test(lines.line(at));
}

/** Whether a line is one that only a diff has, of whatever dialect, so that it is never left out as prose. */
export function isOfDiff(line: string): boolean {
  return diffLines.some((form) => form.test(line));
}

const diffLines: readonly RegExp[] = [
  /^\s*\*{3,}\s*(\w+ (file|to)\b|(add|create|delete|move|rename|update)\b)/i,
  /^\s*([<>]{5,9}|-{5,9}|\+{5,9}) ?(SEARCH|REPLACE|ORIGINAL|UPDATED)\b/i,
  /^\s*(diff --|@@ -\d)/,
  /^(((old|new)|(new|deleted) file) mode \d|(rename|copy) (from|to) |Only in .+: |Binary files .* differ$)/,
  /^(Submodule .+ (\(|[0-9a-f]{7,})|\* Unmerged path )/,
];

/** The flaw of a diff with a line that nobody knows what to do with. */
export function strangeLine(line: string, dialect: Dialect): string {
  const shown = JSON.stringify(clip(line.trimEnd(), 120));
  return `The line ${shown} was not understood, so nothing was changed. Leave it out if it asks for nothing. ${forms[dialect]}`;
}

const forms = {
  unified:
    'Else send the change of that file as `---`, `+++` and `@@` lines, its lines with a space, "-" or "+" before them.',
  v4a: 'Between `*** Begin Patch` and `*** End Patch` there is nothing but `*** Add File: `, `*** Delete File: `, `*** Update File: ` (right below it perhaps `*** Move to: `), `@@`, `*** End of File`, and lines of these files with a space, "-" or "+" before them. A mark has no blank before it.',
  search_replace:
    "Else send the change of that file as a block, too: its name, `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.",
} as const satisfies Record<Dialect, string>;

/** `<<<<<<< SEARCH`, with five to nine signs. */
export function opensBlock(line: string): boolean {
  return /^<{5,9} ?SEARCH>?\s*$/.test(line);
}
