import { clip, escapeForDisplay, escapeForPeople, quoteForDisplay } from "../../text/index.js";

/** Who reads an outline: to people angle brackets are shown, to a model nothing that could be a frame of ours. */
export type OutlineReader = "person" | "model";

/** How one reader is shown what stands in nodes. */
export interface Wording {
  /** An id, a path, the name of a tool. */
  readonly name: (text: string) => string;
  readonly quote: (text: string) => string;
  /** A text as one line: blanks and line breaks run together, the rest is cut. */
  readonly excerpt: (text: string) => string;
}

/** @param width of a text, in UTF-16 units. */
export function wordingFor(reader: OutlineReader, width: number): Wording {
  const name = reader === "person" ? escapeForPeople : escapeForDisplay;
  const plain = reader === "person" ? (text: string) => text : withoutFrames;
  return {
    name,
    quote: (text) => quoteForDisplay(text, name),
    excerpt: (text) => oneLine(plain(text), width, name),
  };
}

function oneLine(text: string, width: number, safe: (text: string) => string): string {
  const start = text.slice(0, width * 4);
  const clipped = clip(start.trim().replace(/\s+/g, " "), width);
  const cut = start.length < text.length && !clipped.endsWith("…") ? "…" : "";
  return safe(clipped) + cut;
}

/** An excerpt is for recognising a text, which `\u003c` would hinder; nobody takes exact bytes from it. */
function withoutFrames(text: string): string {
  return text.replaceAll("<", "‹").replaceAll(">", "›");
}
