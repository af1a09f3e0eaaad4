import { describe, expect, it } from "vitest";
import { applyDiff, applyStrictly, carryEndings, type PatchRequest } from "../../../src/patch/index.js";
import { text } from "../check.js";

const base = text("a", "b", "c");
const diff = text("@@ -2,1 +2,1 @@", "-b", "+B");
const internal =
  "Internal Error: The corrected patch failed to apply. Please review the diff for subtle errors.";

/**
 * Holds for a step that is linear on any machine, and for none that is quadratic on inputs of this size: what
 * is counted is the processor's time, which other programs do not take, and ten times that much is allowed.
 */
function within(ms: number, work: () => void): void {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(10 * ms);
}

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

  it("gets the lines around several changes as if nothing stood between them", () => {
    const given: string[] = [];
    const lines = Array.from({ length: 1_000 }, (_, at) => `${at + 1}`);
    const outcome = applyDiff({
      base: text(...lines),
      diff: text("@@ -10,1 +10,1 @@", "-10", "+ten", "@@ -999,2 +999,3 @@", " 999", "+more", " 1000"),
      applier: (...parts) => {
        given.push(...parts);
        return applyStrictly(...parts);
      },
    });
    expect(given).toEqual([
      text("9", "10", "11", "999", "1000"),
      text(
        "--- a/file",
        "+++ b/file",
        "@@ -1,5 +1,6 @@",
        " 9",
        "-10",
        "+ten",
        " 11",
        " 999",
        "+more",
        " 1000",
      ),
    ]);
    const after = [...lines.slice(0, 9), "ten", ...lines.slice(10, 999), "more", "1000"];
    expect(outcome).toMatchObject({ code: "applied", text: text(...after) });
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
      addedText: "1a\n1b",
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
    expect(message).toContain('line to be removed "dolta" does not fit: line 4 is "delta"');
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

  it("lets no control character of a file act", () => {
    const outcome = applyDiff({ base: "a\u001b[2J\u202e\n", diff: text("@@ -1 +1 @@", "-b", "+c") });
    const message = outcome.kind === "refusal" ? outcome.message : "";
    expect(message).toContain("a\\u001b[2J\\u202e");
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

  it("stops when its time is up", () => {
    const diff = `@@\n a\n${"+x\n".repeat(1_000_000)}`;
    within(2_000, () => expect(applyDiff({ base: "a\n", diff, limitMs: 20 }).code).toBe("timeout"));
  });

  it("refuses more than 2,000,000 lines without reading them", () => {
    const diff = `@@\n a\n${"+x\n".repeat(5_000_000)}`;
    within(1_000, () => expect(applyDiff({ base: "a\n", diff }).code).toBe("too_large"));
  });
});

describe("cost", { timeout: 120_000 }, () => {
  // The engine's own limit counts the time that other programs take, too.
  const apply = (request: PatchRequest) => applyDiff({ limitMs: 60_000, ...request });
  const equal = "x\n".repeat(100_000);
  const lines = Array.from({ length: 100_000 }, (_, at) => (at % 7 === 0 ? "}" : `line ${at}`));
  const hunks = (shift: number) =>
    Array.from({ length: 1_000 }, (_, n) => {
      const at = n * 99 + 10;
      const context = (from: number) => lines.slice(from, from + 3).map((line) => ` ${line}`);
      return text(
        `@@ -${at - 2 + shift},7 +${at - 2 + shift},7 @@`,
        ...context(at - 3),
        `-${lines[at]}`,
        "+new",
        ...context(at + 1),
      );
    }).join("");

  it("is small on 100,000 equal lines", () => {
    within(1_500, () => expect(apply({ base: equal, diff: "@@\n-x\n+y\n" }).code).toBe("ambiguous"));
    const long = `@@\n${" x\n".repeat(500)}-x\n+y\n${" x\n".repeat(500)}`;
    within(1_500, () => expect(apply({ base: equal, diff: long }).code).toBe("ambiguous"));
    within(3_000, () =>
      expect(apply({ base: equal.replaceAll("x", "    xxx"), diff: long.replaceAll("x", "xxx") }).code).toBe(
        "ambiguous",
      ),
    );
    within(1_500, () =>
      expect(apply({ base: equal, diff: "@@ -777 +777 @@\n-x\n+y\n" }).code).toBe("applied"),
    );
  });

  it("is small on 100,000 lines with 1,000 hunks, numbers right or wrong", () => {
    const base = text(...lines);
    within(2_000, () => expect(apply({ base, diff: hunks(0) }).code).toBe("applied"));
    within(3_000, () => expect(apply({ base, diff: hunks(4321) }).code).toBe("applied"));
  });

  it("is small for damaged context among 100,000 equal lines, and for names and fences without end", () => {
    const context = " x\n".repeat(500);
    const damaged = `@@\n${context} zz\n-x\n+y\n${context}`;
    within(1_500, () => expect(apply({ base: equal, diff: damaged }).kind).toBe("refusal"));
    const names = `--- ${" ".repeat(1_000_000)}x\n+++ ${" ".repeat(1_000_000)}y\n@@\n-a\n+b\n`;
    within(1_500, () => expect(apply({ base: "a\n", diff: names }).code).toBe("applied"));
    within(3_000, () => apply({ base: "a\n", diff: "```\n```\n".repeat(300_000), limitMs: 1_000 }));
    within(3_000, () => apply({ base: "a\n", diff: "@".repeat(20_000_000), limitMs: 1_000 }));
  });

  it("is small for a text whose lines are all new", () => {
    const old = Array.from({ length: 50_000 }, (_, at) => `old ${at}\r\n`).join("");
    const fresh = Array.from({ length: 50_000 }, (_, at) => `new ${at}\n`).join("");
    within(1_000, () => expect(carryEndings(old, fresh)).toBe(fresh.replaceAll("\n", "\r\n")));
  });
});
