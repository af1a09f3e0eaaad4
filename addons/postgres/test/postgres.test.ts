import pg from "pg";
import { describe, expect, it } from "vitest";
import { refusalFrom } from "../src/faults.js";
import { describeFleet } from "./fleet.js";
import { describeOperators } from "./operators.js";
import { describeStoreOn } from "./store.js";
import { hasServer, usePostgres } from "./support.js";
import { describeTrouble } from "./trouble.js";

/** All of it on one server: to start one costs more than most of these tests. */
describe.skipIf(!hasServer)("on PostgreSQL", () => {
  const ground = usePostgres();
  describeStoreOn(ground);
  describe("an operator", () => describeOperators(ground));
  describe("a fleet", () => describeFleet(ground));
  describe("a store in trouble", () => describeTrouble(ground));
});

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
