import { applyPatch } from "diff";
import type { LineEnding } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import type { Edit } from "../model/edit.js";
import type { Deadline, Steps } from "../model/steps.js";
import type { StrictApplier } from "../model/types.js";

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
 * compares. The applier is given only the lines around the edits, thousands of lines at a time, so that its cost
 * is that of the change; what lies between is copied by the splice.
 *
 *     file   diff   corrected         result
 *     1 a    @@     @@ -1,3 +1,4 @@   1 a
 *     2 b     b      b                2 b
 *     3 c    -c     -c                3 C
 *     4 d    +C     +C                4 D
 *     5 e    +D     +D                5 d
 *                    d                6 e
 *
 * The edit is `{ from: 2, to: 3, lines: [C, D] }`. Our splice copies lines 1 and 2, puts C and D, and copies the
 * rest. The applier gets lines 2 to 4 and `corrected`, written anew for them. Only if both come to the same bytes
 * is that the result.
 *
 * @param edits ascending and disjoint.
 * @returns the new text, or undefined where the two do not agree to the byte, or the deadline has passed.
 */
export function* applyEdits(
  base: BaseText,
  edits: readonly Edit[],
  applier: StrictApplier,
  deadline: Deadline,
): Steps<string | undefined> {
  const parts: string[] = [];
  let at = 0;
  for (let first = 0; first < edits.length; ) {
    yield;
    if (deadline.late()) return undefined;
    const batch = new Batch(base, at);
    first = batch.take(edits, first);
    if (!agrees(base, applier, batch.given, batch.diff, batch.expected)) return undefined;
    parts.push(batch.text);
    at = batch.end;
  }
  parts.push(base.slice(at, base.count));
  yield;
  return parts.join("");
}

/** Some edits that follow each other, with the lines beside them, as if these windows touched. */
class Batch {
  /** The lines of the windows, before the edits and after them. */
  given = "";
  expected = "";
  private readonly pieces: string[] = [];
  /** The line after the last window. */
  end: number;
  private body = "";
  private oldCount = 0;
  private newCount = 0;

  constructor(
    private readonly base: BaseText,
    from: number,
  ) {
    this.end = from;
  }

  /** The lines of the file from the end of the batch before, after the edits. */
  get text(): string {
    return this.pieces.join("");
  }

  /** The windows are one hunk, since in what the applier is given they touch. */
  get diff(): string {
    const range = (lines: number) => `${lines === 0 ? 0 : 1},${lines}`;
    return `${fileHeader}@@ -${range(this.oldCount)} +${range(this.newCount)} @@\n${this.body}`;
  }

  /** Takes edits from `first` on, many enough to make up for the applier's cost a call. @returns the next one. */
  take(edits: readonly Edit[], first: number): number {
    const { base } = this;
    let next = first;
    for (; this.oldCount + this.newCount < batchLines; next++) {
      const edit = edits[next];
      if (edit === undefined) break;
      const from = Math.max(this.end, edit.from - 1);
      this.pieces.push(base.slice(this.end, from));
      this.keep(from, edit.from);
      this.replace(edit);
      const beyond = Math.min(base.count, edit.to + 1, edits[next + 1]?.from ?? base.count);
      this.keep(edit.to, beyond);
      this.end = beyond;
    }
    return next;
  }

  private keep(from: number, to: number): void {
    if (from >= to) return;
    const lines = this.base.slice(from, to);
    this.given += lines;
    this.put(lines);
    for (let at = from; at < to; at++) this.body += oldLine(this.base, " ", at);
    this.oldCount += to - from;
    this.newCount += to - from;
  }

  private replace({ from, to, lines }: Edit): void {
    this.given += this.base.slice(from, to);
    for (let at = from; at < to; at++) this.body += oldLine(this.base, "-", at);
    for (const { text, ending } of lines) {
      this.put(text + ending);
      this.body += signed("+", text, ending);
    }
    this.oldCount += to - from;
    this.newCount += lines.length;
  }

  private put(text: string): void {
    this.expected += text;
    this.pieces.push(text);
  }
}

function agrees(
  base: BaseText,
  applier: StrictApplier,
  given: string,
  diff: string,
  expected: string,
): boolean {
  // The library knows `\n` only; in a file of lone `\r`, which has none, the one replaces the other.
  if (base.ending(0) !== "\r") return applier(given, diff) === expected;
  return applier(given.replaceAll("\r", "\n"), diff) === expected.replaceAll("\r", "\n");
}

function oldLine(base: BaseText, sign: string, at: number): string {
  const line = base.slice(at, at + 1);
  return line.endsWith("\n") ? sign + line : signed(sign, base.line(at), base.ending(at) ?? "");
}

function signed(sign: string, text: string, ending: LineEnding): string {
  if (ending === "") return `${sign}${text}\n\\ No newline at end of file\n`;
  return sign + text + (ending === "\r\n" ? "\r\n" : "\n");
}

const fileHeader = "--- a/file\n+++ b/file\n";
/** Lines of a batch of edits, old and new: few enough to be forgotten before they cost a long-lived copy. */
const batchLines = 4_096;
