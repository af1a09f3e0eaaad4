import type { LineTable } from "../model/line-table.js";

/** A line of a V4A envelope that is no line of a file. */
export type EnvelopeLine =
  | { readonly kind: "update" | "add" | "delete" | "move"; readonly name: string }
  | { readonly kind: "begin" | "end_of_file" | "end" };

/** @returns undefined where the line is none of the envelope's. */
export function readEnvelopeLine(line: string): EnvelopeLine | undefined {
  if (!line.startsWith("*** ")) return undefined;
  const text = line.slice(4).trimEnd();
  const [, words = "", name = ""] = /^(\w+ \w+): *(\S.*)$/.exec(text) ?? [];
  const kind = named[words];
  return kind === undefined ? bare[text] : { kind, name };
}

const named: Readonly<Record<string, "update" | "add" | "delete" | "move">> = {
  "Update File": "update",
  "Add File": "add",
  "Delete File": "delete",
  "Move to": "move",
};
const bare: Readonly<Record<string, EnvelopeLine>> = {
  "Begin Patch": { kind: "begin" },
  "End of File": { kind: "end_of_file" },
  "End Patch": { kind: "end" },
};

/**
 * The line after the last one of the patch, where it was sent as a here-document of the shell: the
 * terminator and what follows are none of it.
 */
export function findHeredocEnd(lines: LineTable): number {
  for (let at = 0; at < lines.count; at++) {
    const line = lines.line(at);
    if (line.startsWith("*** ")) break;
    const tag = /<<-?\s*(['"]?)(\w+)\1/.exec(line)?.[2];
    if (tag === undefined) continue;
    let end = lines.count - 1;
    while (end > at && lines.line(end) !== tag) {
      // Another patch follows, as another here-document.
      if (readEnvelopeLine(lines.line(end)) !== undefined) return lines.count;
      end -= 1;
    }
    return end > at ? end : lines.count;
  }
  return lines.count;
}
