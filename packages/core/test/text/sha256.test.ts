import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Of } from "../../src/text/index.js";

const known = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

describe("SHA-256", () => {
  it("is that of Node at every length round the ends of blocks", () => {
    for (let length = 0; length <= 200; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) & 255);
      expect(sha256Of(bytes), `${length}`).toBe(known(bytes));
    }
  });

  it("is that of Node for any bytes", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => sha256Of(bytes) === known(bytes)));
  });

  it("leaves the bytes as they were, also where they are a part of others", () => {
    const all = Uint8Array.from({ length: 300 }, (_, at) => at & 255);
    const part = all.subarray(7, 207);
    expect(sha256Of(part)).toBe(known(part));
    expect(all).toEqual(Uint8Array.from({ length: 300 }, (_, at) => at & 255));
  });
});
