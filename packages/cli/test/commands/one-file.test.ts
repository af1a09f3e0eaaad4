import { describe, expect, test } from "vitest";
import { amongOthers, lookedAt } from "../../src/sessions/one-file.js";

/** What an importer without a bound does. */
function deeper(levels: number): number {
  return levels === 0 ? 0 : 1 + deeper(levels - 1);
}

describe("one file of many", () => {
  test("that makes the program fail is told by its name, as a fault of ours", async () => {
    const taken = await amongOthers("a/b.json", async () => deeper(1e7));
    expect(taken).toMatchObject({ kind: "unreadable", why: { code: "internal_error" } });
    expect(JSON.stringify(taken)).toContain(
      "a/b.json was not imported: an error of Holdfast (RangeError: Maximum",
    );
  });

  test("that makes the program fail when it is looked at is told as not read", async () => {
    const looked = await lookedAt(async () => Promise.reject(new Error("odd")));
    expect(looked).toMatchObject({ kind: "not_read", why: "an error of Holdfast (Error: odd)" });
  });

  test("says nothing of itself where the machine gives no more descriptors", async () => {
    const full = Object.assign(new Error("too many open files"), { code: "EMFILE" });
    await expect(amongOthers("a", () => Promise.reject(full))).rejects.toBe(full);
  });
});
