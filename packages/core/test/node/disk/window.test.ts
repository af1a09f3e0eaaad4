import {
  closeSync,
  ftruncateSync,
  openSync,
  realpathSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/node/disk/reading.js";
import { joinLines, splitLines } from "../../../src/text/index.js";
import { at, diskAt, freshFolder, must, verdict } from "../support.js";

const root = realpathSync(freshFolder());
const disk = diskAt(root);

function windowOf(content: string | Uint8Array, firstLine: number, lineCount: number, limitBytes: number) {
  writeFileSync(join(root, "file"), content);
  return at(disk, "file", (place) => place.window(firstLine, lineCount, limitBytes)).then(must);
}

const text = (window: { bytes: Uint8Array }) => Buffer.from(window.bytes).toString();

describe("a window", () => {
  it("gives the lines asked for with their own endings, and facts about the whole", async () => {
    const content = "one\ntwo\r\nthree\nfour";
    const window = await windowOf(content, 2, 2, 1_000);
    expect(text(window)).toBe("two\r\nthree\n");
    expect(window).toMatchObject({
      firstLine: 2,
      lineCount: 2,
      totalLines: 4,
      totalBytes: content.length,
      clipped: false,
      finalNewline: false,
      sha256: sha256(Buffer.from(content)),
    });
    expect(Buffer.from(window.head ?? []).toString()).toBe("one\n");
  });

  it("says that it lies past the end by having no lines", async () => {
    expect(await windowOf("a\nb\n", 3, 5, 100)).toMatchObject({
      lineCount: 0,
      totalLines: 2,
      clipped: false,
    });
    expect(await windowOf("", 1, 5, 100)).toMatchObject({ lineCount: 0, totalLines: 0, finalNewline: false });
  });

  it("ends before the line that does not fit", async () => {
    const window = await windowOf("aaaa\nbbbb\ncccc\n", 1, 3, 11);
    expect(text(window)).toBe("aaaa\nbbbb\n");
    expect(window).toMatchObject({ lineCount: 2, clipped: true, totalLines: 3, finalNewline: true });
  });

  it("cuts a first line that does not fit, at a character", async () => {
    const window = await windowOf(`x${"é".repeat(50)}\nnext\n`, 1, 2, 10);
    expect(text(window)).toBe(`x${"é".repeat(4)}`);
    expect(window).toMatchObject({ lineCount: 1, clipped: true, totalLines: 2 });
  });

  it("counts lines of an old Macintosh file by its returns", async () => {
    const window = await windowOf("one\rtwo\rthree", 2, 1, 100);
    expect(text(window)).toBe("two\r");
    expect(window.totalLines).toBe(3);
  });

  it("finds lines of UTF-16 at its pairs of bytes", async () => {
    for (const little of [true, false]) {
      // U+0A0D and U+0D0A look like line ends byte by byte.
      const bytes = Buffer.from("\ufeffone\n\u0a0d\u0d0atwo\r\nthree", "utf16le");
      if (!little) bytes.swap16();
      const window = await windowOf(bytes, 2, 1, 100);
      const line = Buffer.from(window.bytes);
      expect((little ? line : line.swap16()).toString("utf16le")).toBe("\u0a0d\u0d0atwo\r\n");
      expect(window.totalLines).toBe(3);
    }
  });

  it("agrees with the split of the whole text, wherever it is laid", async () => {
    const pieces = fc.array(fc.constantFrom("a", "bc", "é", "\n", "\r\n", "\r", "", "\u2028"), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        async (parts, first, count) => {
          const content = parts.join("");
          const lines = splitLines(content);
          const window = await windowOf(content, first, count, 10_000);
          const to = Math.min(lines.contents.length, first - 1 + count);
          expect(text(window)).toBe(joinLines(lines, Math.min(first - 1, to), to));
          expect(window.totalLines).toBe(lines.contents.length);
          expect(window.finalNewline).toBe((lines.endings.at(-1) ?? "") !== "");
          expect(window.sha256).toBe(sha256(Buffer.from(content)));
        },
      ),
      { numRuns: Number(process.env.HOLDFAST_RUNS ?? 60) },
    );
  });

  it("agrees across the borders of its chunks", async () => {
    const content = `${"x".repeat(256 * 1024 - 1)}\r\n${"y".repeat(256 * 1024)}\nlast`;
    const window = await windowOf(content, 2, 2, 1_000_000);
    expect(text(window)).toBe(`${"y".repeat(256 * 1024)}\nlast`);
    expect(window.sha256).toBe(sha256(Buffer.from(content)));
  });

  it("reads 256 MB, and one line of 80 MB, in bounded memory", async () => {
    const fd = openSync(join(root, "gigabyte"), "w");
    ftruncateSync(fd, 256 * 1024 ** 2);
    writeSync(fd, "first\nsecond\n", 0);
    writeSync(fd, "\nlast", 256 * 1024 ** 2 - 5);
    closeSync(fd);
    writeFileSync(join(root, "one-line"), Buffer.alloc(80_000_000, 0x61));
    const before = process.memoryUsage.rss();
    const huge = must(await at(disk, "gigabyte", (place) => place.window(2, 1, 1_000)));
    expect(text(huge)).toBe("second\n");
    expect(huge.totalLines).toBe(4);
    const line = must(await at(disk, "one-line", (place) => place.window(1, 10, 65_536)));
    expect(line).toMatchObject({ clipped: true, lineCount: 1, totalLines: 1 });
    expect(line.bytes.length).toBe(65_536);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  });

  it("stops in files that hide their size and do not end", async () => {
    const proc = diskAt("/proc/self");
    const window = must(await at(proc, "status", (place) => place.window(1, 1, 1_000)));
    expect(text(window)).toMatch(/^Name:/);
    proc.close();
    expect(verdict(await at(disk, "nothing", (place) => place.window(1, 1, 1)))).toBe("file_missing");
  });
});

it("others get their turn while a large file is read", async () => {
  const path = join(root, "large");
  writeFileSync(path, "line\n");
  truncateSync(path, 64 * 1024 * 1024);
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await at(disk, "large", (place) => place.window(1, 1, 100));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});
