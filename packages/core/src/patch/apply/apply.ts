import { applyPatch } from "diff";
import { type LineEnding, sameBytes } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import type { Edit } from "../model/edit.js";
import type { Deadline, Steps } from "../model/steps.js";
import type { StrictApplier } from "../model/types.js";
import type { PackedDiff, PackedPart } from "../read/sections.js";

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

/** What proves packed bytes, and unpacks them. */
export interface Unpacking {
  /** Whether git gives this content a name that begins so. */
  readonly isGitBlob: (bytes: Uint8Array, id: string) => boolean;
  /** Undoes zlib's packing; undefined of damaged bytes, and of what comes to more than `size`. */
  readonly inflate: (bytes: Uint8Array, size: number) => Uint8Array | undefined;
  /** Nothing larger is unpacked. */
  readonly limitBytes: number;
}

/**
 * What packed bytes make of a file. Both directions must fit, and so must the names of the contents, as far as the diff
 * has them: then it was made for these very bytes, and comes to the very bytes that were meant.
 *
 * @returns the new bytes, the same ones where they stand already, or why it does not fit, in words.
 */
export function applyPacked(
  before: Uint8Array,
  { blobs, parts: [forward, back, more] }: PackedDiff,
  by: Unpacking,
): Uint8Array | string {
  if (forward === undefined || more !== undefined) return "are not in one part or two";
  // The first digits of a name are those of other contents, too.
  const isProved = blobs?.every(({ length }) => length >= 40) === true;
  if (!isProved && back === undefined)
    return "come without the whole names of a line `index`, and without a way back, so that nothing proves them";
  const isNamed = (bytes: Uint8Array, at: 0 | 1) =>
    blobs === undefined ||
    (/^0+$/.test(blobs[at] ?? "") ? bytes.length === 0 : by.isGitBlob(bytes, blobs[at] ?? ""));
  if (isProved && isNamed(before, 1)) return before;
  const after = unpack(forward, before, by);
  if (after !== undefined && sameBytes(after, before)) return before;
  if (!isNamed(before, 0)) return "were made for another content than this file has, by their line `index`";
  if (after === undefined) return "are damaged, too large, or made for other bytes than the file has";
  if (!isNamed(after, 1)) return "do not come to the content that their line `index` names";
  const again = back === undefined ? before : unpack(back, after, by);
  if (again !== undefined && sameBytes(again, before)) return after;
  return "do not lead back to this file, so they were made for another one";
}

function unpack(
  { isDelta, size, lines }: PackedPart,
  base: Uint8Array,
  { inflate, limitBytes }: Unpacking,
): Uint8Array | undefined {
  const deflated = new Uint8Array(lines.length * 52);
  let length = 0;
  for (const line of lines) {
    const count = decodeLine(line, deflated, length);
    if (count === undefined) return undefined;
    length += count;
  }
  const bytes = size > limitBytes ? undefined : inflate(deflated.subarray(0, length), size);
  if (bytes?.length !== size) return undefined;
  return isDelta ? applyDelta(bytes, base, limitBytes) : bytes;
}

/** One line: a letter for the number of bytes, and five digits of base 85 for each four of them. */
function decodeLine(line: string, into: Uint8Array, from: number): number | undefined {
  const letter = line.charCodeAt(0);
  const count = letter <= upperZ ? letter - 64 : letter - 70;
  if (line.length - 1 !== Math.ceil(count / 4) * 5) return undefined;
  for (let at = 0, place = 1; at < count; at += 4) {
    let word = 0;
    for (const end = place + 5; place < end; place++)
      word = word * 85 + (digits.get(line.charCodeAt(place)) ?? Number.NaN);
    // Also where one was no digit.
    if (!(word <= 0xffffffff)) return undefined;
    for (let byte = at; byte < Math.min(at + 4, count); byte++)
      into[from + byte] = word >>> (24 - 8 * (byte - at));
  }
  return count;
}

const upperZ = 90;
const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const digits = new Map([...letters].map((letter, value) => [letter.charCodeAt(0), value]));

/** Git's delta: two sizes, then by turns what is copied from the old bytes and what is new. */
function applyDelta(delta: Uint8Array, base: Uint8Array, limit: number): Uint8Array | undefined {
  let at = 0;
  const readSize = () => {
    let [value, byte] = [0, 128];
    for (let scale = 1; byte >= 128; scale *= 128) {
      byte = delta[at++] ?? 0;
      value += (byte & 127) * scale;
    }
    return value;
  };
  /** A number of which the bytes are left out that are zero. */
  const readSparse = (bits: number, count: number) => {
    let value = 0;
    for (let place = 0; place < count; place++)
      if ((bits >> place) & 1) value += (delta[at++] ?? 0) * 256 ** place;
    return value;
  };
  if (readSize() !== base.length) return undefined;
  const size = readSize();
  const bytes = new Uint8Array(size > limit ? 0 : size);
  let length = 0;
  while (at < delta.length) {
    const code = delta[at++] ?? 0;
    const isCopy = code >= 128;
    const from = isCopy ? readSparse(code, 4) : at;
    const count = isCopy ? readSparse(code >> 4, 3) || 0x10000 : code;
    const source = isCopy ? base : delta;
    if (count === 0 || from + count > source.length || length + count > bytes.length) return undefined;
    bytes.set(source.subarray(from, from + count), length);
    length += count;
    if (!isCopy) at += count;
  }
  return length === size ? bytes : undefined;
}
