const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Map([...letters].map((letter, value) => [letter.charCodeAt(0), value]));
const padding = "=".charCodeAt(0);

/** Bytes as Base64 (RFC 4648, section 4), padded and without line breaks. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let piece = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const [one = 0, two = 0, three = 0] = [bytes[at], bytes[at + 1], bytes[at + 2]];
    const bits = (one << 16) | (two << 8) | three;
    piece += (letters[bits >> 18] ?? "") + (letters[(bits >> 12) & 63] ?? "");
    piece += at + 1 < bytes.length ? (letters[(bits >> 6) & 63] ?? "") : "=";
    piece += at + 2 < bytes.length ? (letters[bits & 63] ?? "") : "=";
    if (piece.length >= 8_192) {
      pieces.push(piece);
      piece = "";
    }
  }
  return pieces.join("") + piece;
}

/** The bytes of what `toBase64` wrote; undefined of any other text, so that nothing is lost on the way. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0) return undefined;
  const pads = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array((text.length / 4) * 3 - pads);
  let into = 0;
  for (let at = 0; at < text.length; at += 4) {
    const bits = bitsAt(text, at, at + 4 === text.length ? pads : 0);
    if (bits === undefined) return undefined;
    for (const byte of [bits >> 16, (bits >> 8) & 255, bits & 255]) {
      if (into < bytes.length) bytes[into] = byte;
      // What is padded away has to be nothing.
      else if (byte !== 0) return undefined;
      into += 1;
    }
  }
  return bytes;
}

/** Whether a text is what `toBase64` writes, as far as its letters tell; nothing is decoded for it. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Four letters as 24 bits; undefined where one is none. */
function bitsAt(text: string, at: number, pads: number): number | undefined {
  let bits = 0;
  for (let place = 0; place < 4; place += 1) {
    const code = text.charCodeAt(at + place);
    const value = place >= 4 - pads && code === padding ? 0 : values.get(code);
    if (value === undefined) return undefined;
    bits = (bits << 6) | value;
  }
  return bits;
}
