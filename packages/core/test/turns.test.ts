import { isRefusal } from "@holdfast/core";
import { describe, expect, it } from "vitest";
import { ground } from "./support.js";
import { turnsDuring } from "./turns.js";

/** Heavy work in one process, and how often others had their turn meanwhile: a count, so that no load breaks it. */
describe("whatever else the process does has its turn while", () => {
  it("a large folder is listed", async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => [`d/file${at}.txt`, ""] as const);
    const { workspace } = await ground(Object.fromEntries(names));
    const { result, turns } = await turnsDuring(() => workspace.list({ path: "d", limit: 10 }));
    expect(isRefusal(result)).toBe(false);
    // Reading the names and looking at each: once for every thousand.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("20,000 globs are compiled", async () => {
    const { workspace } = await ground({}, { limits: { searchMs: 60_000 } });
    const exclude = Array.from({ length: 20_000 }, (_, at) => `*${at}x*`);
    const { result, turns } = await turnsDuring(() => workspace.find({ glob: "*", exclude }));
    expect(result).toMatchObject({ kind: "found" });
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
