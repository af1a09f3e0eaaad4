import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf } from "../../../../packages/agent/src/ui/lines/cells.js";
import { frame, noTail, nothingStands, type Tail } from "../../src/screen/frame.js";
import { Oracle } from "./oracle.js";

const size = fc.record({ columns: fc.integer({ min: 12, max: 40 }), rows: fc.integer({ min: 8, max: 14 }) });
const letters = fc.constantFrom("a", "b", " ", "é", "日", "한", "\u05d0", "e\u0301", "…", "x".repeat(7));
const words = fc.array(letters, { maxLength: 30 }).map((parts) => parts.join(""));
const colour = fc.constantFrom("", "\u001b[1m", "\u001b[38;5;114m");

type Step =
  | {
      readonly kind: "frame";
      readonly commit: readonly string[];
      readonly tail: readonly string[];
      readonly at: number;
    }
  | { readonly kind: "sign"; readonly of: string }
  | { readonly kind: "resize"; readonly to: { readonly columns: number; readonly rows: number } };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("frame" as const),
      commit: fc.array(words, { maxLength: 3 }),
      tail: fc.array(
        fc.tuple(colour, words).map((parts) => parts.join("")),
        { minLength: 1, maxLength: 6 },
      ),
      at: fc.nat(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("sign" as const), of: fc.constantFrom("|", "/", "日") }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("resize" as const), to: size }) },
);

/** A row of the tail: it is known by its sign, and no wider than so many columns. */
function rowOf(text: string, columns: number, sign = "|"): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as below
  const [, code = "", shown = ""] = /^(\u001b\[[\d;]*m)?(.*)$/u.exec(text) ?? [];
  let row = sign;
  for (const { segment } of new Intl.Segmenter().segment(shown))
    if (cellsOf(row + segment) <= columns) row += segment;
  return code === "" ? row : `${code}${row}\u001b[0m`;
}

/** The text that a row of the tail was made of. */
const withoutSign = (row: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as below
  row.replace(/^(\u001b\[[\d;]*m)?./u, "$1").replace(/\u001b\[0m$/u, "");
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are sequences of controls
const bare = (text: string) => text.replace(/\u001b\[[\d;]*m/gu, "").trimEnd();
/** A wide letter that does not fit into a row leaves a blank at its end. */
const dense = (text: string) => text.replace(/\s+/gu, "");

describe("a frame", () => {
  it("leaves each committed line once and in order, and the tail below them, whatever comes in whatever window", async () => {
    await fc.assert(
      fc.asyncProperty(size, fc.array(step, { minLength: 1, maxLength: 25 }), async (first, steps) => {
        let window = first;
        const oracle = new Oracle(window);
        let standing = nothingStands(window);
        const committed: string[] = [];
        for (const one of steps) {
          if (one.kind === "resize") {
            window = one.to;
            oracle.resize(window);
          }
          const { columns } = window;
          const isFrame = one.kind === "frame";
          const commit = isFrame ? one.commit.map((text) => `#${committed.length} ${text}`) : [];
          const texts = isFrame ? one.tail : standing.rows.map(withoutSign);
          const at = isFrame ? one.at % texts.length : standing.cursor.row;
          const sign = one.kind === "sign" ? one.of : "|";
          // That of the cursor ends before the last column.
          const rows = texts.map((row, index) => rowOf(row, index === at ? columns - 1 : columns, sign));
          const column = cellsOf(bare(rows[at] ?? ""));
          const tail: Tail = { rows, cursor: { row: at, column } };
          const next = frame(standing, { commit, tail, size: window });
          standing = next.standing;
          committed.push(...commit);
          await oracle.write(next.bytes);
          const lines = oracle.lines();
          expect(lines.filter((line) => line.startsWith("#")).map(dense)).toEqual(committed.map(dense));
          expect(lines.slice(-rows.length)).toEqual(rows.map(bare));
          // Nothing else is there, unless a window that became smaller has pushed rows out of it.
          if (!steps.some(({ kind }) => kind === "resize"))
            expect(lines).toHaveLength(committed.length + rows.length);
          expect(oracle.cursor()).toEqual({ row: bare(rows[at] ?? ""), column });
          expect(oracle.modes.wraparoundMode).toBe(true);
        }
        await oracle.write(frame(standing, { commit: ["#end"], tail: noTail, size: window }).bytes);
        expect(oracle.lines().at(-1)).toBe("#end");
        expect(oracle.cursor()).toEqual({ row: "", column: 0 });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["nothing for the same", ["ab", "> "], ["ab", "> "], ""],
    [
      "what is appended",
      ["ab", "> "],
      ["abcd", "> "],
      "\u001b[?7l\u001b[1A\u001b[3Gcd\u001b[?7h\r\n\u001b[3G",
    ],
    ["a row with an emoji as a whole", ["a🙂b"], ["a🙂bc"], "\u001b[?7l\ra🙂bc\u001b[K\u001b[?7h\u001b[3G"],
    [
      "nothing behind a full row",
      ["🙂", "> "],
      ["x".repeat(20), "> "],
      `\u001b[?7l\u001b[1A\r\u001b[K${"x".repeat(20)}\u001b[?7h\r\n\u001b[3G`,
    ],
    ["a sign of life alone", ["| ab", "> "], ["/ ab", "> "], "\u001b[?7l\u001b[1A\r/\u001b[?7h\r\n\u001b[3G"],
    [
      "a letter in a colour",
      ["\u001b[1mabc\u001b[0m"],
      ["\u001b[1maxc\u001b[0m"],
      "\u001b[?7l\u001b[2G\u001b[1mx\u001b[0m\u001b[?7h\u001b[3G",
    ],
    ["a mark with its letter", ["ae"], ["ae\u0301"], "\u001b[?7l\rae\u0301\u001b[?7h\u001b[3G"],
    [
      "a colour anew where a row goes on",
      ["\u001b[1mab\u001b[0m"],
      ["\u001b[1mabc\u001b[0m"],
      "\u001b[?7l\u001b[3G\u001b[1mc\u001b[0m\u001b[?7h\u001b[3G",
    ],
  ])("writes %s", (_, old, rows, bytes) => {
    const window = { columns: 20, rows: 10 };
    const cursor = { row: rows.length - 1, column: 2 };
    const written = frame(
      { rows: old, cursor, size: window },
      { commit: [], tail: { rows, cursor }, size: window },
    );
    expect(written.bytes.replace("\u001b[?2026h", "").replace("\u001b[?2026l", "")).toBe(bytes);
  });
});
