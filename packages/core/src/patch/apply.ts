import { applyPatch } from "diff";
import type { LineEnding } from "../text/index.js";
import type { BaseText } from "./base-text.js";
import type { Edit } from "./correct.js";
import type { Deadline } from "./deadline.js";
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
 * compares. On a large file the applier is given only the lines around the edits, some hundreds of edits at
 * a time, so that its cost is that of the change; what lies between is copied by the splice.
 *
 * @param edits ascending and disjoint.
 * @returns the new text, or undefined where the two do not agree to the byte, or the deadline has passed.
 */
export function applyEdits(
  base: BaseText,
  edits: readonly Edit[],
  applier: StrictApplier,
  deadline: Deadline,
): string | undefined {
  if (base.count <= wholeFileLines) return applyWhole(base, edits, applier);
  const parts: string[] = [];
  let at = 0;
  for (const batch of batchWindows(groupEdits(base, edits, 1))) {
    if (deadline.late()) return undefined;
    const results = batch.map((window) => splice(base, window, window.from, window.to));
    const given = batch.map(({ from, to }) => base.slice(from, to)).join("");
    const diff = renderDiff(base, batch, true);
    if (!agrees(base, applier, given, diff, results.join(""))) return undefined;
    for (const [n, { from, to }] of batch.entries()) {
      parts.push(base.slice(at, from), results[n] ?? "");
      at = to;
    }
  }
  parts.push(base.slice(at, base.count));
  return parts.join("");
}

function applyWhole(base: BaseText, edits: readonly Edit[], applier: StrictApplier): string | undefined {
  const text = splice(base, { from: 0, to: base.count, edits }, 0, base.count);
  const diff = renderDiff(base, groupEdits(base, edits, contextLines), false);
  return agrees(base, applier, base.text, diff, text) ? text : undefined;
}

function agrees(
  base: BaseText,
  applier: StrictApplier,
  given: string,
  diff: string,
  expected: string,
): boolean {
  // The library knows `\n` only; in a file of lone `\r`, which has none, the one stands for the other.
  if (base.ending(0) !== "\r") return applier(given, diff) === expected;
  return applier(given.replaceAll("\r", "\n"), diff) === expected.replaceAll("\r", "\n");
}

/** Some edits that stand close together, and the lines around them. */
interface EditWindow {
  readonly from: number;
  readonly to: number;
  readonly edits: readonly Edit[];
}

function groupEdits(base: BaseText, edits: readonly Edit[], context: number): readonly EditWindow[] {
  const windows: { from: number; to: number; edits: Edit[] }[] = [];
  for (const edit of edits) {
    const open = windows.at(-1);
    const to = Math.min(base.count, edit.to + context);
    if (open !== undefined && edit.from - context <= open.to) {
      open.edits.push(edit);
      open.to = to;
    } else windows.push({ from: Math.max(0, edit.from - context), to, edits: [edit] });
  }
  return windows;
}

/** Windows in the order of the file, so many together that calling the applier costs little beside its work. */
function* batchWindows(windows: readonly EditWindow[]): Generator<readonly EditWindow[]> {
  let batch: EditWindow[] = [];
  let lines = 0;
  for (const window of windows) {
    batch.push(window);
    lines += window.to - window.from + countNew(window);
    if (lines < batchLines) continue;
    yield batch;
    [batch, lines] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** The lines `from` to `to` after some edits. */
function splice(base: BaseText, { edits }: EditWindow, from: number, to: number): string {
  const parts: string[] = [];
  let at = from;
  for (const edit of edits) {
    if (edit.from > at) parts.push(base.slice(at, edit.from));
    for (const line of edit.lines) parts.push(line.text, line.ending);
    at = edit.to;
  }
  parts.push(base.slice(at, to));
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
    out.push(sign, text, ending === "\r\n" ? "\r\n" : "\n");
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

function countNew({ edits }: EditWindow): number {
  return edits.reduce((sum, edit) => sum + edit.lines.length, 0);
}

const contextLines = 3;
/** Lines of a batch of edits, old and new: few enough to be forgotten before they cost a long-lived copy. */
const batchLines = 4_096;
/** Up to this many lines the strict applier gets the file whole. */
const wholeFileLines = 2_000;
