/**
 * From the bytes of a file to its text and back, so that what was not touched comes back as the same
 * bytes. The order is strict: byte order mark, valid UTF-8, binary, then a guess that must survive the
 * round trip; a guess proves nothing about meaning, so it stays marked as one.
 */
export interface TextFormat {
  /** "utf-8", "utf-16le", "utf-16be", or the name of a legacy charset that the codec port knows. */
  readonly encoding: string;
  /** Whether the file begins with a byte order mark. It is never part of the text. */
  readonly bom: boolean;
  /** `guessed`: the bytes survive the round trip, but another charset might, too. */
  readonly certainty: "proven" | "named" | "guessed";
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

export const utf8: TextFormat = { encoding: "utf-8", bom: false, certainty: "proven" };

/**
 * Decodes the bytes of a file.
 *
 * @param named the encoding that the caller insists on, if any; it must round-trip as well.
 * @returns the text, or why these bytes are not served as text. Never throws.
 */
export function decodeBytes(bytes: Uint8Array, codec: CharsetCodec, named?: string): DecodedText | NotText {
  const marked = decodeMarked(bytes, named);
  if (marked !== undefined) return marked;
  if (named !== undefined && normaliseName(named) !== "utf-8") return decodeNamed(bytes, codec, named);
  const plain = decodeStrict(bytes, "utf-8");
  if (plain !== undefined) {
    return plain.includes("\0") ? binary("it holds NUL bytes") : { kind: "text", text: plain, format: utf8 };
  }
  if (named !== undefined) return { kind: "undecodable", reason: "the bytes are not valid UTF-8" };
  if (bytes.includes(0)) return binary("it holds NUL bytes");
  return decodeGuessed(bytes, codec);
}

/**
 * Encodes a text in the format of the file that it goes to.
 *
 * @returns the bytes, or undefined where the encoding cannot hold the text exactly.
 */
export function encodeText(text: string, format: TextFormat, codec: CharsetCodec): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined;
  switch (format.encoding) {
    case "utf-8":
      return withMark(new TextEncoder().encode(text), format.bom ? [0xef, 0xbb, 0xbf] : []);
    case "utf-16le":
      return withMark(encodeUtf16(text, true), format.bom ? [0xff, 0xfe] : []);
    case "utf-16be":
      return withMark(encodeUtf16(text, false), format.bom ? [0xfe, 0xff] : []);
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

function decodeMarked(bytes: Uint8Array, named: string | undefined): DecodedText | NotText | undefined {
  const found = marks.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
  if (found === undefined) return undefined;
  if (named !== undefined && normaliseName(named) !== found.encoding) return undefined;
  const text = decodeStrict(bytes.subarray(found.mark.length), found.encoding);
  // Bytes that only look marked (a Latin-1 file may begin with ÿþ) go on to the other readings.
  if (text === undefined) return undefined;
  if (text.includes("\0")) return binary(`it is marked as ${found.encoding} and holds NUL characters`);
  return { kind: "text", text, format: { encoding: found.encoding, bom: true, certainty: "proven" } };
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
  for (const encoding of candidates) {
    if (!codec.knows(encoding)) continue;
    const decoded = roundTrip(bytes, codec, {
      encoding: normaliseName(encoding),
      bom: false,
      certainty: "guessed",
    });
    if (decoded !== undefined && !hasControls(decoded.text)) return decoded;
  }
  return {
    kind: "undecodable",
    reason: "the bytes are neither UTF-8 nor a charset that survives a round trip",
  };
}

function roundTrip(bytes: Uint8Array, codec: CharsetCodec, format: TextFormat): DecodedText | undefined {
  const text = codec.decode(bytes, format.encoding);
  const again = codec.encode(text, format.encoding);
  const same = again.length === bytes.length && again.every((byte, at) => byte === bytes[at]);
  return same ? { kind: "text", text, format } : undefined;
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

function encodeUtf16(text: string, little: boolean): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), little);
  return bytes;
}

function withMark(bytes: Uint8Array, mark: readonly number[]): Uint8Array {
  if (mark.length === 0) return bytes;
  const marked = new Uint8Array(mark.length + bytes.length);
  marked.set(mark);
  marked.set(bytes, mark.length);
  return marked;
}

function binary(reason: string): NotText {
  return { kind: "binary", reason };
}
