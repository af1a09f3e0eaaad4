import type { AlikeBytes } from "./bytes-alike.js";
import { beginsAsPdf, type DecodedText, decodeUtf8, isMarkedUtf8 } from "./encoding.js";

/** Bytes with the text that was decoded from them. */
type KnownText = Pick<DecodedText, "text" | "format"> & { readonly bytes: Uint8Array };

/**
 * Decodes bytes beside those of a text that is known: what both begin and end with is cut out of that text,
 * and not decoded to a second copy. Of a text that only lost its beginning or its end nothing is copied.
 *
 * Beside `one two three` as known, `one three` is `one t` of it, nothing between, and `hree` of it.
 *
 * @param alike what `bytesAlike` says of the two.
 * @returns the same as `decodeBytes` without a named encoding; undefined where that has to be asked, as for
 *   anything but UTF-8.
 */
export function decodeBeside(
  bytes: Uint8Array,
  { bytes: old, text, format }: KnownText,
  alike: AlikeBytes,
): Pick<DecodedText, "text" | "format"> | undefined {
  if (format.encoding !== "utf-8" || format.certainty !== "proven") return undefined;
  const mark = format.bom ? markBytes : 0;
  if (beginsAsPdf(bytes) || isMarkedUtf8(bytes) !== format.bom || alike.head < mark) return undefined;
  const head = beginOfCharacter(old, alike.head);
  const end = endOfCharacter(old, old.length - alike.tail);
  const tail = old.length - end;
  const between = decodeUtf8(bytes.subarray(head, bytes.length - tail));
  if (between === undefined || between.includes("\0")) return undefined;
  const isPlain = text.length === old.length - mark;
  const headUnits = isPlain ? head - mark : unitsOf(old.subarray(mark, head));
  const tailUnits = isPlain ? tail : unitsOf(old.subarray(end));
  const parts = [text.slice(0, headUnits), between, text.slice(text.length - tailUnits)];
  const [only = "", ...others] = parts.filter((part) => part !== "");
  return { text: others.length === 0 ? only : [only, ...others].join(""), format };
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
function unitsOf(bytes: Uint8Array): number {
  let units = 0;
  // A character of four bytes is a pair.
  for (const byte of bytes) if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  return units;
}
