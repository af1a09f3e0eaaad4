import type { ToolReply } from "@holdfast/core/tools";
import { expect, test } from "vitest";
import { toCallResult } from "../src/result.js";

const reply = (more: Partial<ToolReply>): ToolReply => ({
  success: false,
  code: "state_mismatch",
  text: "FAILED (state_mismatch): …",
  json: { success: false },
  bearsContent: false,
  shown: [],
  refers: [],
  shows: [],
  ...more,
});

const plain = { structured: false, host: { passesErrors: false } };
const structured = { ...plain, structured: true };

test("a refusal is an error only to a client that passes its text on; an internal error always is", () => {
  const done = reply({ success: true, code: "applied" });
  const internal = reply({ code: "internal_error" });
  for (const form of [plain, structured]) {
    expect(toCallResult(reply({}), form).isError).toBe(false);
    expect(toCallResult(internal, form).isError).toBe(true);
    const passing = { ...form, host: { passesErrors: true } };
    expect(toCallResult(reply({}), passing).isError).toBe(true);
    expect(toCallResult(internal, passing).isError).toBe(true);
    expect(toCallResult(done, passing).isError).toBe(false);
  }
});

test("text and structured content are never two different things", () => {
  expect(toCallResult(reply({}), plain)).not.toHaveProperty("structuredContent");
  expect(toCallResult(reply({ bearsContent: true }), structured)).not.toHaveProperty("structuredContent");
  expect(toCallResult(reply({ json: [1] }), structured)).not.toHaveProperty("structuredContent");
  expect(toCallResult(reply({}), structured)).toEqual({
    content: [{ type: "text", text: '{"success":false}' }],
    structuredContent: { success: false },
    isError: false,
  });
});
