import { readFileSync } from "node:fs";
import { conversationCodes, refusalCodes, successCodes } from "@holdfast/core/files";
import { expect, test } from "vitest";
import { exitCodeOf } from "../../src/shell/exit-codes.js";

test("every success is 0 and no refusal is", () => {
  for (const code of successCodes) expect(exitCodeOf[code]).toBe(0);
  for (const code of [...refusalCodes, ...conversationCodes]) expect(exitCodeOf[code]).toBeGreaterThan(0);
});

test("every outcome has a row and every row is an outcome", () => {
  expect(Object.keys(exitCodeOf).sort()).toEqual(
    [...new Set([...successCodes, ...refusalCodes, ...conversationCodes])].sort(),
  );
});

test("docs/outcomes.md says the same", () => {
  const page = readFileSync(new URL("../../../../docs/outcomes.md", import.meta.url), "utf8");
  const documented = new Map<string, number>();
  for (const [, codes = "", exit] of page.matchAll(/^\| (`[^|]*`) \| (\d+) \|/gm)) {
    for (const [, code = ""] of codes.matchAll(/`(\w+)`/g)) documented.set(code, Number(exit));
  }
  const ofFiles = [...successCodes, ...refusalCodes].map((code) => [code, exitCodeOf[code]] as const);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(ofFiles));
});
