import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cellsOf } from "../../../../packages/agent/src/ui/lines/cells.js";
import { type EditorState, emptyEditor, replaced, textOf, withText } from "../../src/input/editor.js";
import type { Key } from "../../src/input/keys.js";
import { update } from "../../src/input/vi.js";
import { sentWords, view } from "../../src/input/view.js";

/** `<ctrl-a>` is a chord, `{…}` a paste, all else letters. */
function keysOf(words: string): readonly Key[] {
  return [...words.matchAll(/<([\w-]+)>|\{([^}]*)\}|[^<{]+/gsu)].map(([all, chord, paste]): Key => {
    if (chord !== undefined) return { kind: "chord", chord };
    return paste === undefined ? { kind: "text", text: all } : { kind: "paste", text: paste };
  });
}

const type = (words: string, state = emptyEditor(["one", "two\nlines", "three"])): EditorState =>
  keysOf(words).reduce(update, state);

/** The text with `|` where the cursor stands. */
const shown = ({ text, cursor }: EditorState) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

const cases: readonly (readonly [what: string, keys: string, text: string])[] = [
  ["a paste of lines is one text", "{a\r\nb\rc\nd}", "a\nb\nc\nd|"],
  ["keys that break the line", "a\\<enter>b<ctrl-j>c<alt-enter>d<shift-enter>e", "a\nb\nc\nd\ne|"],
  ["an empty Enter does nothing", "<enter> <enter>", " |"],
  ["graphemes are whole", "a👩‍💻é<left><left>x<right><backspace>", "ax|é"],
  ["words", "one two.three<alt-b><alt-b>x<ctrl-right>y", "one xtwoy|.three"],
  ["the ends of a line", "ab<ctrl-j>cd<home>x<up><end>y<ctrl-a>z", "z|aby\nxcd"],
  ["the ends of a line that follows an empty one", "<ctrl-j>a<up><ctrl-u>x", "x|\na"],
  ["deleting words, lines, and Ctrl-Y", "one two<ctrl-w><ctrl-u>x<ctrl-y>", "xone |"],
  ["deleting forward", "abc<home><delete><ctrl-d><ctrl-k>", "|"],
  ["Ctrl-C clears, and Ctrl-Y has it back", "half a line<ctrl-c><ctrl-y>", "half a line|"],
  ["history upward and down again", "draft<up><up><ctrl-p><down><down><down>", "draft|"],
  ["history within lines of its own", "<up><up>", "two\nlines|"],
  ["a search in the history", "<ctrl-r>t<ctrl-r><escape>", "two\nlines|"],
  ["a search that is given up", "abc<ctrl-r>one<ctrl-c>", "abc|"],
  ["a search of what is nowhere", "abc<ctrl-r>zzz<enter>", "abc|"],
  ["a key that means nothing", "a<ctrl-alt-x><f7>b", "ab|"],
];

describe("the editor", () => {
  it.each(cases)("%s", (_, keys, text) => {
    expect(shown(type(keys))).toBe(text);
  });

  it("asks for what it cannot do itself, once", () => {
    const wishes = ["interrupt", "leave", "suspend", "edit", "complete", "escape", "redraw"];
    const keys = ["ctrl-c", "ctrl-d", "ctrl-z", "ctrl-g", "tab", "escape", "ctrl-l"];
    expect(keys.map((key) => type(`<${key}>`).wish?.kind)).toEqual(wishes);
    expect(type("<tab>x").wish).toBeUndefined();
    expect(type("<ctrl-r>wo<enter>").wish).toEqual({ kind: "send", text: "two\nlines" });
  });

  it("finds capitals by a search without them, not the other way round", () => {
    const state = emptyEditor(["In Rome", "by rome", "at home"]);
    expect(type("<ctrl-r>rome<ctrl-r><escape>", state).text).toBe("In Rome");
    expect(type("<ctrl-r>Rome<escape>", state).text).toBe("In Rome");
    expect(type("<ctrl-r>In rome<enter>", state).text).toBe("");
  });

  it("takes back a text that an editor wrote, or a name that was completed, and no more", () => {
    const typed = type("the end");
    expect(type("<ctrl-_>", withText(typed, "another end")).text).toBe("the end");
    expect(type(" more<ctrl-_>", withText(typed, "the end")).text).toBe("the end");
    expect(type("<ctrl-_>", replaced(typed, 4, "ending")).text).toBe("the end");
  });

  it("sends, and keeps what was sent", () => {
    const after = type("hello<enter>");
    expect(after).toMatchObject({ text: "", wish: { kind: "send", text: "hello" } });
    expect(type("<up>", after).text).toBe("hello");
    const busy = type("later<alt-enter>", { ...emptyEditor(), isBusy: true });
    expect(busy.wish).toEqual({ kind: "queue", text: "later" });
    expect(type("<enter>", emptyEditor([], { maySendNothing: true })).wish).toEqual({
      kind: "send",
      text: "",
    });
  });

  it("folds a long paste into one unit, and sends it whole", () => {
    const long = "line\n".repeat(39);
    const state = type(`see {${long}}!`);
    expect(view(state, { columns: 80, rows: 5, label: "> " }).lines).toEqual(["> see [paste, 40 lines]!"]);
    expect(sentWords(state, "> ")).toBe("> see [paste, 40 lines]!");
    expect(textOf(state)).toBe(`see ${long}!`);
    expect(type("<left><backspace>", state).text).toBe("see !");
    const chars = type(`{${"x".repeat(12_345)}}`);
    expect(view(chars, { columns: 80, rows: 5, label: "" }).lines).toEqual(["[paste, 12,345 characters]"]);
    expect(type("<up>", type("<enter>", chars)).text).toHaveLength(2);
    const odd = "a\u{100000}b";
    expect(textOf(type(`{${long}}{${odd}}`))).toBe(long + odd);
  });

  it("shows a secret nowhere", () => {
    const state = type("hunter2", emptyEditor([], { isSecret: true }));
    expect(view(state, { columns: 80, rows: 5, label: "Key: " }).lines).toEqual(["Key: "]);
    expect(sentWords(state, "Key: ")).toBe("Key: ");
  });

  it("shows controls escaped, wide letters whole, and a text that is taller than its window around the cursor", () => {
    const window = { columns: 9, rows: 2, label: "> " };
    expect(view(withText(emptyEditor(), "a\u001b[2Jb"), { ...window, columns: 40 }).lines).toEqual([
      "> a\\u001b[2Jb",
    ]);
    expect(view(withText(emptyEditor(), "日本語の文"), window)).toEqual({
      lines: ["> 日本語", "  の文"],
      cursor: { row: 1, column: 6 },
    });
    expect(view(withText(emptyEditor(), "1\n2\n3\n4"), window).lines).toEqual(["  3", "  4"]);
    expect(view(withText(emptyEditor(), "日"), { columns: 1, rows: 1, label: "> " }).lines).toEqual(["…"]);
  });

  it("replaces what is completed", () => {
    expect(shown(replaced(type("say /his<left>"), 4, "/history "))).toBe("say /history |s");
  });

  it("keeps the cursor where the text before it ends, whatever is typed, at any width", () => {
    const letters = fc.constantFrom(
      "a",
      " ",
      "日",
      "👩‍💻",
      "é",
      "e\u0301",
      "\u0301",
      "\u200d",
      "\u001b",
      "🇩🇪",
      "\t",
      "한",
    );
    const key = fc.oneof(
      letters.map((text): Key => ({ kind: "text", text })),
      fc
        .constantFrom(
          ...[
            "left",
            "right",
            "up",
            "down",
            "home",
            "end",
            "backspace",
            "delete",
            "ctrl-j",
            "ctrl-w",
            "ctrl-y",
            "alt-b",
          ],
          ...["alt-f", "ctrl-k", "ctrl-u", "enter", "ctrl-r", "escape"],
        )
        .map((chord): Key => ({ kind: "chord", chord })),
      fc.array(letters).map((parts): Key => ({ kind: "paste", text: parts.join("") })),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (keys, columns) => {
        const state = keys.reduce(update, emptyEditor(["日本", "a\nb"]));
        const window = { columns, rows: 1_000, label: "> " };
        const { lines, cursor } = view(state, window);
        for (const line of lines) expect(cellsOf(line)).toBeLessThanOrEqual(Math.max(1, columns - 1));
        if (state.search !== undefined) return;
        const before = view({ ...state, text: state.text.slice(0, state.cursor) }, window);
        expect(cursor).toEqual({ row: before.lines.length - 1, column: cellsOf(before.lines.at(-1) ?? "") });
        expect(lines[cursor.row]?.startsWith(before.lines.at(-1) ?? "")).toBe(true);
        expect(Math.max(cursor.row, ...lines.map((_, row) => row))).toBe(lines.length - 1);
      }),
      { numRuns: 300 },
    );
  });
});
