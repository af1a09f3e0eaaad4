import { expect, test } from "vitest";
import { renderResult } from "../../../src/tools/index.js";
import { stateOf } from "./states.js";

test("a read that is larger than its budget gives its first page, and the call for the next", () => {
  const file = stateOf(Array.from({ length: 500 }, (_, at) => `line ${at + 1}\n`).join(""));
  const vocabulary = { read: "read_file", window: "offset and limit" };
  const options = { wire: "text", resultContent: "auto", budgetChars: 1_000, vocabulary } as const;
  const { text, shows } = renderResult({ kind: "read", outcome: { kind: "read", state: file } }, options);
  const to = shows[0]?.to ?? 0;
  expect(to).toBeGreaterThan(50);
  expect(text).toContain(`lines="1-${to}"`);
  expect(text).toContain(`Read on from line ${to + 1} with read_file, offset and limit.`);
});
