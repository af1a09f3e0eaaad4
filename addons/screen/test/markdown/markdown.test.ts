import type { Highlighter } from "@holdfast/agent/shown";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { cellsOf } from "../../../../packages/agent/src/ui/lines/cells.js";
import { loadHighlighter } from "../../src/markdown/highlight.js";
import {
  appendMarkdown,
  emptyMarkdown,
  endMarkdown,
  linesOf,
  type MarkdownBlock,
  openBlock,
} from "../../src/markdown/stream.js";

const textOf = (blocks: readonly MarkdownBlock[], columns = 80) =>
  blocks
    .flatMap((block) => linesOf(block, columns))
    .map((line) => line.map(({ text }) => text).join(""))
    .join("\n");

/** All blocks of a text that comes in these parts. */
function streamed(parts: readonly string[]): readonly MarkdownBlock[] {
  const all: MarkdownBlock[] = [];
  let state = emptyMarkdown();
  for (const part of parts) {
    const step = appendMarkdown(state, part);
    state = step.state;
    all.push(...step.finished);
  }
  return [...all, ...endMarkdown(state)];
}

const shown = (text: string, columns?: number) => textOf(streamed([text]), columns);

const samples: readonly (readonly [what: string, source: string, lines: string])[] = [
  [
    "headings and paragraphs",
    "# One\ntext\n## Two\nmore **bold** `code`\n",
    "One\n\ntext\n\nTwo\n\nmore bold code",
  ],
  ["an underlined heading", "One\n---\ntext\n", "One\ntext"],
  ["lists within lists", "- a\n  - b\n\n  c\n- d\n", "• a\n  • b\n  c\n• d"],
  ["numbers as they are", "3. a\n4. b\n", "3. a\n4. b"],
  ["tasks", "- [ ] a\n- [x] b\n", "• ☐ a\n• ☑ b"],
  ["a quote", "> a\n> b\n\nc", "│ a\n│ b\n\nc"],
  ["code in a list", "1. a\n\n   ```ts\n   x\n   ```\n2. b\n", "1. a\n   ── ts\nx\n   ──\n2. b"],
  ["code as it is, between rules", "a\n\n```sh\n  x  y\n```\n\nb", "a\n\n── sh\n  x  y\n──\n\nb"],
  ["code in a quote", "> ```\n> x\n> ```\n", "│ ──\nx\n│ ──"],
  ["indented code", "a\n\n    x\n      y\n", "a\n\n──\nx\n  y\n──"],
  ["a fence that is not closed", "```\na\n\nb", "──\na\n\nb"],
  ["long code with one rule at each end", `\`\`\`\n${"x\n".repeat(95)}\`\`\`\n`, `──\n${"x\n".repeat(95)}──`],
  [
    "code that ends where a part of it ends",
    `\`\`\`\n${"x\n".repeat(40)}\`\`\`\n`,
    `──\n${"x\n".repeat(40)}──`,
  ],
  ["links and addresses", "[a](http://b) <http://c>\n", "a (http://b) http://c"],
  ["HTML is text", "<b>x</b> &amp; y\n", "<b>x</b> & y"],
  ["a rule between", "a\n\n***\nb", `a\n\n${"─".repeat(20)}\n\nb`],
  ["lines stay lines", "a\nb\n", "a\nb"],
  ["an empty item", "- \n- b\n", "• \n• b"],
  ["a definition of a link", "[a]: http://b\n\nsee [a]\n", "[a]: http://b\n\nsee [a]"],
  ["emphasis that is not closed", "a *b\n", "a *b"],
];

describe("Markdown that is being written", () => {
  it.each(samples)("shows %s", (_, source, lines) => {
    expect(shown(source)).toBe(lines);
  });

  it("draws a table by cells, and narrows it to the window", () => {
    const table = "| a | 名前 |\n|--:|:-:|\n| 12 | x👩‍💻 |\n";
    expect(shown(table)).toBe("┌────┬──────┐\n│  a │ 名前 │\n├────┼──────┤\n│ 12 │ x👩‍💻  │\n└────┴──────┘");
    const wide = `| ${"long ".repeat(20)} | b |\n|---|---|\n| c | ${"long ".repeat(20)} |\n`;
    for (const columns of [12, 30, 80]) {
      const lines = shown(wide, columns);
      for (const line of lines.split("\n")) expect(cellsOf(line)).toBeLessThanOrEqual(columns);
      expect(lines.replaceAll(/[^a-z]/gu, "")).toHaveLength(2 + 2 * 20 * "long".length);
    }
    expect(shown("| a | b |\n|---|--:|\n| one two three | 日本語 |\n", 20)).toBe(
      [
        "┌─────────┬────────┐",
        "│ a       │      b │",
        "├─────────┼────────┤",
        "│ one     │ 日本語 │",
        "│ two     │        │",
        "│ three   │        │",
        "└─────────┴────────┘",
      ].join("\n"),
    );
  });

  it("breaks cells by what is written, which an escape makes longer", () => {
    const hidden = "x\u200b".repeat(9);
    const lines = shown(`| a |\n|---|\n| ${hidden} |\n`, 24);
    for (const line of lines.split("\n")) expect(cellsOf(line)).toBeLessThanOrEqual(24);
    expect(lines.replaceAll(/[^\w\\]/gu, "")).toBe(`a${"x\\u200b".repeat(9)}`);
  });

  const part = fc.constantFrom(
    ..."a b\n|\n\n|\n- |\n  - |1. |\n```\n|```ts\n|~~~\n|# h\n|> q\n|| a | b |\n|---|---|\n||\n---\n|*e*|`c`|\n\n\n|    x\n|word word\n|<b>|\r\n"
      .split("|")
      .map((text) => (text === "" ? "|" : text)),
  );
  const source = fc.array(part, { maxLength: 40 }).map((parts) => parts.join(""));

  it("comes to the same blocks however it arrives, and none that was finished changes", () => {
    fc.assert(
      fc.property(source, fc.array(fc.nat(), { maxLength: 10 }), (text, cuts) => {
        const places = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].sort((a, b) => a - b);
        const parts = places.slice(1).map((place, at) => text.slice(places[at], place));
        expect(streamed(parts)).toEqual(streamed([text]));
        let state = emptyMarkdown();
        for (const one of parts) {
          ({ state } = appendMarkdown(state, one));
          openBlock(state);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("cuts no paragraph within emphasis or code", () => {
    const lines = "line\n".repeat(37);
    for (const [open, close] of [
      ["**", "**"],
      ["*", "*"],
      ["~~", "~~"],
      ["`", "`"],
      ["``", "``"],
    ]) {
      const blocks = streamed([`${lines}a ${open}first\nsecond\nthird\nfourth\nfifth${close} b\n${lines}`]);
      const spans = blocks.flatMap((block) => linesOf(block, 80)).flat();
      expect(spans.map((one) => one.text).join(" ")).not.toMatch(/[*~`]/u);
      expect(spans.find((one) => one.text.includes("fifth"))?.kind).not.toBe("plain");
      expect(blocks.length).toBeGreaterThan(1);
    }
  });

  it("shows code and tables with their controls escaped, and whole", () => {
    const evil = "\u001b[31m\u202e".repeat(6);
    for (const source of [`\`\`\`\n${evil}\n\`\`\``, `| a | b |\n|---|---|\n| ${evil} | x |\n`])
      for (const columns of [9, 20, 60]) {
        const lines = shown(source, columns);
        for (const line of lines.split("\n")) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
        const code = "\\u001b[31m\\u202e".repeat(6);
        expect(lines.replaceAll(/[│\s]/gu, "")).toContain(source.startsWith("|") ? "\\u001b" : code);
      }
  });

  it("shows an emoji as one, and escapes what joins nothing", () => {
    const emoji = "⚠\ufe0f 👩\u200d💻 👩🏽\u200d💻 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈";
    expect(shown(emoji)).toBe(emoji);
    expect(shown("a\ufe0f \u200d 1\ufe0f 👩\u200dx")).toBe("a\\ufe0f \\u200d 1\\ufe0f 👩\\u200dx");
  });

  it("shows each word of the text, and no table is wider than the window where its columns fit", () => {
    fc.assert(
      fc.property(source, fc.integer({ min: 1, max: 60 }), (text, columns) => {
        const wide = shown(text, 1_000);
        for (const word of ["word", "h", "q", "x"])
          expect(wide.split(word).length).toBeGreaterThanOrEqual(text.split(word).length);
        for (const part of streamed([text]).flat())
          if (part.kind === "table")
            for (const line of linesOf([part], columns))
              expect(cellsOf(line.map((span) => span.text).join(""))).toBeLessThanOrEqual(
                Math.max(columns, 20),
              );
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["code", `\`\`\`\n${"line\n".repeat(5_000)}`],
    ["a list", "- item\n".repeat(5_000)],
    ["a paragraph", "line\n".repeat(5_000)],
    ["one line", "line ".repeat(5_000)],
    ["code in a list", `- x\n  \`\`\`\n${"  line\n".repeat(5_000)}`],
    ["a list in an item", `- x\n${"  - item\n".repeat(5_000)}`],
    ["an item", `- x\n${"  line\n".repeat(5_000)}`],
    ["a table", `| a |\n|---|\n${"| b |\n".repeat(5_000)}`],
  ])("keeps little open of %s, however long", (_, text) => {
    const { state } = appendMarkdown(emptyMarkdown(), text);
    expect(state.chunks.lines.join("\n").length + state.chunks.rest.length).toBeLessThan(4_500);
    expect(shown(text).match(/line|item|\bb\b/gu)).toHaveLength(5_000);
  });
});

describe("the colours of code", () => {
  let highlight: Highlighter;
  beforeAll(async () => {
    highlight = await loadHighlighter();
  });

  it("change no letter of it, line by line", () => {
    const code = 'const a = "x"; // y\n/* b\nc */ return 1;\n';
    const lines = highlight(code, "ts") ?? [];
    expect(lines.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(code);
    expect(lines[0]?.find(({ text }) => text === "const")?.kind).toBe("keyword");
    expect(lines[2]?.[0]).toEqual({ kind: "comment", text: "c */" });
    expect(highlight(code, "nothing")).toBeUndefined();
    const [block] = streamed(["```ts\nconst a = 1;\n```\n"]);
    expect(block && linesOf(block, 80, highlight)[1]?.some(({ kind }) => kind === "keyword")).toBe(true);
  });
});
