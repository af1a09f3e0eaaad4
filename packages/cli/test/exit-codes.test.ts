import { refusalCodes, successCodes } from "@holdfast/core";
import { expect, test } from "vitest";
import { exitCodeOf } from "../src/exit-codes.js";

test("every success is 0 and no refusal is", () => {
  for (const code of successCodes) expect(exitCodeOf[code]).toBe(0);
  for (const code of refusalCodes) expect(exitCodeOf[code]).toBeGreaterThan(0);
});

test("every outcome has a row and every row is an outcome", () => {
  expect(Object.keys(exitCodeOf).sort()).toEqual([...successCodes, ...refusalCodes].sort());
});
