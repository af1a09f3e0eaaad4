import type { LineTable } from "../model/line-table.js";

/** A line of a V4A envelope that is no line of a file. */
export type EnvelopeLine =
  | { readonly kind: "update" | "add" | "delete" | "move"; readonly name: string }
  | { readonly kind: "begin" | "end_of_file" | "end" };

/** @returns undefined where the line is none of the envelope's. */
export function readEnvelopeLine(line: string): EnvelopeLine | undefined {
  if (!line.startsWith("*** ")) return undefined;
  const [, word = "", name = ""] =
    /^\*\*\* (Update|Add|Delete|Move)(?: File| to): *(\S.*)$/.exec(line.trimEnd()) ?? [];
  switch (word) {
    case "Update":
      return { kind: "update", name };
    case "Add":
      return { kind: "add", name };
    case "Delete":
      return { kind: "delete", name };
    case "Move":
      return { kind: "move", name };
    default:
      break;
  }
  switch (line.trimEnd()) {
    case "*** Begin Patch":
      return { kind: "begin" };
    case "*** End of File":
      return { kind: "end_of_file" };
    case "*** End Patch":
      return { kind: "end" };
    default:
      return undefined;
  }
}

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
    while (end > at && lines.line(end) !== tag) end -= 1;
    return end > at ? end : lines.count;
  }
  return lines.count;
}
