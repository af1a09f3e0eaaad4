import type { ToolReply } from "@holdfast/core";
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

test("only an internal error is an error of the protocol; a refusal is a result", () => {
  expect(toCallResult(reply({}), false).isError).toBe(false);
  expect(toCallResult(reply({ code: "invalid_arguments" }), true).isError).toBe(false);
  expect(toCallResult(reply({ code: "internal_error" }), false).isError).toBe(true);
  expect(toCallResult(reply({ code: "internal_error" }), true).isError).toBe(true);
});

test("text and structured content are never two different things", () => {
  expect(toCallResult(reply({}), false)).not.toHaveProperty("structuredContent");
  expect(toCallResult(reply({ bearsContent: true }), true)).not.toHaveProperty("structuredContent");
  expect(toCallResult(reply({ json: [1] }), true)).not.toHaveProperty("structuredContent");
  expect(toCallResult(reply({}), true)).toEqual({
    content: [{ type: "text", text: '{"success":false}' }],
    structuredContent: { success: false },
    isError: false,
  });
});
