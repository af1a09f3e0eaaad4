import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOf } from "../../src/shell/input-lines.js";

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function allLines(text: string, size: number, limit = 1000): Promise<string[]> {
  const found: string[] = [];
  for await (const lines of linesOf(inChunks(Buffer.from(text), size), limit)) {
    for (const line of lines) found.push(line.kind === "line" ? line.bytes.toString() : "TOO LONG");
  }
  return found;
}

test("the lines are the same however the stream is cut", async () => {
  const text = fc.array(fc.constantFrom("a", "é", "\n", "猫", '{"x":1}'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (parts, size) => {
      const joined = parts.join("");
      const expected = joined.split("\n");
      if (expected.at(-1) === "") expected.pop();
      expect(await allLines(joined, size)).toEqual(expected);
    }),
  );
});

test("a line above the limit is told and skipped; the next one is read", async () => {
  for (const size of [1, 3, 7, 100]) {
    expect(await allLines(`aa\n${"b".repeat(50)}\ncc\n`, size, 10)).toEqual(["aa", "TOO LONG", "cc"]);
    expect(await allLines(`aa\n${"b".repeat(50)}`, size, 10)).toEqual(["aa", "TOO LONG"]);
  }
});
