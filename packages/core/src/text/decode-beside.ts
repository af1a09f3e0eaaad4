import type { AlikeBytes } from "./bytes-alike.js";
import { beginsAsPdf, type DecodedText, isMarkedUtf8, utf8PiecesInSteps } from "./encoding.js";
import type { Steps } from "./steps.js";

/** Bytes with the text that was decoded from them. */
type KnownText = Pick<DecodedText, "text" | "format"> & { readonly bytes: Uint8Array };

/**
 * Decodes bytes beside those of a text that is known, in steps: what both begin and end with is cut out of that text,
 * and not decoded to a second copy. Of a text that only lost its beginning or its end nothing is copied.
 *
 * Beside `one two three` as known, `one three` is `one t` of it, nothing between, and `hree` of it.
 *
 * @param alike what `bytesAlikeInSteps` says of the two.
 * @returns the same as `decodeInSteps` without a named encoding; undefined where that has to be asked, as for
 *   anything but UTF-8.
 */
export function* decodeBesideInSteps(
  bytes: Uint8Array,
  { bytes: old, text, format }: KnownText,
  alike: AlikeBytes,
): Steps<Pick<DecodedText, "text" | "format"> | undefined> {
  if (format.encoding !== "utf-8" || format.certainty !== "proven") return undefined;
  const mark = format.bom ? markBytes : 0;
  if (beginsAsPdf(bytes) || isMarkedUtf8(bytes) !== format.bom || alike.head < mark) return undefined;
  const head = beginOfCharacter(old, alike.head);
  const end = endOfCharacter(old, old.length - alike.tail);
  const tail = old.length - end;
  const pieces = yield* utf8PiecesInSteps(bytes.subarray(head, bytes.length - tail));
  if (pieces === undefined || pieces.some((piece) => piece.includes("\0"))) return undefined;
  const isPlain = text.length === old.length - mark;
  const headUnits = isPlain ? head - mark : yield* unitsOf(old.subarray(mark, head));
  const tailUnits = isPlain ? tail : yield* unitsOf(old.subarray(end));
  const parts = [text.slice(0, headUnits), ...pieces, text.slice(text.length - tailUnits)];
  const [only = "", ...others] = parts.filter((part) => part !== "");
  if (others.length === 0) return { text: only, format };
  const joined = [only, ...others].join("");
  yield;
  return { text: joined, format };
}

/** The mark of UTF-8. */
const markBytes = 3;

/** The offset itself, or that of the character in whose midst it lies; `bytes` are valid. */
function beginOfCharacter(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at > 0 && isContinuation(bytes[at])) at--;
  return at;
}

/** The offset itself, or that behind the character in whose midst it lies. */
function endOfCharacter(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (isContinuation(bytes[at])) at++;
  return at;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How many UTF-16 units these whole characters are. */
function* unitsOf(bytes: Uint8Array): Steps<number> {
  let units = 0;
  for (let from = 0; from < bytes.length; from += stepBytes) {
    const to = Math.min(bytes.length, from + stepBytes);
    // A character of four bytes is a pair.
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
    }
    yield;
  }
  return units;
}

/** Counted in some milliseconds at most. */
const stepBytes = 1 << 20;
