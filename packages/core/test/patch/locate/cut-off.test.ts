import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyDiff } from "../../../src/patch/index.js";
import { ground } from "../../support.js";

interface Edited {
  readonly before: string;
  readonly after: string;
  readonly context: number;
}

/** Two texts whose differences often lie at their ends: blank lines, no newline at the end, lines that stand twice. */
function edited(line: fc.Arbitrary<string>): fc.Arbitrary<Edited> {
  const edit = fc.record({ at: fc.nat(9), removed: fc.nat(2), added: fc.array(line, { maxLength: 3 }) });
  return fc
    .record({
      lines: fc.array(line, { minLength: 1, maxLength: 9 }),
      edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
      ending: fc.constantFrom("\n", "\n", "\r\n"),
      ended: fc.tuple(fc.constantFrom(true, true, false), fc.constantFrom(true, true, false)),
      context: fc.nat(3),
    })
    .map(({ lines, edits, ending, ended, context }) => {
      const after = edits.reduce(
        (all, { at, removed, added }) => all.toSpliced(at, removed, ...added),
        lines,
      );
      const [before, made] = [lines, after].map(
        (all, n) => all.join(ending) + (ended[n] === true ? ending : ""),
      );
      return { before: before ?? "", after: made ?? "", context };
    })
    .filter(({ before, after }) => before !== after && before.trim() !== "" && after.trim() !== "");
}

const tools = [
  (context: number) => ["git", "diff", "--no-index", "--no-prefix", `-U${context}`],
  (context: number) => ["diff", `-U${context}`],
];

/** What stands behind the last hunk of a diff that was mailed, listed or quoted. */
const tails = ["", "\n", "-- \n2.39.5\n", "-- \n2.39.5\n\n", "\n--\nAda\n", "Only in b: g\n"];

describe("a diff of a tool", () => {
  it("is not called cut off, however it ends", async () => {
    const { root, put } = await ground({});
    const line = fc.constantFrom("a", "b", "", "}", "own words");
    const law = fc.property(edited(line), fc.constantFrom(...tails), ({ before, after, context }, tail) => {
      put("a/f", before);
      put("b/f", after);
      for (const tool of tools) {
        const [command = "", ...args] = tool(context);
        const { stdout } = spawnSync(command, [...args, "a/f", "b/f"], { cwd: root, encoding: "utf8" });
        const outcome = applyDiff({ base: before, diff: stdout + tail });
        if (outcome.kind === "refusal") expect(outcome.message).not.toContain("cut off");
        else expect(outcome.text).toBe(after);
      }
    });
    fc.assert(law, { numRuns: 60 });
  });

  it("is called cut off where it breaks off behind an added line, with more new lines to come than old ones", async () => {
    const { root, put } = await ground({});
    const line = fc.nat().map((n) => `line ${n}`);
    const law = fc.property(edited(line), ({ before, after, context }) => {
      put("a/f", before);
      put("b/f", after);
      const [command = "", ...args] = tools[0]?.(context) ?? [];
      const { stdout } = spawnSync(command, [...args, "a/f", "b/f"], { cwd: root, encoding: "utf8" });
      const lines = stdout.split("\n").slice(0, -1);
      const from = lines.findLastIndex((one) => one.startsWith("@@")) + 1;
      for (let to = from + 1; to < lines.length; to++) {
        const rest = lines.slice(to).map((one) => one[0]);
        const [old, fresh] = ["-", "+"].map(
          (sign) => rest.filter((one) => one === " " || one === sign).length,
        );
        if (!lines[to - 1]?.startsWith("+") || (old ?? 0) < 1 || (fresh ?? 0) <= (old ?? 0)) continue;
        const outcome = applyDiff({ base: before, diff: `${lines.slice(0, to).join("\n")}\n` });
        expect(outcome).toMatchObject({ kind: "refusal", message: expect.stringContaining("cut off") });
      }
    });
    fc.assert(law, { numRuns: 60 });
  });
});
