/**
 * CRC-32 as zlib, gzip and PNG compute it (reflected polynomial 0xEDB88320): every single flipped bit or
 * byte changes it.
 *
 * @param from first byte, included. @param to last byte, not included.
 * @param before the CRC-32 of the bytes that stand before these, to go on from.
 * @returns an unsigned 32-bit number.
 */
export function crc32(bytes: Uint8Array, from = 0, to = bytes.length, before = 0): number {
  let crc = ~before;
  let at = from;
  // Eight bytes a step, each by a table of its own: journals are read whole at every start.
  for (; at + 8 <= to; at += 8) {
    const low = crc ^ word(bytes, at);
    const high = word(bytes, at + 4);
    crc =
      entry(0x700 | (low & 255)) ^
      entry(0x600 | ((low >>> 8) & 255)) ^
      entry(0x500 | ((low >>> 16) & 255)) ^
      entry(0x400 | (low >>> 24)) ^
      entry(0x300 | (high & 255)) ^
      entry(0x200 | ((high >>> 8) & 255)) ^
      entry(0x100 | ((high >>> 16) & 255)) ^
      entry(high >>> 24);
  }
  for (; at < to; at += 1) crc = entry((crc ^ (bytes[at] ?? 0)) & 255) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Eight tables of 256: what a byte comes to with 0 to 7 bytes after it. */
const table = new Int32Array(0x800);
for (let at = 0; at < table.length; at += 1) {
  let crc = at < 256 ? at : (table[at - 256] ?? 0);
  if (at < 256) for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  else crc = (table[crc & 255] ?? 0) ^ (crc >>> 8);
  table[at] = crc;
}

function entry(at: number): number {
  return table[at] ?? 0;
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24)
  );
}
