import { sameBytes } from "./same-bytes.js";

/**
 * From the bytes of a file to its text and back, so that what was not touched comes back as the same
 * bytes. The order is strict: byte order mark, valid UTF-8, binary, UTF-8 but for a few bytes, then a guess that must
 * survive the round trip; a guess proves nothing about meaning, so it stays marked as one.
 */
export interface TextFormat {
  /** "utf-8", "utf-16le", "utf-16be", or the name of a legacy charset that the codec port knows. */
  readonly encoding: string;
  /** Whether the file begins with a byte order mark. It is never part of the text. */
  readonly bom: boolean;
  /** `guessed`: the bytes survive the round trip, but another charset might, too. `named` is damaged UTF-8, too. */
  readonly certainty: "proven" | "named" | "guessed";
  /** Of a text in UTF-8 with bytes that are none: this very text with them, as `escapeStrays` has it. */
  readonly escaped?: string;
}

/** Charsets beyond Unicode; a port, since their tables belong to a library. */
export interface CharsetCodec {
  /** The likeliest charset of these bytes, or undefined. */
  guess(bytes: Uint8Array): string | undefined;
  /** Whether the charset of that name is known. */
  knows(charset: string): boolean;
  decode(bytes: Uint8Array, charset: string): string;
  encode(text: string, charset: string): Uint8Array;
}

/** Bytes that were text, with what is needed to encode the text to the same bytes again. */
export interface DecodedText {
  readonly kind: "text";
  readonly text: string;
  readonly format: TextFormat;
}

/** Bytes that no text can be made of. */
export interface NotText {
  readonly kind: "binary" | "undecodable";
  /** One sentence that says what was found. */
  readonly reason: string;
}

/** The form of a new text: UTF-8 without a byte order mark. */
export const utf8: TextFormat = { encoding: "utf-8", bom: false, certainty: "proven" };

/**
 * Decodes the bytes of a file.
 *
 * @param named the encoding that the caller insists on, if any; it must round-trip as well.
 * @returns the text, or why these bytes are not served as text. Never throws.
 */
export function decodeBytes(bytes: Uint8Array, codec: CharsetCodec, named?: string): DecodedText | NotText {
  // Its text is compressed, and the rest of it no text to edit, even where every byte of it could be one.
  if (beginsAsPdf(bytes)) return binary("it begins as a PDF document");
  const mark = markOf(bytes, named);
  const marked = mark === undefined ? undefined : decodeMarked(bytes, mark);
  if (marked !== undefined) return marked;
  if (named !== undefined && normaliseName(named) !== "utf-8") return decodeNamed(bytes, codec, named);
  const plain = decodeUtf8(bytes);
  if (plain !== undefined) {
    return plain.includes("\0") ? binary("it holds NUL bytes") : { kind: "text", text: plain, format: utf8 };
  }
  if (bytes.includes(0)) return binary("it holds NUL bytes");
  // UTF-8 but for a few bytes, which are kept as they are.
  const bom = mark?.encoding === "utf-8";
  const damaged = escapeStrays(bom ? bytes.subarray(mark.mark.length) : bytes);
  if (damaged !== undefined) {
    const { escaped, isProven } = damaged;
    const certainty = named !== undefined || isProven ? "named" : "guessed";
    return {
      kind: "text",
      text: escaped.toWellFormed(),
      format: { encoding: "utf-8", bom, certainty, escaped },
    };
  }
  if (named !== undefined) return { kind: "undecodable", reason: "the bytes are not valid UTF-8" };
  return decodeGuessed(bytes, codec);
}

/** Whether a file with these first bytes is a PDF document: `%PDF`. */
export function beginsAsPdf(bytes: Uint8Array): boolean {
  return [0x25, 0x50, 0x44, 0x46].every((byte, at) => bytes[at] === byte);
}

/** The text of UTF-8; undefined where the bytes are none. A mark at its beginning is part of it. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return decodeStrict(bytes, "utf-8");
}

/** Whether bytes begin with the mark of UTF-8. */
export function isMarkedUtf8(bytes: Uint8Array): boolean {
  return markOf(bytes, undefined)?.encoding === "utf-8";
}

/**
 * Encodes a text in the format of the file that it goes to.
 *
 * @returns the bytes, or undefined where the encoding cannot hold the text exactly.
 */
export function encodeText(text: string, format: TextFormat, codec: CharsetCodec): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined;
  const mark = format.bom ? marks.find(({ encoding }) => encoding === format.encoding)?.mark : undefined;
  switch (format.encoding) {
    case "utf-8":
      if (format.escaped !== undefined) return unescapeStrays(format.escaped, mark);
      return encoder.encode(mark === undefined ? text : `\ufeff${text}`);
    case "utf-16le":
      return encodeUtf16(text, mark, true);
    case "utf-16be":
      return encodeUtf16(text, mark, false);
    default: {
      const bytes = codec.encode(text, format.encoding);
      return codec.decode(bytes, format.encoding) === text ? bytes : undefined;
    }
  }
}

/** The spelling under which an encoding is compared: `UTF8` and `utf-8` are one. */
export function normaliseName(encoding: string): string {
  const name = encoding.trim().toLowerCase().replaceAll("_", "-");
  if (name === "utf8") return "utf-8";
  if (name === "utf16le" || name === "utf-16") return "utf-16le";
  if (name === "utf16be") return "utf-16be";
  return name;
}

const marks = [
  { encoding: "utf-8", mark: [0xef, 0xbb, 0xbf] },
  { encoding: "utf-16le", mark: [0xff, 0xfe] },
  { encoding: "utf-16be", mark: [0xfe, 0xff] },
] as const;

type Mark = (typeof marks)[number];

/** The byte order mark at the beginning, unless the caller insists on another encoding. */
function markOf(bytes: Uint8Array, named: string | undefined): Mark | undefined {
  const found = marks.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  return found === undefined || (named !== undefined && normaliseName(named) !== found.encoding)
    ? undefined
    : found;
}

function decodeMarked(bytes: Uint8Array, { encoding, mark }: Mark): DecodedText | NotText | undefined {
  const text = decodeStrict(bytes.subarray(mark.length), encoding);
  // Bytes that only look marked (a Latin-1 file may begin with ÿþ) go on to the other readings.
  if (text === undefined) return undefined;
  if (text.includes("\0")) return binary(`it is marked as ${encoding} and holds NUL characters`);
  return { kind: "text", text, format: { encoding, bom: true, certainty: "proven" } };
}

function decodeNamed(bytes: Uint8Array, codec: CharsetCodec, named: string): DecodedText | NotText {
  const encoding = normaliseName(named);
  const format: TextFormat = { encoding, bom: false, certainty: "named" };
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const text = decodeStrict(bytes, encoding);
    return text === undefined
      ? { kind: "undecodable", reason: `the bytes are not valid ${encoding}` }
      : { kind: "text", text, format };
  }
  if (!codec.knows(encoding)) {
    return { kind: "undecodable", reason: `no encoding of the name ${named} is known` };
  }
  return (
    roundTrip(bytes, codec, format) ?? { kind: "undecodable", reason: `the bytes are not valid ${named}` }
  );
}

function decodeGuessed(bytes: Uint8Array, codec: CharsetCodec): DecodedText | NotText {
  const guess = codec.guess(bytes);
  const candidates = guess === undefined ? ["iso-8859-1"] : [guess, "iso-8859-1"];
  for (const charset of candidates) {
    if (!codec.knows(charset)) continue;
    const encoding = normaliseName(charset);
    const decoded = roundTrip(bytes, codec, { encoding, bom: false, certainty: "guessed" });
    if (decoded !== undefined && !hasControls(decoded.text)) return decoded;
  }
  return {
    kind: "undecodable",
    reason: "the bytes are neither UTF-8 nor a charset that survives a round trip",
  };
}

function roundTrip(bytes: Uint8Array, codec: CharsetCodec, format: TextFormat): DecodedText | undefined {
  const text = codec.decode(bytes, format.encoding);
  return sameBytes(codec.encode(text, format.encoding), bytes) ? { kind: "text", text, format } : undefined;
}

/** C0 and C1 controls other than tab, line feed, form feed, return and escape: these are not texts. */
function hasControls(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 ? ![9, 10, 12, 13, 27].includes(code) : code >= 0x7f && code < 0xa0) return true;
  }
  return false;
}

function decodeStrict(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The bytes behind an escaped text. */
function unescapeStrays(escaped: string, mark: readonly number[] = []): Uint8Array {
  const pieces = escaped.split(/([\udc80-\udcff])/u).map((piece, at) => {
    return at % 2 === 1 ? Uint8Array.of(piece.charCodeAt(0) & 0xff) : encoder.encode(piece);
  });
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, mark.length));
  bytes.set(mark);
  let at = mark.length;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function encodeUtf16(text: string, mark: readonly number[] = [], little: boolean): Uint8Array {
  const bytes = new Uint8Array(mark.length + 2 * text.length);
  bytes.set(mark);
  const view = new DataView(bytes.buffer, mark.length);
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), little);
  return bytes;
}

const encoder = new TextEncoder();

function binary(reason: string): NotText {
  return { kind: "binary", reason };
}

/**
 * The text of bytes that are UTF-8 but for some: for each of these it holds a lone surrogate, U+DC00 and the byte, so that
 * it says of all bytes what they are. Nobody is shown it: `toWellFormed` has U+FFFD there, at the same offsets.
 *
 * @returns `isProven` where the characters outweigh the stray bytes; undefined for more strays than a damaged text has,
 *   which is of another charset.
 */
function escapeStrays(
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
