import { isSameInSteps } from "./same-bytes.js";
import { finish, type Steps } from "./steps.js";
import { escapeStrays } from "./stray-bytes.js";

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
  /** The same piece by piece, for large files; at once without them. */
  decoder?(charset: string): Converter<Uint8Array, string>;
  encoder?(charset: string): Converter<string, Uint8Array>;
  /** For large files of nothing but ASCII; without it they are decoded piece by piece as any others. */
  readonly ascii?: AsciiReader;
}

/** Makes one copy of the bytes, where the pieces of a text and what is joined from them are two. */
interface AsciiReader {
  /** Whether every byte is below 128. */
  holds(bytes: Uint8Array): boolean;
  /** The text of bytes that are. */
  text(bytes: Uint8Array): string;
}

/** Takes one thing after the other and gives what each of them adds. */
export interface Converter<From, To> {
  write(piece: From): To;
  /** What is left at the end, if anything. */
  end(): To | undefined;
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
  return finish(decodeInSteps(bytes, codec, named));
}

/** Whether a file with these first bytes is a PDF document: `%PDF`. */
export function beginsAsPdf(bytes: Uint8Array): boolean {
  return [0x25, 0x50, 0x44, 0x46].every((byte, at) => bytes[at] === byte);
}

/** The same in steps. */
export function* decodeInSteps(
  bytes: Uint8Array,
  codec: CharsetCodec,
  named?: string,
): Steps<DecodedText | NotText> {
  // Its text is compressed, and the rest of it no text to edit, even where every byte of it could be one.
  if (beginsAsPdf(bytes)) return binary("it begins as a PDF document");
  const mark = markOf(bytes, named);
  const marked = mark === undefined ? undefined : yield* decodeMarked(bytes, mark, codec);
  if (marked !== undefined) return marked;
  if (named !== undefined && normaliseName(named) !== "utf-8") return yield* decodeNamed(bytes, codec, named);
  const plain =
    bytes.length <= pieceLength
      ? decodeStrict(bytes, "utf-8")
      : yield* strictInSteps(bytes, "utf-8", codec.ascii);
  if (plain !== undefined) {
    return plain.includes("\0") ? binary("it holds NUL bytes") : { kind: "text", text: plain, format: utf8 };
  }
  if (bytes.includes(0)) return binary("it holds NUL bytes");
  // UTF-8 but for a few bytes, which are kept as they are.
  const bom = mark?.encoding === "utf-8";
  const damaged = yield* escapeStrays(bom ? bytes.subarray(mark.mark.length) : bytes);
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
  return yield* decodeGuessed(bytes, codec);
}

/** The texts of the pieces of UTF-8 without a mark, in steps; undefined where it is none. */
export function utf8PiecesInSteps(bytes: Uint8Array): Steps<readonly string[] | undefined> {
  return strictPieces(bytes, "utf-8");
}

/** Whether bytes begin with the mark of UTF-8. */
export function isMarkedUtf8(bytes: Uint8Array): boolean {
  return markOf(bytes, undefined)?.encoding === "utf-8";
}

/**
 * Encodes a text in the format of the file that it goes to, in steps.
 *
 * @returns the bytes, or undefined where the encoding cannot hold the text exactly.
 */
export function* encodeInSteps(
  text: string,
  format: TextFormat,
  codec: CharsetCodec,
): Steps<Uint8Array | undefined> {
  const mark = format.bom ? marks.find(({ encoding }) => encoding === format.encoding)?.mark : undefined;
  switch (format.encoding) {
    case "utf-8":
      if (format.escaped !== undefined)
        return text.isWellFormed() ? yield* unescapeStrays(format.escaped, mark) : undefined;
      if (text.length > pieceLength || mark !== undefined) return yield* unicodeInSteps(text, mark, utf8Into);
      return text.isWellFormed() ? encoder.encode(text) : undefined;
    case "utf-16le":
      return yield* unicodeInSteps(text, mark, utf16Into(true));
    case "utf-16be":
      return yield* unicodeInSteps(text, mark, utf16Into(false));
    default: {
      if (!text.isWellFormed()) return undefined;
      const bytes = yield* charsetEncoded(text, format.encoding, codec);
      return (yield* charsetDecoded(bytes, format.encoding, codec)) === text ? bytes : undefined;
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

function* decodeMarked(
  bytes: Uint8Array,
  { encoding, mark }: Mark,
  { ascii }: CharsetCodec,
): Steps<DecodedText | NotText | undefined> {
  const text = yield* strictInSteps(bytes.subarray(mark.length), encoding, ascii);
  // Bytes that only look marked (a Latin-1 file may begin with ÿþ) go on to the other readings.
  if (text === undefined) return undefined;
  if (text.includes("\0")) return binary(`it is marked as ${encoding} and holds NUL characters`);
  return { kind: "text", text, format: { encoding, bom: true, certainty: "proven" } };
}

function* decodeNamed(bytes: Uint8Array, codec: CharsetCodec, named: string): Steps<DecodedText | NotText> {
  const encoding = normaliseName(named);
  const format: TextFormat = { encoding, bom: false, certainty: "named" };
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const text = yield* strictInSteps(bytes, encoding);
    return text === undefined
      ? { kind: "undecodable", reason: `the bytes are not valid ${encoding}` }
      : { kind: "text", text, format };
  }
  if (!codec.knows(encoding)) {
    return { kind: "undecodable", reason: `no encoding of the name ${named} is known` };
  }
  return (
    (yield* roundTrip(bytes, codec, format)) ?? {
      kind: "undecodable",
      reason: `the bytes are not valid ${named}`,
    }
  );
}

function* decodeGuessed(bytes: Uint8Array, codec: CharsetCodec): Steps<DecodedText | NotText> {
  const guess = codec.guess(bytes);
  const candidates = guess === undefined ? ["iso-8859-1"] : [guess, "iso-8859-1"];
  for (const encoding of candidates) {
    if (!codec.knows(encoding)) continue;
    const decoded = yield* roundTrip(bytes, codec, {
      encoding: normaliseName(encoding),
      bom: false,
      certainty: "guessed",
    });
    if (decoded !== undefined && !(yield* hasControls(decoded.text))) return decoded;
  }
  return {
    kind: "undecodable",
    reason: "the bytes are neither UTF-8 nor a charset that survives a round trip",
  };
}

function* roundTrip(
  bytes: Uint8Array,
  codec: CharsetCodec,
  format: TextFormat,
): Steps<DecodedText | undefined> {
  const text = yield* charsetDecoded(bytes, format.encoding, codec);
  const again = yield* charsetEncoded(text, format.encoding, codec);
  return (yield* isSameInSteps(again, bytes)) ? { kind: "text", text, format } : undefined;
}

function* charsetDecoded(bytes: Uint8Array, charset: string, codec: CharsetCodec): Steps<string> {
  const decoder = bytes.length > pieceLength ? codec.decoder?.(charset) : undefined;
  if (decoder === undefined) return codec.decode(bytes, charset);
  const texts: string[] = [];
  for (let from = 0; from < bytes.length; from += pieceLength) {
    texts.push(decoder.write(bytes.subarray(from, from + pieceLength)));
    yield;
  }
  return texts.join("") + (decoder.end() ?? "");
}

function* charsetEncoded(text: string, charset: string, codec: CharsetCodec): Steps<Uint8Array> {
  const encoder = text.length > pieceLength ? codec.encoder?.(charset) : undefined;
  if (encoder === undefined) return codec.encode(text, charset);
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < text.length; from += pieceLength) {
    pieces.push(encoder.write(text.slice(from, from + pieceLength)));
    yield;
  }
  const end = encoder.end();
  return yield* joinBytes(end === undefined ? pieces : [...pieces, end]);
}

/** C0 and C1 controls other than tab, line feed, form feed, return and escape: these are not texts. */
function* hasControls(text: string): Steps<boolean> {
  for (let at = 0; at < text.length; at++) {
    if (at % pieceLength === pieceLength - 1) yield;
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

/** Cut between two characters, so that every piece is valid where the whole is. */
function* strictInSteps(bytes: Uint8Array, encoding: string, ascii?: AsciiReader): Steps<string | undefined> {
  if (bytes.length <= pieceLength) return decodeStrict(bytes, encoding);
  if (encoding === "utf-8" && ascii !== undefined && (yield* isAsciiInSteps(bytes, ascii))) {
    // One copy of all of it, in a slice of its own.
    yield;
    const text = ascii.text(bytes);
    yield;
    return text;
  }
  const texts = yield* strictPieces(bytes, encoding);
  if (texts === undefined) return undefined;
  // One copy of all of it: whoever goes on with the text begins after a rest.
  const text = texts.join("");
  yield;
  return text;
}

function* isAsciiInSteps(bytes: Uint8Array, ascii: AsciiReader): Steps<boolean> {
  for (let from = 0; from < bytes.length; from += pieceLength) {
    if (!ascii.holds(bytes.subarray(from, from + pieceLength))) return false;
    yield;
  }
  return true;
}

function* strictPieces(bytes: Uint8Array, encoding: string): Steps<readonly string[] | undefined> {
  const texts: string[] = [];
  for (let from = 0; from < bytes.length; ) {
    const to = encoding === "utf-8" ? cutUtf8(bytes, from) : cutUtf16(bytes, from, encoding === "utf-16le");
    const text = decodeStrict(bytes.subarray(from, to), encoding);
    if (text === undefined) return undefined;
    texts.push(text);
    from = to;
    yield;
  }
  return texts;
}

/** A piece ends before a byte that begins a character; more than three others in a row are no UTF-8 anyway. */
function cutUtf8(bytes: Uint8Array, from: number): number {
  const to = from + pieceLength;
  if (to >= bytes.length) return bytes.length;
  for (let at = to; at > to - 4; at--) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  return to;
}

/** A piece ends behind a whole unit, and not between the two of a pair. */
function cutUtf16(bytes: Uint8Array, from: number, little: boolean): number {
  const to = from + pieceLength;
  if (to >= bytes.length) return bytes.length;
  const high = bytes[little ? to - 1 : to - 2] ?? 0;
  return high >= 0xd8 && high <= 0xdb ? to - 2 : to;
}

/** How a piece of a text is put into bytes. */
interface PieceEncoder {
  /** The most bytes that a UTF-16 unit takes, reckoned over whole texts. */
  readonly most: number;
  /** Whether every unit takes as many. */
  readonly isEven: boolean;
  /** @returns how many bytes it took; there is room for the most. */
  readonly put: (piece: string, bytes: Uint8Array) => number;
}

/**
 * A large text is encoded into one array, as long as it has to be, so that there is no second copy of it meanwhile: what
 * it takes is found out by encoding each piece once for nothing.
 *
 * @returns undefined for a text with half of a pair.
 */
function* unicodeInSteps(
  text: string,
  mark: readonly number[] = [],
  encoding: PieceEncoder,
): Steps<Uint8Array | undefined> {
  const size = yield* encodedSize(text, encoding);
  if (size === undefined) return undefined;
  const bytes = new Uint8Array(mark.length + size);
  bytes.set(mark);
  let length = mark.length;
  for (const piece of wholePieces(text)) {
    if (length > mark.length) yield;
    length += encoding.put(piece, bytes.subarray(length));
  }
  return bytes;
}

function* encodedSize(text: string, { most, isEven, put }: PieceEncoder): Steps<number | undefined> {
  const scratch = new Uint8Array(isEven ? 0 : most * Math.min(text.length, pieceLength));
  let size = 0;
  for (const piece of wholePieces(text)) {
    if (!piece.isWellFormed()) return undefined;
    size += isEven ? most * piece.length : put(piece, scratch);
    yield;
  }
  return size;
}

/** No pair is cut. */
function* wholePieces(text: string): Generator<string, void, void> {
  for (let from = 0; from < text.length; ) {
    const end = from + pieceLength;
    const to = end < text.length && isHigh(text.charCodeAt(end - 1)) ? end - 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function* joinBytes(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
    yield;
  }
  return joined;
}

/** The bytes behind an escaped text. */
function* unescapeStrays(escaped: string, mark: readonly number[] = []): Steps<Uint8Array> {
  const pieces = escaped.split(/([\udc80-\udcff])/u).map((piece, at) => {
    return at % 2 === 1 ? Uint8Array.of(piece.charCodeAt(0) & 0xff) : encoder.encode(piece);
  });
  return yield* joinBytes([Uint8Array.from(mark), ...pieces]);
}

const utf8Into: PieceEncoder = {
  most: 3,
  isEven: false,
  put: (piece, bytes) => encoder.encodeInto(piece, bytes).written,
};
const encoder = new TextEncoder();

function utf16Into(little: boolean): PieceEncoder {
  const put = (piece: string, bytes: Uint8Array): number => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at < piece.length; at++) view.setUint16(at * 2, piece.charCodeAt(at), little);
    return piece.length * 2;
  };
  return { most: 2, isEven: true, put };
}

/** In bytes or UTF-16 units, an even number: converted in one to five milliseconds, whatever the charset. */
const pieceLength = 1 << 20;

function binary(reason: string): NotText {
  return { kind: "binary", reason };
}
