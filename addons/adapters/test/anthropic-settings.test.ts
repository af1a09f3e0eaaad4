import { describe, expect, it } from "vitest";
import { economyFromApi } from "../src/anthropic.js";

describe("the API's form", () => {
  it("is taken as seed 3 writes it", () => {
    const edit = {
      type: "clear_tool_uses_20250919",
      trigger: { type: "input_tokens", value: 30_000 },
      keep: { type: "tool_uses", value: 5 },
      exclude_tools: ["read_file"],
      clear_at_least: { type: "input_tokens", value: 5_000 },
    };
    const expected = {
      trigger: { type: "input_tokens", value: 30_000 },
      keep: 5,
      excludeTools: ["read_file"],
      clearAtLeast: 5_000,
    };
    expect(economyFromApi({ context_management: { edits: [edit] } })).toEqual(expected);
    expect(economyFromApi({ edits: [edit], compaction_control: { enabled: true, model: "small" } })).toEqual({
      ...expected,
      compaction: { enabled: true, contextTokenThreshold: 100_000, model: "small" },
    });
  });

  it.each([
    [[]],
    [{ edit: 1 }],
    [{ edits: [{ type: "other" }] }],
    [{ edits: [{ type: "clear_tool_uses_20250919", keep: 3 }] }],
  ])("is refused where it is not understood: %j", (value) => {
    expect(economyFromApi(value)).toMatchObject({ kind: "economy_refusal" });
  });
});
