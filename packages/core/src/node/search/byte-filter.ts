import type { ContentJob } from "../../files/index.js";
import { requiredLiterals } from "../../files/index.js";

/**
 * Whether the bytes of a file can hold a match: asked before they are decoded, by the texts that every matching line
 * holds. Those are ASCII, which all charsets spell alike but UTF-16.
 *
 * @returns undefined where nothing can be told from bytes.
 */
export function byteFilter(job: ContentJob): ((bytes: Uint8Array) => boolean) | undefined {
  const texts = requiredLiterals(job.pattern, job);
  if (texts === undefined) return undefined;
  const holds = job.ignoreCase ? holdsFolded(texts) : holdsExactly(texts);
  return (bytes) => isUtf16(bytes) || holds(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

function holdsExactly(texts: readonly string[]): (bytes: Buffer) => boolean {
  const sought = texts.map((text) => Buffer.from(text, "latin1"));
  return (bytes) => sought.some((text) => bytes.includes(text));
}

/** Without minding case, as RE2 folds it: two letters have a partner beyond ASCII. */
function holdsFolded(texts: readonly string[]): (bytes: Buffer) => boolean {
  const source = texts.map((text) => [...text].map(folded).join("")).join("|");
  // Every byte is one character, so that those beyond ASCII are met byte by byte.
  const expression = new RegExp(source, "i");
  return (bytes) => expression.test(bytes.toString("latin1"));
}

function folded(char: string): string {
  if (/k/i.test(char)) return "(?:k|\\xe2\\x84\\xaa)";
  if (/s/i.test(char)) return "(?:s|\\xc5\\xbf)";
  return /\w/.test(char) ? char : `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
}

function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
