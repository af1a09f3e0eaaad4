import { describe, expect, it } from "vitest";
import { causeOf } from "../../src/text/index.js";

describe("the cause of an internal error", () => {
  it.each([
    [
      new TypeError("Cannot read properties of undefined (reading 'path')"),
      "TypeError: Cannot read properties of undefined (reading 'path')",
    ],
    [
      Object.assign(new Error("EIO: i/o error, read '/home/me/x'"), { code: "EIO" }),
      "Error (EIO): EIO: … error, read …",
    ],
    [
      new SyntaxError("Unexpected token 'h', \"hunter2\" is not valid JSON"),
      "SyntaxError: Unexpected token …, … is not valid JSON",
    ],
    [new Error("connect postgres://user:pass@host/db failed"), "Error: connect … failed"],
    [new Error(`no key sk-${"a".repeat(40)} here\n    at file.ts:1`), "Error: no key … here"],
    [new Error("password:hunter2 is wrong"), "Error: … is wrong"],
    [new Error(""), "Error"],
    ["text", "a string was thrown"],
  ])("%s", (error, told) => {
    expect(causeOf(error)).toBe(told);
  });
});
