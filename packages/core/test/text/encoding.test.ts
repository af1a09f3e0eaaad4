import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { decodeBytes, encodeText, type TextFormat } from "../../src/text/index.js";

const codec = openCharsets();
const encoded = (text: string, format: TextFormat) => encodeText(text, format, codec);
const utf16 = (text: string, little: boolean) => {
  const bytes = Buffer.from(text, "utf16le");
  return little
    ? Buffer.concat([Buffer.from([0xff, 0xfe]), bytes])
    : Buffer.concat([Buffer.from([0xfe, 0xff]), bytes.swap16()]);
};

describe("decoding", () => {
  it.each([
    [
      "plain UTF-8",
      Buffer.from("héllo\n"),
      { encoding: "utf-8", bom: false, certainty: "proven" },
      "héllo\n",
    ],
    [
      "marked UTF-8",
      Buffer.from("\ufeffhéllo\n"),
      { encoding: "utf-8", bom: true, certainty: "proven" },
      "héllo\n",
    ],
    ["UTF-16LE", utf16("héllo\n", true), { encoding: "utf-16le", bom: true, certainty: "proven" }, "héllo\n"],
    [
      "UTF-16BE",
      utf16("héllo\n", false),
      { encoding: "utf-16be", bom: true, certainty: "proven" },
      "héllo\n",
    ],
    ["nothing", Buffer.alloc(0), { encoding: "utf-8", bom: false, certainty: "proven" }, ""],
  ])("%s is recognised for certain", (_, bytes, format, text) => {
    expect(decodeBytes(bytes, codec)).toEqual({ kind: "text", text, format });
  });

  it.each([
    ["Latin-1", Buffer.from("caf\u00e9, na\u00efve, d\u00e9j\u00e0 vu\n", "latin1")],
    ["Shift-JIS", Buffer.from(codec.encode("これは日本語の文章です。\nテスト\n", "shift_jis"))],
    ["GB18030", Buffer.from(codec.encode("这是一个中文测试文件。\n第二行\n", "gb18030"))],
    ["KOI8-R", Buffer.from(codec.encode("Это русский текст для проверки.\n", "koi8-r"))],
  ])("%s is a guess that comes back as the same bytes", (_, bytes) => {
    const decoded = decodeBytes(bytes, codec);
    if (decoded.kind !== "text") throw new Error(decoded.reason);
    expect(decoded.format.certainty).toBe("guessed");
    expect(Buffer.from(encoded(decoded.text, decoded.format) ?? [])).toEqual(bytes);
  });

  it.each([
    ["NUL bytes", Buffer.from("a\0b"), "binary"],
    ["a PNG", Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0]), "binary"],
    ["UTF-16 of odd length", Buffer.from([0xff, 0xfe, 0x61, 0, 0x62]), "binary"],
  ])("%s is no text", (_, bytes, kind) => {
    expect(decodeBytes(bytes, codec).kind).toBe(kind);
  });

  it("of a named encoding is held against the bytes, too", () => {
    expect(decodeBytes(Buffer.from([0xe9]), codec, "utf-8").kind).toBe("undecodable");
    expect(decodeBytes(Buffer.from([0xe9]), codec, "latin1")).toMatchObject({
      text: "é",
      format: { certainty: "named" },
    });
    expect(decodeBytes(Buffer.from("x"), codec, "no-such-charset").kind).toBe("undecodable");
  });

  it("never loses a byte: what it calls text encodes back to the same bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: "binary", maxLength: 100 }).map((text) => new Uint8Array(Buffer.from(text))),
      fc.string({ unit: "grapheme", maxLength: 50 }).map((text) => new Uint8Array(utf16(text, true))),
    );
    fc.assert(
      fc.property(bytes, (raw) => {
        const decoded = decodeBytes(raw, codec);
        if (decoded.kind !== "text") return;
        expect(Buffer.from(encoded(decoded.text, decoded.format) ?? [])).toEqual(Buffer.from(raw));
      }),
      { numRuns: 60 },
    );
  });
});

describe("encoding", () => {
  it.each([
    ["half of a surrogate pair", "a\ud800b", "utf-8"],
    ["a character that the charset lacks", "€世", "iso-8859-1"],
  ])("refuses %s", (_, text, encoding) => {
    expect(encoded(text, { encoding, bom: false, certainty: "named" })).toBeUndefined();
  });
});
