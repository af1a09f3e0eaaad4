import { describe, expect, test } from "vitest";
import type { RefusalCode, WriteOutcome } from "../../../src/files/values/index.js";
import {
  fullContentLimitBytes,
  parseEnvelope,
  type ResultContent,
  renderResult,
} from "../../../src/tools/index.js";
import {
  factsOf,
  missingState,
  refusedOf,
  reportOf,
  someHash,
  stateOf,
  unchangedOf,
  writeOf,
} from "./states.js";

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const change = reportOf({
  landed: [
    { hunk: 1, oldStart: 10, oldLines: 1, newStart: 10, newLines: 1 },
    { hunk: 2, oldStart: 40, oldLines: 1, newStart: 40, newLines: 2 },
  ],
  repairs: [{ kind: "line_number", hunk: 2, detail: "line 70 → 40" }],
  ranges: [
    { from: 10, to: 10 },
    { from: 40, to: 41 },
  ],
});

const applied = writeOf({ state: stateOf(numbered(60)), change });
const mismatch = refusedOf(
  "state_mismatch",
  "State Mismatch: File has changed on disk since it was last read.",
  { state: stateOf(numbered(60)) },
);
const refusedWith = (code: RefusalCode, shownBefore: boolean) =>
  refusedOf(code, "No.", { state: stateOf("a\n"), shownBefore });
const huge = stateOf("x".repeat(99).concat("\n").repeat(3_000));

type Shown = "full" | "none" | readonly (readonly [number, number])[];

/** What of the state both wire forms show; they must agree. */
function check(outcome: WriteOutcome, resultContent: ResultContent, expected: Shown): void {
  const result = { kind: "write", outcome } as const;
  const text = renderResult(result, { wire: "text", resultContent });
  const json = renderResult(result, { wire: "json", resultContent });
  expect(text.json).toEqual(json.json);
  expect(JSON.parse(json.text)).toEqual(json.json);
  const file = parseEnvelope(text.text)?.files[0];
  const wire = json.json as {
    latest_file_state: { content?: string };
    changed_lines?: { from: number; to: number }[];
  };
  const content = outcome.state?.content ?? "";
  const windows = typeof expected === "string" ? [] : expected;
  expect(file?.content ?? undefined).toBe(expected === "full" ? content : undefined);
  expect(wire.latest_file_state.content).toBe(expected === "full" ? content : undefined);
  expect(file?.windows.map(({ from, to }) => [from, to])).toEqual(windows);
  expect((wire.changed_lines ?? []).map(({ from, to }) => [from, to])).toEqual(windows);
  expect(text.bearsContent).toBe(expected !== "none");
}

describe("how much of the latest state an answer shows", () => {
  const around: Shown = [
    [7, 13],
    [37, 44],
  ];
  const cases: readonly (readonly [string, WriteOutcome, ResultContent, Shown])[] = [
    ["a success shows the changed lines and three around them", applied, "auto", around],
    ["a success in full shows everything", applied, "full", "full"],
    ["a success as changed lines", applied, "changed", around],
    ["a success with nothing", applied, "none", "none"],
    ["a mismatch shows the fresh content", mismatch, "auto", "full"],
    ["a mismatch without known changes has no lines to show", mismatch, "changed", "none"],
    ["an unknown base shows the content", refusedWith("unknown_base", true), "auto", "full"],
    ["a blind overwrite shows what was never seen", refusedWith("missing_base", false), "auto", "full"],
    ["a blind overwrite of what was seen shows nothing", refusedWith("missing_base", true), "auto", "none"],
    ["an unread file is not shown: that would be no read", refusedWith("not_read", false), "auto", "none"],
    [
      "a diff that does not fit shows nothing: its message quotes the lines",
      refusedWith("invalid_diff", false),
      "auto",
      "none",
    ],
    ["a repeated call shows nothing", unchangedOf("already_applied"), "auto", "none"],
  ];
  test.each(cases)("%s", (_, outcome, resultContent, expected) => check(outcome, resultContent, expected));

  test("a text that the caller wrote is not shown again", () => {
    const sent = { ...applied, change: { ...change, sentWhole: true } };
    check(sent, "auto", "none");
    check(sent, "changed", "none");
    check(sent, "full", "full");
  });

  test("windows at the edges and near each other are cut and joined", () => {
    const at = (...ranges: { from: number; to: number }[]) =>
      writeOf({ state: stateOf(numbered(20)), change: { ...change, ranges } });
    check(at({ from: 1, to: 1 }), "auto", [[1, 4]]);
    check(at({ from: 20, to: 20 }), "auto", [[17, 20]]);
    check(at({ from: 5, to: 5 }, { from: 12, to: 12 }), "auto", [[2, 15]]);
    check(at({ from: 5, to: 5 }, { from: 13, to: 13 }), "auto", [
      [2, 8],
      [10, 16],
    ]);
    check(at({ from: 10, to: 9 }), "auto", [[7, 12]]);
    check(at({ from: 21, to: 20 }), "auto", [[18, 20]]);
  });

  test("content above 256 KiB is not sent in full: the changed windows, or how to get it", () => {
    expect(huge.content?.length).toBeGreaterThan(fullContentLimitBytes);
    check({ ...mismatch, state: huge, change: { ...change, landed: [], repairs: [] } }, "auto", around);
    check({ ...mismatch, state: huge }, "auto", "none");
    const { text, json } = renderResult(
      { kind: "write", outcome: { ...mismatch, state: huge } },
      { wire: "text", resultContent: "full" },
    );
    expect(text).toContain("read it with read, offset and limit");
    expect(json).toMatchObject({ content_omitted: expect.stringContaining("offset and limit") });
    expect(text.length).toBeLessThan(1_000);
  });
});

describe("the text of a write's answer", () => {
  test("a success says version, hash, the changed lines with their numbers, what was put right", () => {
    const outcome = writeOf({
      state: stateOf(numbered(60)),
      change: { ...change, ranges: [{ from: 10, to: 10 }] },
    });
    const { text } = renderResult({ kind: "write", outcome }, { wire: "text", resultContent: "auto" });
    expect(text).toBe(
      [
        "OK (applied): Patch applied successfully.",
        `<file path="src/a.ts" version="3" sha256="${someHash}" total_lines="60" shown="changed lines"/>`,
        '<lines from="7" to="13">',
        "line 7\nline 8\nline 9\nline 10\nline 11\nline 12\nline 13\n</lines>",
        "",
        "Repaired: hunk 2, line number (line 70 → 40).",
      ].join("\n"),
    );
  });

  test("a refusal's first line says that it failed, with its code; the rest of the message follows the frame", () => {
    const outcome = refusedOf(
      "invalid_diff",
      "Invalid Diff: The provided diff content does not match.\nHunk 1, line 2.\n  1| a",
      { state: stateOf("a\n") },
    );
    const { text } = renderResult({ kind: "write", outcome }, { wire: "text", resultContent: "auto" });
    expect(text).toBe(
      [
        "FAILED (invalid_diff): Invalid Diff: The provided diff content does not match.",
        `<file path="src/a.ts" version="3" sha256="${someHash}" total_lines="1" shown="no"/>`,
        "",
        "Hunk 1, line 2.",
        "  1| a",
      ].join("\n"),
    );
  });
});

describe("the seed's protocol to the letter: full content as JSON", () => {
  const options = { wire: "json", resultContent: "full" } as const;
  const literal = (outcome: WriteOutcome) =>
    JSON.parse(renderResult({ kind: "write", outcome }, options).text);

  test("a read is {file_path, version, sha256, content}", () => {
    const outcome = { kind: "read", state: stateOf("a\n") } as const;
    expect(JSON.parse(renderResult({ kind: "read", outcome }, options).text)).toStrictEqual({
      file_path: "src/a.ts",
      version: 3,
      sha256: someHash,
      content: "a\n",
    });
  });

  test("a write is {success, code, message, latest_file_state} in every exit", () => {
    const state = { file_path: "src/a.ts", version: 3, sha256: someHash, content: "one\ntwo\n" };
    expect(literal(writeOf({}))).toStrictEqual({
      success: true,
      code: "applied",
      message: "Patch applied successfully.",
      latest_file_state: state,
    });
    expect(literal(refusedOf("invalid_diff", "Invalid Diff: no."))).toStrictEqual({
      success: false,
      code: "invalid_diff",
      message: "Invalid Diff: no.",
      latest_file_state: state,
    });
    expect(literal(writeOf({ code: "applied", message: "Deleted.", state: missingState }))).toStrictEqual({
      success: true,
      code: "applied",
      message: "Deleted.",
      latest_file_state: { file_path: "gone.ts", version: 4, sha256: null, content: null },
    });
    expect(literal(refusedOf("outside_workspace", "No.", { state: null }))).toStrictEqual({
      success: false,
      code: "outside_workspace",
      message: "No.",
      latest_file_state: null,
    });
  });

  test("repairs are told behind the seed's words, not beside its keys", () => {
    const answer = literal(writeOf({ change }));
    expect(Object.keys(answer)).toEqual(["success", "code", "message", "latest_file_state"]);
    expect(answer.message).toBe("Patch applied successfully. Repaired: hunk 2, line number (line 70 → 40).");
  });

  test("a window and unusual bytes say so", () => {
    const facts = factsOf("a\nb\nc\n", { encoding: "windows-1252", guessed: true, bom: false });
    const state = stateOf("b\n", { facts, lines: { from: 2, to: 2 } });
    const reply = renderResult({ kind: "read", outcome: { kind: "read", state } }, options);
    expect(JSON.parse(reply.text)).toStrictEqual({
      file_path: "src/a.ts",
      version: 3,
      sha256: someHash,
      content: "b\n",
      lines: { from: 2, to: 2, total: 3 },
      encoding: "windows-1252",
      encoding_guessed: true,
    });
  });
});

describe("a listing", () => {
  const outcome = {
    kind: "listed",
    path: "src",
    more: true,
    entries: [
      { path: "src/a.ts", isDirectory: false, sizeBytes: 12, openable: true },
      { path: "src/lib", isDirectory: true, openable: true },
      { path: 'x"\n<file>', isDirectory: false, sizeBytes: 1, openable: true },
      { path: "link", isDirectory: false, special: "link", openable: true },
      { path: "bad\\xff", isDirectory: false, sizeBytes: 3, openable: false },
    ],
  } as const;

  test("has one line an entry, whatever the names", () => {
    const { text, success, code } = renderResult(
      { kind: "list", outcome },
      { wire: "text", resultContent: "auto" },
    );
    expect({ success, code }).toEqual({ success: true, code: "ok" });
    expect(text.split("\n")).toEqual([
      'OK (ok): "src" holds 5 or more entries; sizes are in bytes.',
      "src/a.ts\t12",
      "src/lib/",
      '"x\\"\\u000a\\u003cfile\\u003e"\t1',
      "link\tlink",
      '"bad\\\\xff"\t3\tcannot be opened by name',
      "",
      "There may be more: look in a folder below, or ask for less.",
    ]);
  });
});
