import fc from "fast-check";
import { expect, it } from "vitest";
import type { AgentEvent } from "../../../../packages/agent/src/loop/turn.js";
import { betweenWords } from "../../../../packages/agent/src/ui/lines/between-words.js";
import { elastic, span, themes } from "../../../../packages/agent/src/ui/lines/spans.js";
import { ended } from "../../../../packages/agent/test/ui/linear/shown.js";
import { emptyEditor } from "../../src/input/editor.js";
import { frame, noTail, nothingStands } from "../../src/screen/frame.js";
import { committedTexts } from "../../src/screen/rows.js";
import { screenState, updateScreen } from "../../src/screen/update.js";
import { viewScreen } from "../../src/screen/view.js";
import { Oracle } from "./oracle.js";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A part of what is said: what the model or a tool sends, and texts that have to be found of it, in their order. */
interface Said {
  readonly event: AgentEvent;
  readonly found: readonly string[];
  /** Signs of one cell of a table each, which other cells stand between. */
  readonly cells?: readonly string[];
}

const size: fc.Arbitrary<Size> = fc.record({
  columns: fc.integer({ min: 8, max: 70 }),
  rows: fc.integer({ min: 6, max: 24 }),
});
const word = fc.constantFrom(
  "word",
  "it",
  "sentence.",
  "日本語",
  "한국어",
  "é",
  "e\u0301",
  "🙂",
  "🏳️",
  "שלום",
  "constituency",
  "https://example.com/a/long/path",
  "y".repeat(90),
);
const words = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 14 }), fc.nat({ max: 9 }))
  .map(([all, at]) => (at > 0 ? all : [...all, "👩‍👩‍👧"]));
const said = (source: string, found: readonly string[], cells?: readonly string[]): Said => ({
  event: { kind: "model", event: { kind: "text-delta", text: source } },
  found,
  ...(cells === undefined ? {} : { cells }),
});

const paragraph = words.map((all) => said(`${all.join(" ")}\n\n`, [all.join("")]));
const coded = words.map((all) => said(`say \`x ${all.join(" ")} x\` it\n\n`, [`sayx${all.join("")}xit`]));
const list = fc.array(words, { minLength: 1, maxLength: 4 }).map((items) =>
  said(
    `${items.map((all) => `- ${all.join(" ")}\n`).join("")}\n`,
    items.map((all) => all.join("")),
  ),
);
const codeLines = fc.array(words, { minLength: 1, maxLength: 45 });
const code = fc
  .tuple(
    codeLines,
    fc.constantFrom("", "ts", "diff"),
    fc.constantFrom("", "> "),
    fc.constantFrom("  ", "+", "-"),
  )
  .map(([lines, language, lead, sign]) => {
    const all = [`\`\`\`${language}`, ...lines.map((one) => `${sign}${one.join("  ")}`), "```", ""];
    const source = all.map((line) => `${lead}${line}\n`).join("");
    return said(
      `${source}\n`,
      lines.map((one) => sign.trim() + one.join("")),
    );
  });
/** Each cell has signs of its own, so that they are known where the lines of cells stand beside each other. */
const cellSigns = ["abcdefgh", "ijklmnop", "日本語説明文長", "qrstuvwx", "ABCDEFGH", "IJKLMNOP"];
const table = fc.array(fc.nat({ max: 90 }), { minLength: 6, maxLength: 6 }).map((lengths) => {
  const cells = cellSigns.map((signs, at) => {
    const all = Array.from(signs.repeat(20)).slice(0, lengths[at]);
    return all
      .map((sign, index) => (index % 9 === 8 ? `${sign} ` : sign))
      .join("")
      .trim();
  });
  const [a, b, c, d, e, f] = cells;
  const source = `| ${a} | ${b} |\n|---|--:|\n| ${c} | ${d} |\n| ${e} | ${f} |\n\n`;
  return said(
    source,
    [],
    cells.map((cell) => cell.replaceAll(" ", "")),
  );
});
const output = fc.array(words, { minLength: 1, maxLength: 4 }).map((lines): Said => {
  const lastLines = lines.map((one) => one.join(" "));
  const end = { kind: "exited", exitCode: 0, seconds: 1 } as const;
  const run = { program: { id: "c", lastLines, end } };
  const call = {
    callId: "c",
    name: "run_shell_command",
    args: { command: "ls" },
    code: "ok",
    isError: false,
  };
  return {
    // A cast: of what was run, what is shown.
    event: { kind: "call_ended", call: { ...call, text: "", run } } as unknown as AgentEvent,
    found: lines.map((one) => one.join("")),
  };
});
const notice = words.map(
  (all): Said => ({
    event: { kind: "noticed", text: all.join(" ") },
    found: [all.join("")],
  }),
);
const part = fc.oneof(paragraph, paragraph, coded, list, code, table, output, notice);

/** The signs of one cell, in their order. */
const signsOf = (drawn: string, cell: number) =>
  Array.from(drawn)
    .filter((sign) => cellSigns[cell]?.includes(sign))
    .join("");

const dense = (text: string) => text.replaceAll(/\s+/gu, "");

/** Plays what is said on a terminal, in deltas of a few letters, with other windows meanwhile. */
async function played(
  parts: readonly Said[],
  first: Size,
  sizes: ReadonlyMap<number, Size>,
  theme = themes.ansi,
) {
  let window = first;
  const oracle = new Oracle(window);
  let [standing, state] = [nothingStands(window), screenState(0)];
  const input = { editor: emptyEditor(), label: "", isQuestion: false, waiting: [] };
  const take = async (event: AgentEvent, isLast = false) => {
    const step = updateScreen(state, event, 0);
    state = step.state;
    const commit = committedTexts(step.commit, window.columns, theme);
    const tail = isLast
      ? noTail
      : viewScreen({ turn: state, input, status: undefined, nowMs: 0 }, window, theme);
    const next = frame(standing, { commit, tail, size: window });
    standing = next.standing;
    await oracle.write(next.bytes);
  };
  for (const [at, { event }] of parts.entries()) {
    window = sizes.get(at) ?? window;
    oracle.resize(window);
    if (event.kind === "model" && event.event.kind === "text-delta")
      for (const piece of event.event.text.match(/[\s\S]{1,150}/gu) ?? [])
        await take({ kind: "model", event: { kind: "text-delta", text: piece } });
    else await take(event);
  }
  await take({ kind: "turn_ended", end: ended }, true);
  return oracle;
}

it("leaves every letter of what was said in the scrollback and on the screen, in its order", async () => {
  const parts = fc.array(fc.tuple(part, fc.option(size, { freq: 6 })), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(parts, size, async (all, first) => {
      // The terminal of the test loses letters of joined emoji where it breaks its lines anew.
      const isJoined = JSON.stringify(all).includes("\u200d");
      const others = all.flatMap(([, other], at) =>
        other === null || isJoined ? [] : [[at, other] as const],
      );
      const sizes = new Map(others);
      const oracle = await played(
        all.map(([one]) => one),
        first,
        sizes,
      );
      const shown = dense(oracle.lines().join(""));
      let from = 0;
      for (const [{ found, cells = [] }] of all) {
        for (const text of found) {
          const at = shown.indexOf(dense(text), from);
          expect(at === -1 ? `${text} is not in ${shown.slice(from)}` : "").toBe("");
          from = at + dense(text).length;
        }
        if (cells.length === 0) continue;
        // In a window that became another one a table may stand twice, as far as it was drawn by then.
        const ends = [...shown.slice(from).matchAll(/┌[^┌┘]*┘/gu)].map(
          (found) => [found[0], found.index] as const,
        );
        const whole = ends.find(([drawn]) => cells.every((text, at) => signsOf(drawn, at) === text));
        expect(whole === undefined ? `${cells.join(" ")} is not in ${shown.slice(from)}` : "").toBe("");
        from += (whole?.[1] ?? 0) + (whole?.[0].length ?? 0);
      }
    }),
    { numRuns: 80 },
  );
});

it("breaks prose between words, in one line of the terminal's, and data wherever the window ends", async () => {
  const short = fc.constantFrom("word", "it", "a", "sentence.", "constitution", "é");
  const prose = fc.array(short, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(prose, fc.integer({ min: 24, max: 60 }), async (all, columns) => {
      const text = all.join(" ");
      const oracle = await played([said(`${text}\n\n`, [])], { columns, rows: 30 }, new Map(), themes.mono);
      const [line = ""] = oracle.lines();
      expect(line.replaceAll(/ +/gu, " ")).toBe(text);
      const rows = oracle.rows().slice(0, Math.ceil(line.length / columns));
      expect(rows.flatMap((row) => row.trim().split(/ +/u)).filter((one) => one !== "")).toEqual(all);
      for (const row of rows) expect(row).not.toMatch(/^ /u);
      const code = await played([said(`\`\`\`\n${text}\n\`\`\`\n`, [])], { columns, rows: 30 }, new Map());
      expect(code.lines()[1]).toBe(text);
      const inline = await played([said(`\`${text}\`\n`, [])], { columns, rows: 30 }, new Map());
      if (text.length > 24) expect(inline.lines()[0]).toBe(text);
    }),
    { numRuns: 100 },
  );
});

it.each([
  ["a word to the next row", [span("one two")], 5, "one  two"],
  ["nothing where a row just holds its words", [span("one two")], 7, "one two"],
  ["a word with all its colours", [span("a "), span("b", "strong"), span("cd e")], 4, "a   bcd e"],
  ["no data", [span("ls "), elastic("a bc def")], 5, "ls a bc def"],
  ["no code", [span("see "), span("a b c d", "code")], 6, "see a b c d"],
  ["no word that is longer than a row", [span("one twenties")], 7, "one twenties"],
  ["no script that is broken anywhere", [span("ab 日本")], 6, "ab 日本"],
])("moves %s", (_, line, columns, text) => {
  expect(
    betweenWords(line, columns)
      .map((one) => one.text)
      .join(""),
  ).toBe(text);
});
