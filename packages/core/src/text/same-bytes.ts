/** Whether two stretches of bytes are equal: as a whole, or so many bytes from the beginning on. */
export function sameBytes(
  left: Uint8Array,
  right: Uint8Array,
  length = Math.max(left.length, right.length),
): boolean {
  if (left.length < length || right.length < length) return false;
  // A plain loop: a callback for each byte takes ten times as long.
  for (let at = 0; at < length; at++) if (left[at] !== right[at]) return false;
  return true;
}
