import { expect, test } from "vitest";
import { renderResult } from "../../src/tools/index.js";
import { refusedOf, stateOf } from "./states.js";

const asText = { wire: "text", resultContent: "auto" } as const;

test("lines that a refusal quotes are shown where they stand, and nowhere in JSON", () => {
  const message = "Not shown: 2-3.\nlines 2-3:\nb\nc\n";
  const quoted = [{ from: 2, to: 3, start: message.indexOf("b\n") }];
  const state = stateOf("a\nb\nc\nd\n");
  const outcome = { ...refusedOf("unseen_lines", message, { state, shownBefore: true }), quoted };
  const { text, shows, shown } = renderResult({ kind: "write", outcome }, asText);
  const { path, sha256 } = state;
  const start = text.indexOf("b\nc\n");
  expect(shows).toEqual([{ path, sha256, from: 2, to: 3, start, end: start + 4 }]);
  expect(shown).toEqual([{ path, sha256, lines: [{ from: 2, to: 3 }], total: 4 }]);
  expect(renderResult({ kind: "write", outcome }, { ...asText, wire: "json" }).shows).toEqual([]);
});

test("a quotation that is not the state's lines to the letter is not shown", () => {
  const quoted = [{ from: 1, to: 1, start: 4 }];
  const outcome = { ...refusedOf("unseen_lines", "No.\nA\n", { state: stateOf("a\n") }), quoted };
  expect(renderResult({ kind: "write", outcome }, asText).shows).toEqual([]);
});
