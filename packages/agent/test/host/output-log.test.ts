import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OutputLog } from "../../src/host/output-log.js";
import { safeOutput } from "../../src/host/safe-output.js";
import { folder } from "./ground.js";

const bounds = { shownBytes: 20, fileBytes: 60 };
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (part: Uint8Array) => new TextDecoder().decode(part);

describe("an output", () => {
  test("that is short is shown whole and makes no file", async () => {
    const log = new OutputLog(join(await folder(), "out"), bounds);
    log.add(bytes("0123456789"));
    log.add(bytes("abcdefghij"));
    const { head, left, tail } = log.shown();
    expect([text(head), left, text(tail)]).toEqual(["0123456789abcdefghij", 0, ""]);
    expect(log.kept).toBeUndefined();
  });

  test("whatever comes in whatever pieces: beginning, end, and the file are its bytes", async () => {
    const dir = await folder();
    let count = 0;
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 8 }),
        fc.boolean(),
        (chunks, early) => {
          const path = join(dir, `out-${count++}`);
          const log = new OutputLog(path, bounds, early);
          for (const chunk of chunks) log.add(chunk);
          const all = Buffer.concat(chunks);
          const { head, left, tail } = log.shown();
          expect(log.sizeBytes).toBe(all.length);
          expect(head.length + left + tail.length).toBe(all.length);
          expect(all.subarray(0, head.length).equals(head)).toBe(true);
          expect(all.subarray(all.length - tail.length).equals(tail)).toBe(true);
          expect(left === 0 || left <= all.length - bounds.shownBytes + 6).toBe(true);
          log.close();
          const isKept = all.length > bounds.shownBytes || (early && all.length > 0);
          expect(existsSync(path)).toBe(isKept);
          if (isKept) expect(readFileSync(path).equals(all.subarray(0, bounds.fileBytes))).toBe(true);
          log.remove();
          expect(existsSync(path)).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("that is read part by part comes out whole, in whole characters", async () => {
    const log = new OutputLog(join(await folder(), "out"), { shownBytes: 8, fileBytes: 1_000 }, true);
    const all = "aé€😀".repeat(10);
    log.add(bytes(all));
    const parts: string[] = [];
    for (let from = 0; from < log.sizeBytes; ) {
      const part = log.read(from, 7);
      parts.push(text(part.bytes));
      expect(part.next).toBeGreaterThan(from);
      from = part.next;
    }
    expect(parts.join("")).toBe(all);
    log.remove();
  });

  test("of which the file holds the beginning alone says where the rest begins", async () => {
    const log = new OutputLog(join(await folder(), "out"), bounds, true);
    log.add(bytes("x".repeat(100)));
    expect(log.read(0, 1_000)).toMatchObject({ from: 0, next: 60 });
    expect(log.read(60, 1_000)).toMatchObject({ from: 90, next: 100 });
    log.remove();
  });
});

describe("what a program printed", () => {
  test.each([
    ["a colour", "\u001b[31mred\u001b[0m\n", "red\n"],
    ["a title", "\u001b]0;evil\u0007text", "text"],
    ["a progress line", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["line ends of Windows", "a\r\nb\r\n", "a\nb\n"],
    ["a bell and a backspace", "a\u0007b\u0008", "a\\u0007b\\u0008"],
    ["a lone escape", "\u001b", "\\u001b"],
    ["a direction override", "\u202etxt", "\\u202etxt"],
  ])("%s is made safe", (_, printed, shown) => {
    expect(safeOutput(bytes(printed))).toBe(shown);
  });

  test("bytes that are no UTF-8 are marked", () => {
    expect(safeOutput(Uint8Array.of(0x61, 0xff, 0xfe, 0x62))).toBe("a\ufffd\ufffdb");
  });
});
