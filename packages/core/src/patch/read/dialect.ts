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
    if (!"*<@d-".includes(first)) continue;
    const line = lines.line(at);
    switch (first) {
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
        if (/^--- \S/.test(line) && lines.startsWith(at + 1, "+++ ")) return "unified";
        break;
      default:
        break;
    }
  }
  return "unified";
}

/** `<<<<<<< SEARCH`, with five to nine signs. */
export function opensBlock(line: string): boolean {
  return /^<{5,9} ?SEARCH>?\s*$/.test(line);
}
