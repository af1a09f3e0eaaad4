import { clip, escapeForDisplay } from "../text/index.js";

/** A text as one line of at most `width` UTF-16 units: blanks and line breaks run together. */
export function oneLine(text: string, width: number): string {
  const start = text.slice(0, width * 4);
  const clipped = clip(start.trim().replace(/\s+/g, " "), width);
  const cut = start.length < text.length && !clipped.endsWith("…") ? "…" : "";
  return escapeForDisplay(clipped) + cut;
}
