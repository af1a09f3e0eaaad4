import { describe, expect, test } from "vitest";
import { compilePattern, FileScan } from "../../src/files/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { openCharsets } from "../../src/node/disk/charsets.js";

const piece = new Uint8Array(1024 * 1024).fill(0x61);
const mostPieces = 100;

/** Scans pieces without a line break until no more are wanted. @returns what was found, and how many were taken. */
function scanned(options: { readonly askedOften: number; readonly mayHold?: () => boolean }) {
  const pattern = compilePattern("z", { literal: true });
  if (isRefusal(pattern)) throw new Error(pattern.message);
  let asked = 0;
  const scan = new FileScan({
    pattern,
    context: 0,
    output: "lines",
    limit: 10,
    units: 1_000,
    codec: openCharsets(),
    mayHold: options.mayHold,
    isGoingOn: () => ++asked <= options.askedOften,
  });
  let pieces = 0;
  while (pieces < mostPieces && scan.take(piece, false)) pieces += 1;
  return { found: scan.end(), pieces };
}

describe("a search asks for its time", () => {
  test("while it passes over a line that is too long", () => {
    const { found, pieces } = scanned({ askedOften: 10 });
    expect(found.isCut).toBe(true);
    expect(pieces).toBeLessThan(12);
  });

  test("while nothing in the bytes can match", () => {
    const lines = new TextEncoder().encode("a\n".repeat(1000));
    piece.set(lines);
    const { found, pieces } = scanned({ askedOften: 10, mayHold: () => false });
    expect(found.isCut).toBe(true);
    expect(pieces).toBeLessThan(12);
  });

  test("and goes to the end where there is enough", () => {
    const { found, pieces } = scanned({ askedOften: 1_000_000 });
    expect(found).toMatchObject({ lines: 0, bytes: mostPieces * piece.length });
    expect(pieces).toBe(mostPieces);
  });
});
