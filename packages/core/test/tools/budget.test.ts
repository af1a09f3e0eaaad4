import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinLines, splitLines } from "../../src/text/index.js";
import { renderResult, type ToolResult, type WireForm } from "../../src/tools/index.js";
import { refusedOf, reportOf, stateOf, unchangedOf, writeOf } from "./states.js";

/** Files of some long lines, wide characters and all endings. */
const line = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .tuple(fc.constantFrom("x", "é", "🦊", "<file", '"', "\\"), fc.integer({ min: 1, max: 900 }))
    .map(([unit, times]) => unit.repeat(times)),
);
const content = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\n\n")), { maxLength: 40 })
  .map((lines) => lines.map((parts) => parts.join("")).join(""));
const state = fc.tuple(content, fc.string({ maxLength: 40 })).map(([text, path]) => stateOf(text, { path }));
const message = fc.tuple(line, content).map(([first, rest]) => `${first.replaceAll("\n", " ")}\n${rest}`);
const ranges = fc.array(
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(5)).map(([from, more]) => ({ from, to: from + more })),
  { maxLength: 6 },
);

const written = fc
  .tuple(state, message, ranges)
  .map(([file, said, changed]) =>
    writeOf({ state: file, message: said, change: reportOf({ ranges: changed }) }),
  );
const refused = fc
  .tuple(state, message, fc.constantFrom("state_mismatch", "not_found", "missing_base"))
  .map(([file, said, code]) => refusedOf(code, said, { state: file, shownBefore: false }));
const outcome = fc.oneof(written, refused, fc.constant(unchangedOf("no_change")));

const entry = fc
  .string({ maxLength: 80 })
  .map((path) => ({ path, isDirectory: false, sizeBytes: 1, openable: true }));
const match = fc.tuple(fc.string({ maxLength: 30 }), line).map(([path, text]) => {
  return { path, line: 1, column: 1, text, before: [], after: [text] };
});
const skips = { binary: 1, secret: 0, unreadable: 0, longLines: 2 };

const result: fc.Arbitrary<ToolResult> = fc.oneof(
  state.map((file): ToolResult => ({ kind: "read", outcome: { kind: "read", state: file } })),
  outcome.map((one): ToolResult => ({ kind: "write", outcome: one })),
  fc.array(state, { maxLength: 12 }).map((states): ToolResult => {
    const files = states.map((file) => ({ kind: "read", state: file }) as const);
    const leftOut = states.map(({ path }) => ({ path, sizeBytes: 9 }));
    return {
      kind: "read_many",
      outcome: { kind: "read_many", files, leftOut, leftOutCount: leftOut.length },
    };
  }),
  fc.array(outcome, { minLength: 1, maxLength: 12 }).map((all): ToolResult => {
    const files = all.map((one, at) => ({ path: one.state?.path ?? `${at}`, outcome: one }));
    const set = { kind: "change_set", success: true, code: "applied", message: "Done.", files } as const;
    return { kind: "change_set", outcome: set };
  }),
  fc.array(entry, { maxLength: 200 }).map((entries): ToolResult => {
    return { kind: "list", outcome: { kind: "listed", path: ".", entries, more: false } };
  }),
  fc.array(entry, { maxLength: 200 }).map((files): ToolResult => {
    return { kind: "find", outcome: { kind: "found", path: ".", files } };
  }),
  fc.array(match, { maxLength: 60 }).map((matches): ToolResult => {
    const found = {
      kind: "searched",
      path: ".",
      matches,
      searchedFiles: 9,
      searchedBytes: 9,
      skips,
    } as const;
    return { kind: "search", outcome: found };
  }),
);
const budget = fc.oneof(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 600, max: 20_000 }));
const resultContent = fc.constantFrom("full", "auto", "changed", "none");

/** The state that a span names; several files may have one name. */
function statesIn(whole: ToolResult) {
  const outcomes = (() => {
    switch (whole.kind) {
      case "read":
      case "write":
        return [whole.outcome];
      case "read_many":
        return whole.outcome.files;
      case "change_set":
        return whole.outcome.files.map((file) => file.outcome);
      default:
        return [];
    }
  })();
  return outcomes.flatMap((one) => ("state" in one && one.state !== null ? [one.state] : []));
}

describe("the law of the budget", () => {
  const wires: readonly WireForm[] = ["text", "json"];
  test.each(wires)("no answer in the form %s is longer than its budget, whatever it is about", (wire) => {
    fc.assert(
      fc.property(result, resultContent, budget, (whole, content, budgetChars) => {
        const { text } = renderResult(whole, { wire, resultContent: content, budgetChars });
        expect(text.length).toBeLessThanOrEqual(budgetChars);
      }),
      { numRuns: 400 },
    );
  });

  test("what is shown equals the lines of the state, and stands where it is said to stand", () => {
    fc.assert(
      fc.property(result, resultContent, budget, (whole, content, budgetChars) => {
        const options = { wire: "text", resultContent: content, budgetChars } as const;
        const { text, shows, shown } = renderResult(whole, options);
        const states = statesIn(whole);
        for (const { path, from, to, start, end, chars } of shows) {
          const named = states.filter((one) => one.path === path);
          const lines = named.map((one) => {
            const split = splitLines(one.content ?? "");
            if (chars === undefined) return joinLines(split, from - 1, to);
            return [...(split.contents[from - 1] ?? "")].slice(chars.from, chars.to).join("");
          });
          expect(lines).toContain(text.slice(start, end));
        }
        // What is known of the answer is what stands in it.
        const known = shown.flatMap(({ path, lines, parts = [] }) => [
          ...lines.map(({ from, to }) => ({ path, from, to })),
          ...parts.map(({ line, ...chars }) => ({ path, from: line, to: line, chars })),
        ]);
        const stands = shows.map(({ path, from, to, chars }) => ({
          path,
          from,
          to,
          ...(chars === undefined ? {} : { chars }),
        }));
        expect(stands).toEqual(known.filter(({ from, to }) => from <= to));
      }),
      { numRuns: 400 },
    );
  });

  test("what fits is left as it is", () => {
    fc.assert(
      fc.property(result, resultContent, (whole, content) => {
        const options = { wire: "text", resultContent: content } as const;
        const free = renderResult(whole, { ...options, budgetChars: Number.MAX_SAFE_INTEGER });
        expect(renderResult(whole, { ...options, budgetChars: free.text.length })).toEqual(free);
      }),
      { numRuns: 100 },
    );
  });
});

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

test("a listing that is cut says so", () => {
  const entries = Array.from({ length: 300 }, (_, at) => ({
    path: `folder/file-${at}.txt`,
    isDirectory: false,
    openable: true,
  }));
  const whole = { kind: "list", outcome: { kind: "listed", path: ".", entries, more: false } } as const;
  const { text, json } = renderResult(whole, { wire: "text", resultContent: "auto", budgetChars: 2_000 });
  expect(text).toContain("more than one answer holds");
  expect(json).toMatchObject({ more: true });
});
