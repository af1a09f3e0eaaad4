import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BaseText, LineIndex } from "../../../src/patch/model/base-text.js";
import { type LineKey, normalize } from "../../../src/patch/model/line-key.js";
import { LineTable } from "../../../src/patch/model/line-table.js";
import { countEndings, mostOften, splitLines } from "../../../src/text/index.js";

const text = fc
  .array(fc.constantFrom("a", "b ", " b", "\t", "“", '"', "…", "...", "\0", "\n", "\r\n", "\r", "\ud800"))
  .map((parts) => parts.join(""));
const keys: readonly LineKey[] = ["exact", "trailing", "trimmed", "punctuation"];

describe("a table of lines", () => {
  it("has the lines and endings that splitting the text gives", () => {
    fc.assert(
      fc.property(text, (whole) => {
        const table = new LineTable(whole);
        const { contents, endings } = splitLines(whole);
        const all = Array.from({ length: table.count }, (_, at) => at);
        expect(all.map((at) => table.line(at))).toEqual(contents);
        expect(all.map((at) => table.ending(at))).toEqual(endings);
        expect(all.map((at) => table.slice(at, at + 1)).join("")).toBe(whole);
        expect([table.line(-1), table.line(table.count)]).toEqual(["", ""]);
        expect([table.ending(-1), table.ending(table.count)]).toEqual([undefined, undefined]);
        const isEnded = endings.some((ending) => ending !== "");
        expect(table.usualEnding).toBe(isEnded ? mostOften(countEndings(whole)) : undefined);
      }),
    );
  });
});

describe("an index of lines", () => {
  const places = (whole: string, wanted: string, key: LineKey) =>
    splitLines(whole).contents.flatMap((line, at) =>
      normalize(line, key) === normalize(wanted, key) ? [at] : [],
    );

  it("finds every place of a line, whatever was asked for before", () => {
    const questions = fc.array(fc.constantFrom("a", "b", " b ", "", "“", '"', "...", "x", "y", "z", "\0"));
    fc.assert(
      fc.property(text, questions, fc.constantFrom(...keys), fc.boolean(), (whole, asked, key, announced) => {
        const index = new LineIndex(new LineTable(whole), key);
        if (announced) index.expect(asked.slice(0, 2));
        const { ids } = index;
        for (const wanted of asked) {
          const id = index.idOf(wanted);
          const expected = places(whole, wanted, key);
          expect([...index.positionsOf(id)]).toEqual(expected);
          expect(index.countOf(id)).toBe(expected.length);
          expect(expected.every((at) => ids[at] === id)).toBe(true);
        }
      }),
    );
  });

  it("tells of a line whether its own index or its text is asked, whatever carriage returns there are", () => {
    const piece = fc.constantFrom("a", "b", " ", "\t", "\r", "\n", "\r\n");
    const mixed = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(mixed, mixed, (whole, line) => {
        fc.pre(!line.includes("\n"));
        const expected = places(whole, line, "trailing").length > 0;
        expect(new BaseText(whole).hasLine(line)).toBe(expected);
      }),
    );
  });
});
