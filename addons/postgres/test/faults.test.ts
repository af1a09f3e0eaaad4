import pg from "pg";
import { describe, expect, it } from "vitest";
import { refusalFrom } from "../src/faults.js";

function fault(code: string, message: string): pg.DatabaseError {
  const error = new pg.DatabaseError(message, message.length, "error");
  error.code = code;
  return error;
}

describe("what a person is told of a failing server", () => {
  it("is to wait where it may come back, and not where there is no such database", () => {
    expect(refusalFrom(fault("57P01", "terminating connection"))?.message).toContain("when it is back");
    const missing = refusalFrom(fault("3D000", 'database "none" does not exist'));
    expect(missing).toMatchObject({
      code: "store_failed",
      message: 'PostgreSQL failed: database "none" does not exist. Make it, or name another one.',
    });
  });

  it("is nothing where the error is no failure of a server: who asked throws it", () => {
    for (const bug of [new TypeError("x is undefined"), new RangeError("too deep"), "a text", undefined])
      expect(refusalFrom(bug)).toBeUndefined();
  });
});
