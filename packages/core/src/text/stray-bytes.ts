/**
 * The text of bytes that are UTF-8 but for some: for each of these it holds a lone surrogate, U+DC00 and the byte, so that
 * it says of all bytes what they are. Nobody is shown it: `toWellFormed` has U+FFFD there, at the same offsets.
 *
 * @returns `isProven` where the characters outweigh the stray bytes; undefined for more strays than a damaged text has,
 *   which is of another charset.
 */
export function escapeStrays(
  bytes: Uint8Array,
): { readonly escaped: string; readonly isProven: boolean } | undefined {
  const parts: string[] = [];
  let [strays, wide, from] = [0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length > 1) wide += 1;
    if (length === 0) {
      strays += 1;
      if (strays > mostStrays) return undefined;
      parts.push(decoder.decode(bytes.subarray(from, at)), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
      from = at + 1;
    }
    at += Math.max(length, 1);
  }
  parts.push(decoder.decode(bytes.subarray(from)));
  const isProven = strays < wide;
  return isProven || strays * rareBytes <= bytes.length ? { escaped: parts.join(""), isProven } : undefined;
}

/** How many bytes the character takes that begins here; 0 where none does. As the Encoding Standard has it. */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  let least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  let most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  for (let next = at + 1; next < at + length; next++) {
    const byte = bytes[next] ?? 0;
    if (byte < least || byte > most) return 0;
    [least, most] = [0x80, 0xbf];
  }
  return length;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** More strays are no damage; and one in so many bytes names no charset, where all other characters are ASCII. */
const [mostStrays, rareBytes] = [4_096, 8_192] as const;
