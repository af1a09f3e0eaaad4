import { describe, expect, it } from "vitest";
import { openCharsets } from "../../../src/node/disk/charsets.js";
import { decodeBytes, encodeText, normaliseName, type TextFormat } from "../../../src/text/index.js";
import { freshFolder, runFixture } from "../support.js";

const codec = openCharsets();
const encoded = (text: string, format: TextFormat) => encodeText(text, format, codec);

describe("charsets", () => {
  const samples: readonly (readonly [charset: string, text: string])[] = [
    ["windows-1252", "naïve café – “quoted” €"],
    ["iso-8859-1", "naïve café ÿ"],
    ["shift_jis", "日本語のテキスト"],
    ["gb18030", "简体中文文本，说明这个文件的内容。"],
    ["big5", "繁體中文"],
    ["euc-kr", "한국어"],
    ["koi8-r", "русский текст"],
    ["windows-1251", "русский текст"],
  ];
  it.each(samples)("%s is known and comes back as the same bytes", (charset, text) => {
    expect(codec.knows(charset)).toBe(true);
    const bytes = codec.encode(text, charset);
    expect(codec.decode(bytes, charset)).toBe(text);
    const decoded = decodeBytes(bytes, codec, charset);
    expect(decoded).toMatchObject({
      kind: "text",
      text,
      format: { encoding: normaliseName(charset), certainty: "named" },
    });
    if (decoded.kind === "text") expect(encoded(text, decoded.format)).toEqual(bytes);
  });

  it.each(samples)("bytes of %s are read by a guess that survives the round trip", (charset, text) => {
    const bytes = codec.encode(text, charset);
    const decoded = decodeBytes(bytes, codec);
    expect(decoded).toMatchObject({ kind: "text", format: { certainty: "guessed" } });
    if (decoded.kind === "text") {
      expect(Buffer.from(encoded(decoded.text, decoded.format) ?? [])).toEqual(Buffer.from(bytes));
    }
  });

  it.each(["base64", "hex", "utf-7", "utf7-imap", "UTF-8", "ucs2", "binary", "no-such-charset", ""])(
    "%s is no charset of the codec",
    (name) => expect(codec.knows(name)).toBe(false),
  );

  it("keeps a byte order mark that a charset happens to have at the beginning", () => {
    const bytes = Uint8Array.of(0x84, 0x31, 0x95, 0x33, 0x41);
    expect(codec.decode(bytes, "gb18030")).toBe("\ufeffA");
    expect(Buffer.from(codec.encode("\ufeffA", "gb18030"))).toEqual(Buffer.from(bytes));
  });

  it("loads neither library before the first file that needs one", () => {
    const run = runFixture("loaded.mjs", freshFolder());
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({ before: [], after: ["chardet", "iconv-lite"] });
  });
});
