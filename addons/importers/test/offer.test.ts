import { describe, expect, test } from "vitest";
import { lookedAt } from "../src/machine/offer.js";

describe("a file that is only looked at", () => {
  test("and makes the program fail is reported as not read", async () => {
    const looked = await lookedAt(async () => Promise.reject(new Error("odd")));
    expect(looked).toMatchObject({ kind: "unreadable", why: "an error of Holdfast (Error: odd)" });
  });

  test("says nothing of itself where the machine gives no more descriptors", async () => {
    const full = Object.assign(new Error("too many open files"), { code: "EMFILE" });
    await expect(lookedAt(() => Promise.reject(full))).rejects.toBe(full);
  });
});
