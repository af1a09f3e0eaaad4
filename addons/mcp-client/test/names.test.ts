import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { offeredNames } from "../src/servers.js";

describe("the names of servers' tools", () => {
  test.each([
    ["git", "log", "git__log"],
    ["my server", "read/file", "my_server__read_file"],
    ["1st", "a.b", "_1st__a_b"],
  ])("%s %s is %s", (server, tool, name) => {
    expect(offeredNames([{ server, tool }])).toEqual([name]);
  });

  test("that would be alike, or are taken, end in a hash", () => {
    const [one, two, three] = offeredNames(
      [
        { server: "a", tool: "b c" },
        { server: "a", tool: "b_c" },
        { server: "a", tool: "d" },
      ],
      ["a__d"],
    );
    expect([one, two, three]).toEqual([
      "a__b_c",
      expect.stringMatching(/^a__b_c_[0-9a-f]{8}$/),
      expect.stringMatching(/^a__d_[0-9a-f]{8}$/),
    ]);
  });

  test("are unique and valid for every provider, whatever servers say", () => {
    const name = fc.oneof(fc.string(), fc.constantFrom("a", "a__a", "a b", "x".repeat(80)));
    fc.assert(
      fc.property(fc.array(fc.record({ server: name, tool: name })), (tools) => {
        const names = offeredNames(tools);
        expect(new Set(names).size).toBe(tools.length);
        for (const one of names) expect(one).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
      }),
    );
  });
});
