import { describe, expect, it } from "vitest";
import { applyDiff, describeMendedContext } from "../../../src/patch/index.js";
import { text } from "../check.js";

describe("the sentence about mended context", () => {
  const base = text("start", "m1", "m2", "goal", "end");
  const said = (diff: string) => {
    const outcome = applyDiff({ base, diff });
    return outcome.kind === "success" ? describeMendedContext(outcome.repairs) : outcome.message;
  };

  it("names the hunk and the lines that were left out", () => {
    expect(said(text("@@", " start", "-goal", "+GOAL", " end"))).toBe(
      "Its context is not that of the file everywhere: hunk 1, 2 lines of the file left out of the context (lines 2-3).",
    );
  });

  it("quotes the lines that the file has otherwise", () => {
    expect(said(text("@@", " Start", " m1", " m2", "-goal", "+GOAL"))).toContain(
      'the file has otherwise: "Start"',
    );
  });

  it("is none where all context is the file's", () => {
    expect(said(text("@@", " m2", "-goal", "+GOAL"))).toBeUndefined();
  });
});
