import { sameBytes } from "../../text/index.js";
import type { PackedDiff, PackedPart } from "../read/packed.js";

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
