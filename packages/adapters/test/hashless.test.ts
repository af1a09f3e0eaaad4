import { describe, expect, it } from "vitest";
import { SeenStates } from "../src/hashless.js";

const state = (version: number) => ({ sha256: `hash ${version}`, version });

describe("the states that were seen", () => {
  it("know a file by every spelling of its path", () => {
    const seen = new SeenStates("/home/project");
    seen.note("a/./b.txt", state(1));
    for (const path of ["a/b.txt", "./a//b.txt", "x/../a/b.txt", "/home/project/a/b.txt"]) {
      expect(seen.baseOf(path)).toEqual({ base: "hash 1" });
    }
    expect(seen.baseOf("/a/b.txt")).toEqual({});
  });

  it("are never replaced by an older version", () => {
    const seen = new SeenStates("/");
    seen.note("a", state(2));
    seen.note("a", state(1));
    expect(seen.baseOf("a")).toEqual({ base: "hash 2" });
  });

  it("are bounded: the one that was noted longest ago goes first", () => {
    const seen = new SeenStates("/", 2);
    seen.note("a", state(1));
    seen.note("b", state(2));
    seen.note("a", state(3));
    seen.note("c", state(4));
    expect(["a", "b", "c"].map((path) => "base" in seen.baseOf(path))).toEqual([true, false, true]);
  });

  it("let calls about one path pass in order, also after one that throws", async () => {
    const seen = new SeenStates("/");
    const passed: string[] = [];
    const call = (name: string, path: string, ms: number) =>
      seen.inTurn(path, async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        passed.push(name);
        if (name === "first") throw new Error("broken");
      });
    const calls = [call("first", "a", 20), call("second", "./a", 1), call("other", "b", 1)];
    const settled = await Promise.allSettled(calls);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(passed).toEqual(["other", "first", "second"]);
  });
});
