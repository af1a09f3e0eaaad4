import { applyPatch } from "diff";
import type { LineEnding } from "../text/index.js";
import type { BaseText } from "./base-text.js";
import type { Edit } from "./correct.js";
import type { StrictApplier } from "./types.js";

/**
 * The strict last stage of seed 1: the `diff` library's `applyPatch`, which may not search with fuzz nor
 * convert endings.
 */
export const applyStrictly: StrictApplier = (base, correctedDiff) => {
  try {
    return applyPatch(base, correctedDiff, { fuzzFactor: 0, autoConvertLineEndings: false });
  } catch {
    return false;
  }
};

/**
 * Applies edits twice, by a splice of our own and by the strict applier through a diff written anew, and
 * compares. On a large file the applier is given only the lines around the edits, so that its cost is that
 * of the change; what lies between is copied by the splice.
 *
 * @param edits ascending and disjoint.
 * @returns the new text, or undefined where the two do not agree to the byte.
 */
export function applyEdits(
  base: BaseText,
  edits: readonly Edit[],
  applier: StrictApplier,
): string | undefined {
  const windows = groupEdits(base, edits);
  const condensed = base.count > wholeFileLines;
  const diff = renderDiff(base, windows, condensed);
  // The library knows `\n` only; in a file of lone `\r`, which has none, the one stands for the other.
  const returns = base.ending(0) === "\r";
  const results = windows.map((window) => splice(base, window));
  const text = weave(base, windows, results);
  const given = condensed ? windows.map(({ from, to }) => base.slice(from, to)).join("") : base.text;
  const expected = condensed ? results.join("") : text;
  const toLibrary = (one: string) => (returns ? one.replaceAll("\r", "\n") : one);
  return applier(toLibrary(given), diff) === toLibrary(expected) ? text : undefined;
}

/** Some edits that stand close together, and the lines around them. */
interface EditWindow {
  readonly from: number;
  readonly to: number;
  readonly edits: readonly Edit[];
}

function groupEdits(base: BaseText, edits: readonly Edit[]): readonly EditWindow[] {
  const windows: { from: number; to: number; edits: Edit[] }[] = [];
  for (const edit of edits) {
    const open = windows.at(-1);
    const to = Math.min(base.count, edit.to + contextLines);
    if (open !== undefined && edit.from - contextLines <= open.to) {
      open.edits.push(edit);
      open.to = to;
    } else windows.push({ from: Math.max(0, edit.from - contextLines), to, edits: [edit] });
  }
  return windows;
}

/** The lines of a window after its edits. */
function splice(base: BaseText, window: EditWindow): string {
  const parts: string[] = [];
  let at = window.from;
  for (const edit of window.edits) {
    if (edit.from > at) parts.push(base.slice(at, edit.from));
    for (const line of edit.lines) parts.push(line.text + line.ending);
    at = edit.to;
  }
  parts.push(base.slice(at, window.to));
  return parts.join("");
}

/** The whole text: what lies between the windows is the base's. */
function weave(base: BaseText, windows: readonly EditWindow[], results: readonly string[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [n, window] of windows.entries()) {
    parts.push(base.slice(at, window.from), results[n] ?? "");
    at = window.to;
  }
  parts.push(base.slice(at, base.count));
  return parts.join("");
}

function renderDiff(base: BaseText, windows: readonly EditWindow[], condensed: boolean): string {
  const out = ["--- a/file\n", "+++ b/file\n"];
  let seen = 0;
  let shift = 0;
  for (const window of windows) {
    const oldStart = condensed ? seen : window.from;
    const oldCount = window.to - window.from;
    const growth = window.edits.reduce((sum, edit) => sum + edit.lines.length - (edit.to - edit.from), 0);
    const newCount = oldCount + growth;
    const start = (first: number, count: number) => `${count === 0 ? first : first + 1},${count}`;
    out.push(`@@ -${start(oldStart, oldCount)} +${start(oldStart + shift, newCount)} @@\n`);
    renderWindow(base, window, out);
    seen += oldCount;
    shift += growth;
  }
  return out.join("");
}

function renderWindow(base: BaseText, window: EditWindow, out: string[]): void {
  const put = (sign: string, text: string, ending: LineEnding) => {
    out.push(`${sign}${text}${ending === "\r\n" ? "\r\n" : "\n"}`);
    if (ending === "") out.push("\\ No newline at end of file\n");
  };
  const putOld = (sign: string, from: number, to: number) => {
    for (let at = from; at < to; at++) put(sign, base.line(at), base.ending(at) ?? "");
  };
  let at = window.from;
  for (const edit of window.edits) {
    putOld(" ", at, edit.from);
    putOld("-", edit.from, edit.to);
    for (const line of edit.lines) put("+", line.text, line.ending);
    at = edit.to;
  }
  putOld(" ", at, window.to);
}

const contextLines = 3;
/** Up to this many lines the strict applier gets the file whole. */
const wholeFileLines = 2_000;
