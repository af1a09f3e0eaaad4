import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { showDiff } from "../../src/answers/show-diff.js";
import { makePaint } from "../../src/shell/terminal.js";

const plain = makePaint(false);
const numbers = "1\n2\n3\n4\n5\n6\n7\n";

describe("a difference is shown", () => {
  it.each([
    ["with two lines around", numbers, numbers.replace("4", "X"), "@@ line 2 @@\n 2\n 3\n-4\n+X\n 5\n 6"],
    [
      "together where the context touches",
      numbers,
      "X\n2\n3\n4\n5\nY\n7\n",
      "@@ line 1 @@\n-1\n+X\n 2\n 3\n 4\n 5\n-6\n+Y\n 7",
    ],
    [
      "else apart",
      numbers,
      "X\n2\n3\n4\n5\n6\nY\n",
      "@@ line 1 @@\n-1\n+X\n 2\n 3\n@@ line 5 @@\n 5\n 6\n-7\n+Y",
    ],
    ["by the number of the line that follows", "1\n2\n3\n", "2\n3\n", "@@ line 1 @@\n-1\n 2\n 3"],
    ["where a newline at the end went", "1\n", "1", "@@ line 1 @@\n-1\n+1  (no newline at the end)"],
    ["of a new file", null, "a\nb\n", "@@ line 1 @@\n+a\n+b"],
    ["of a file that went", "a\n", null, "@@ line 1 @@\n-a"],
    ["as nothing where there is none", "a\n", "a\n", ""],
  ])("%s", (_, before, after, shown) => {
    expect(showDiff(before, after, plain).join("\n")).toBe(shown);
  });

  it("up to 60 lines, and how many more there are", () => {
    const shown = showDiff(null, "x\n".repeat(100), plain);
    expect(shown).toHaveLength(61);
    expect(shown.at(-1)).toBe("… 41 more lines");
  });
});

const someLines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });

test("what is shown turns the one text into the other, at the lines that it names", () => {
  fc.assert(
    fc.property(someLines, someLines, (before, after) => {
      const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
      const result: string[] = [...before];
      const taken: string[] = [];
      let at = 0;
      for (const line of showDiff(text(before), text(after), plain)) {
        const head = /^@@ line (\d+) @@$/.exec(line);
        if (head !== null) at = Number(head[1]) - 1;
        else if (line.startsWith("+")) result.splice(at++, 0, line.slice(1));
        else taken.push(line.slice(1) === result[at] ? "" : line);
        if (line.startsWith("-")) result.splice(at, 1);
        else if (line.startsWith(" ")) at++;
      }
      expect(result).toEqual(after);
      expect(taken.join("")).toBe("");
    }),
  );
});
