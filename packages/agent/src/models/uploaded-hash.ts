/**
 * The SHA-256 that the File API names, as hex. Its documentation says Base64 of the hash; seen are the 32 bytes of it
 * and its 64 hex digits.
 *
 * @returns undefined for what is neither.
 */
export function hashInWords(sha256Hash: string): string | undefined {
  const raw = decoded(sha256Hash);
  if (raw === undefined) return undefined;
  if (/^[0-9a-f]{64}$/i.test(raw)) return raw.toLowerCase();
  if (raw.length !== 32) return undefined;
  return Array.from(raw, (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

function decoded(base64: string): string | undefined {
  try {
    return atob(base64);
  } catch {
    return undefined;
  }
}
