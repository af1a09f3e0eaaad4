import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCharsets } from "../../src/node/disk/charsets.js";
import { bytesAlike, decodeBeside, decodeBytes } from "../../src/text/index.js";

const codec = openCharsets();

describe("bytes beside those of a known text", () => {
  it.each([
    ["its beginning", "one two three", "one two"],
    ["its end", "one two three", "two three"],
    ["a part less", "one two three", "one three"],
    ["a part more", "one three", "one two three"],
    ["a beginning that is also its end", "aXa", "a"],
    ["another character of the same first byte", "a é b", "a è b"],
    ["another character of the same last byte", "a \u{10000} b", "a \u{20000} b"],
    ["pairs before and behind", "😀 two 😀", "😀 three 😀"],
    ["a mark and its beginning", "\ufeffone two", "\ufeffone"],
    ["a mark and its end", "\ufeffone two", "\ufefftwo"],
    ["nothing", "one", ""],
  ])("%s", (_, known, text) => {
    expect(beside(Buffer.from(known), Buffer.from(text))).toEqual(decoded(Buffer.from(text)));
  });

  it.each([
    ["a NUL between", Buffer.from("one two"), Buffer.from("one \0 two")],
    ["half of a character between", Buffer.from("a é b"), Buffer.from([0x61, 0x20, 0xc3, 0x20, 0x62])],
    ["a mark that the known text has not", Buffer.from("one"), Buffer.from("\ufeffone")],
    ["no mark where the known text has one", Buffer.from("\ufeffone"), Buffer.from("one")],
    ["a mark in the midst of the known text", Buffer.from("\ufeffone \ufefftwo"), Buffer.from("\ufefftwo")],
    ["the beginning of a PDF document", Buffer.from("x%PDF-1.7 it says"), Buffer.from("%PDF-1.7 it says")],
    [
      "a known text of another charset",
      Buffer.from("caf\xe9 one", "latin1"),
      Buffer.from("caf\xe9", "latin1"),
    ],
  ])("are not made of it where there is %s", (_, known, bytes) => {
    expect(beside(known, bytes)).toBeUndefined();
  });

  it("have the text that they have alone, or are left to be decoded alone", () => {
    const change = fc.tuple(part(), part(), part(), part()).map(([head, old, fresh, tail]) => ({
      known: Buffer.from(head + old + tail),
      bytes: Buffer.from(head + fresh + tail),
    }));
    fc.assert(
      fc.property(change, ({ known, bytes }) => {
        const made = beside(known, bytes);
        if (made !== undefined) expect(made).toEqual(decoded(bytes));
      }),
    );
  });

  it("of any kind never get a text that they do not have alone", () => {
    const byte = fc.constantFrom(0x61, 0x00, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbb, 0xbf);
    const some = fc.array(byte, { maxLength: 6 }).map((list) => Buffer.from(list));
    fc.assert(
      fc.property(part(), part(), some, (head, tail, between) => {
        const known = Buffer.from(head + tail);
        const bytes = Buffer.concat([Buffer.from(head), between, Buffer.from(tail)]);
        const made = beside(known, bytes);
        if (made !== undefined) expect(made).toEqual(decoded(bytes));
      }),
    );
  });
});

const part = () => fc.stringMatching(/^[aé€😀\ufeff\n]{0,4}$/u);

function decoded(bytes: Uint8Array) {
  const { kind: _, ...text } = decodeBytes(bytes, codec);
  return text;
}

function beside(known: Uint8Array, bytes: Uint8Array) {
  const text = decodeBytes(known, codec);
  if (text.kind !== "text") return undefined;
  return decodeBeside(bytes, { ...text, bytes: known }, bytesAlike(bytes, known));
}
