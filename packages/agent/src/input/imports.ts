import { parseMentions } from "./mentions.js";

/** The paths that a text names with `@`, each once; what stands in fenced blocks and code spans names none. Pure. */
export function importsIn(text: string): readonly string[] {
  // A block without an end goes on to the end; a span ends in its paragraph.
  const prose = text
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n(?! {0,3}\1[`~]*[ \t]*$)[^\n]*)*(?:\n[^\n]*)?/gm, "")
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, " "))
    .join("\n\n");
  const named = parseMentions(prose).flatMap((part) => (part.kind === "mention" ? [part.path] : []));
  return [...new Set(named)];
}
