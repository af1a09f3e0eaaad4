import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBase64, toBase64 } from "../../src/text/index.js";

describe("Base64", () => {
  it("is what every other program writes", () => {
    const law = fc.property(fc.uint8Array({ maxLength: 9_000 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    });
    fc.assert(law, { numRuns: 200 });
  });

  it("is read only where it comes back to the letter", () => {
    const law = fc.property(fc.string({ maxLength: 12 }), (text) => {
      const bytes = fromBase64(text);
      if (bytes !== undefined) expect(toBase64(bytes)).toBe(text);
    });
    fc.assert(law, { numRuns: 500 });
    for (const text of ["A", "AAA", "AB==", "AAB=", "A===", "AA-_", "AAA\n", "=AAA", "AA=A"])
      expect(fromBase64(text)).toBeUndefined();
  });
});
