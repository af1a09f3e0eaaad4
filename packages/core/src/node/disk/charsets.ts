import type { CharsetCodec } from "../../text/index.js";
import { loadLibrary } from "./platform.js";

/**
 * Charsets beyond Unicode, by `chardet` and `iconv-lite`. Both are loaded at the first file that is not
 * UTF-8, not before: most sessions never see one.
 */
export function openCharsets(): CharsetCodec {
  return {
    guess: (bytes) => {
      const guess = chardet().detect(bytes.subarray(0, sampleBytes));
      return guess === null || guess.toLowerCase().startsWith("utf-") ? undefined : guess.toLowerCase();
    },
    knows: (charset) => !notCharsets.has(plainName(charset)) && iconv().encodingExists(charset),
    decode: (bytes, charset) => iconv().decode(bytes, charset, { stripBOM: false }),
    encode: (text, charset) => iconv().encode(text, charset, { addBOM: false }),
  };
}

const sampleBytes = 64 * 1024;

/** What `iconv-lite` offers besides charsets, and the Unicode forms that the text room reads itself. */
const notCharsets: ReadonlySet<string> = new Set([
  "base64",
  "hex",
  "binary",
  "utf7",
  "unicode11utf7",
  "utf7imap",
  "utf8",
  "unicode11utf8",
  "cesu8",
  "ucs2",
  "ucs4",
  "utf16",
  "utf16le",
  "utf16be",
  "utf32",
  "utf32le",
  "utf32be",
]);

function plainName(charset: string): string {
  return charset.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

interface Chardet {
  detect(bytes: Uint8Array): string | null;
}

interface Iconv {
  encodingExists(charset: string): boolean;
  decode(bytes: Uint8Array, charset: string, options: { readonly stripBOM: boolean }): string;
  encode(text: string, charset: string, options: { readonly addBOM: boolean }): Uint8Array;
}

let loadedChardet: Chardet | undefined;
let loadedIconv: Iconv | undefined;

// A library is `unknown`; the interfaces above are the parts of the two libraries that are used.
function chardet(): Chardet {
  loadedChardet ??= loadLibrary("chardet") as Chardet;
  return loadedChardet;
}

function iconv(): Iconv {
  loadedIconv ??= loadLibrary("iconv-lite") as Iconv;
  return loadedIconv;
}
