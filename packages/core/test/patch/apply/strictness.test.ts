import { describe, expect, it } from "vitest";
import { applyDiff, applyStrictly } from "../../../src/patch/index.js";
import { text } from "../check.js";

const base = text("a", "b", "c");
const diff = text("@@ -2,1 +2,1 @@", "-b", "+B");
const internal =
  "Internal Error: The corrected patch failed to apply. Please review the diff for subtle errors.";

describe("the strict last stage", () => {
  it("is an internal error where the applier fails", () => {
    const outcome = applyDiff({ base, diff, applier: () => false });
    expect(outcome).toEqual({ kind: "refusal", code: "internal_error", message: internal });
  });

  it("is an internal error where the applier gives another text than our own splice", () => {
    const outcome = applyDiff({ base, diff, applier: (given) => `${given}x` });
    expect(outcome.code).toBe("internal_error");
  });

  it("gets the lines around a change and a diff with the file's own lines and right numbers", () => {
    const given: string[] = [];
    applyDiff({
      base: "a  \nb\nc",
      diff: text("@@ -9,9 +9,9 @@", " a", "-b", "+B"),
      applier: (...parts) => {
        given.push(...parts);
        return applyStrictly(...parts);
      },
    });
    const corrected =
      "--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n a  \n-b\n+B\n c\n\\ No newline at end of file\n";
    expect(given).toEqual(["a  \nb\nc", corrected]);
  });

  it("never moves a hunk and never throws", () => {
    expect(applyStrictly("a\n", "@@ -1,1 +1,1 @@\n-b\n+c\n")).toBe(false);
    expect(applyStrictly("a\n", "@@ -1,9 +1,1 @@\n-b\n+c\n")).toBe(false);
  });
});

describe("the report of a success", () => {
  it("names where each hunk landed, in the old and in the new text", () => {
    const outcome = applyDiff({
      base: text("1", "2", "3", "4", "5", "6", "7", "8"),
      diff: text("@@ -70,2 +70,1 @@", " 7", "-8", "@@ -1,1 +1,3 @@", " 1", "+1a", "+1b", " 2"),
    });
    expect(outcome).toMatchObject({
      code: "applied",
      landed: [
        { hunk: 1, oldStart: 7, oldLines: 2, newStart: 9, newLines: 1 },
        { hunk: 2, oldStart: 1, oldLines: 2, newStart: 1, newLines: 4 },
      ],
      repairs: [
        { kind: "line_number", hunk: 1, detail: "line 70 → 7" },
        { kind: "line_counts", hunk: 2, detail: "-1 +3 → -2 +4" },
        { kind: "hunk_order" },
      ],
    });
  });
});

describe("the text of a refusal", () => {
  it("shows the first line that does not fit, the real lines, and how the other hunks stood", () => {
    const outcome = applyDiff({
      base: text("alpha", "beta", "gamma", "delta"),
      diff: text(
        "@@ -1,2 +1,2 @@",
        "-alpha",
        "+ALPHA",
        " beta",
        "@@ -3,2 +3,2 @@",
        " gamma",
        "-dolta",
        "+DELTA",
      ),
    });
    expect(outcome).toMatchObject({ kind: "refusal", code: "invalid_diff", hunk: 2 });
    const message = outcome.kind === "refusal" ? outcome.message : "";
    expect(message).toContain(
      'No line "dolta" in this file. It most nearly fits at line 3: line 4 is "delta"',
    );
    expect(message).toContain("    3| gamma\n    4| delta");
    expect(message).toContain("Hunk 1 fits at line 1.");
    expect(message).toContain("Nothing was changed");
  });

  it("is bounded, whatever the lines", () => {
    const long = "漢".repeat(5_000);
    const outcome = applyDiff({
      base: `${long}\n`.repeat(300),
      diff: text("@@ -1,2 +1,2 @@", ` ${long}`, `-${long}x`, "+y"),
    });
    expect(outcome.kind).toBe("refusal");
    const message = outcome.kind === "refusal" ? outcome.message : "";
    expect(new TextEncoder().encode(message).length).toBeLessThanOrEqual(8_192);
  });
});

describe("limits", () => {
  it("refuses a diff above 64 MiB", () => {
    expect(applyDiff({ base: "a\n", diff: "+".repeat(64 * 1024 * 1024 + 1) }).code).toBe("too_large");
  });

  it("refuses more than 200,000 hunks", () => {
    expect(applyDiff({ base: "a\n", diff: "@@\n-a\n".repeat(200_001), limitMs: 600_000 }).code).toBe(
      "too_large",
    );
  });
});
