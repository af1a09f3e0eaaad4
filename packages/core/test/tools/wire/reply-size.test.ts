import { describe, expect, test } from "vitest";
import type { ResultContent, WireForm } from "../../../src/tools/index.js";
import { makeGround, sha256 } from "../ground.js";

/** 200 lines of code-like text, about 11 KB, and five edits of one line each with ten lines of context. */
const lines = Array.from(
  { length: 200 },
  (_, at) => `  const value${at} = compute("item-${at}", ${at * 7}); // step ${at}`,
);
const edited = [20, 60, 100, 140, 180];
const change = (at: number) => `  const value${at} = compute("changed-${at}", ${at}); // step ${at}`;

function hunk(at: number): string {
  const context = (from: number, to: number) => lines.slice(from, to).map((line) => ` ${line}\n`);
  const own = [...context(at - 10, at), `-${lines[at]}\n`, `+${change(at)}\n`, ...context(at + 1, at + 11)];
  return `@@ -${at - 9},21 +${at - 9},21 @@\n${own.join("")}`;
}

/** Characters of all answers to five edits, one call each or all in one. */
async function answered(
  calls: "five" | "one",
  wire: WireForm,
  resultContent: ResultContent,
): Promise<number> {
  const content = `${lines.join("\n")}\n`;
  const ground = await makeGround({ "f.ts": content });
  const diffs = calls === "five" ? edited.map(hunk) : [edited.map(hunk).join("")];
  let base = sha256(content);
  let size = 0;
  for (const unified_diff of diffs) {
    const args = { file_path: "f.ts", unified_diff, base_content_sha256: base };
    const reply = await ground.call("safe_patch", args, { wire, resultContent });
    expect(reply.code).toBe("applied");
    size += reply.text.length;
    base = sha256(await ground.get("f.ts"));
  }
  return size;
}

describe("what five edits of a 200-line file cost in answers", () => {
  test("auto costs less than a tenth of the literal protocol, and under 1 KB an edit", async () => {
    const literal = await answered("five", "json", "full");
    const auto = await answered("five", "text", "auto");
    expect(literal).toBeGreaterThan(50_000);
    expect(auto).toBeLessThan(literal / 10);
    expect(auto).toBeLessThan(5_000);
  });
});
