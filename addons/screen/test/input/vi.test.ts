import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EditorState, emptyEditor, withText } from "../../src/input/editor.js";
import type { Key } from "../../src/input/keys.js";
import { startVi, update, viWords } from "../../src/input/vi.js";

const keysOf = (words: string): readonly Key[] =>
  [...words.matchAll(/<([\w-]+)>|[^<]+/gsu)].map(
    ([all, chord]): Key => (chord === undefined ? { kind: "text", text: all } : { kind: "chord", chord }),
  );

/** Types the keys in normal mode, on a text whose cursor is where `|` stands. */
function type(text: string, keys: string): EditorState {
  const [before = "", after = ""] = text.split("|");
  const start = withText(emptyEditor([], { vi: { ...startVi, mode: "normal" } }), before + after);
  return keysOf(keys).reduce(update, { ...start, cursor: before.length, past: [] });
}

const shown = ({ text, cursor }: EditorState) => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

/** Each as vi itself does it. */
const cases: readonly (readonly [text: string, keys: string, result: string])[] = [
  ["one |two three", "dw", "one |three"],
  ["|one two three", "2dw", "|three"],
  ["|one two three", "d2w", "|three"],
  ["|one two", "cwx<escape>", "|x two"],
  ["one |two", "de", "one| "],
  ["a (b| c) d", "di(", "a (|) d"],
  ["a (b| c) d", "da(", "a | d"],
  ["f(g(x|), y)", "ci(z<escape>", "f(g(|z), y)"],
  ['say "he|llo" now', 'ci"x<escape>', 'say "|x" now'],
  ["one t|wo three", "diw", "one | three"],
  ["one t|wo three", "daw", "one |three"],
  ["a\n|b\nc", "dd", "a\n|c"],
  ["a\nb\n|c", "dd", "a\n|b"],
  ["|a\nb\nc", "2dd", "|c"],
  ["|a\nb", "yyp", "a\n|a\nb"],
  ["|a\nb", "ddp", "b\n|a"],
  ["a|b\nc", "ox<escape>", "ab\n|x\nc"],
  ["a|b\nc", "Ox<escape>", "|x\nab\nc"],
  ["|abc", "x", "|bc"],
  ["a|bc", "2x", "|a"],
  ["|abc", "xp", "b|ac"],
  ["a|bc", "rx", "a|xc"],
  ["|abc", "~", "A|bc"],
  ["one| two", "D", "on|e"],
  ["one| two", "Cx<escape>", "one|x"],
  ["  a |b", "Ix<escape>", "  |xa b"],
  ["a| b", "Ax<escape>", "a b|x"],
  ["|a-b c", "w", "a|-b c"],
  ["|a-b c", "W", "a-b |c"],
  ["one tw|o", "b", "one |two"],
  ["|one two", "e", "on|e two"],
  ["|one two", "ee", "one tw|o"],
  ["|a,b,c", "f,", "a|,b,c"],
  ["|a,b,c", "f,;", "a,b|,c"],
  ["|a,b,c", "dt,", "|,b,c"],
  ["a,b|,c", "dF,", "a|,c"],
  ["a|b\ncd", "j", "ab\nc|d"],
  ["a\nb\n|c", "gg", "|a\nb\nc"],
  ["|a\nb\nc", "G", "a\nb\n|c"],
  ["|a\nb\nc", "dG", "|"],
  ["one |two three", "ve", "one tw|o three"],
  ["one |two three", "ved", "one | three"],
  ["one |two three", "viwcx<escape>", "one |x three"],
  ["|one two", "dwu", "|one two"],
  ["|one two", "dwu<ctrl-r>", "|two"],
  ["|a b c d", "dw..", "|d"],
  ["|a b c", "cwx<escape>w.", "x |x c"],
  ["|ab", "J", "|ab"],
  ["a|b\ncd", "J", "ab| cd"],
  ["|a\nb", "yyjP", "a\n|a\nb"],
];

describe("the modes of vi", () => {
  it.each(cases)("%j and %s give %j", (text, keys, result) => {
    expect(shown(type(text, keys))).toBe(result);
  });

  it("send by Enter in any mode, and type again then", () => {
    const sent = type("|abc", "<enter>");
    expect(sent.wish).toEqual({ kind: "send", text: "abc" });
    expect(sent.vi?.mode).toBe("insert");
    expect([viWords(type("|abc", "2d")), viWords(type("|abc", "v"))]).toEqual(["NORMAL 2d", "VISUAL"]);
    expect(type("|abc", "<escape>").wish).toEqual({ kind: "escape" });
    expect(type("|abc", "2<escape>").wish).toBeUndefined();
  });

  it("keep the cursor in the text, whatever is typed, and undo to what was", () => {
    const letters = fc.constantFrom(...'hjklwWbBeE0^$gGfFtT;iaIAoOxsSDCYpPvJ~rduc.2("x\n');
    const key = fc.oneof(
      letters.map((text): Key => ({ kind: "text", text })),
      fc
        .constantFrom("escape", "ctrl-r", "left", "backspace")
        .map((chord): Key => ({ kind: "chord", chord })),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
        let state = type('ab (|c) "d"\nef', "");
        for (const one of keys) {
          state = update(state, one);
          expect(state.cursor).toBeGreaterThanOrEqual(0);
          expect(state.cursor).toBeLessThanOrEqual(state.text.length);
        }
        state = keysOf(`<escape><escape>${"u".repeat(100)}`).reduce(update, state);
        expect(state.text).toBe('ab (c) "d"\nef');
      }),
    );
  });
});

it("undoes word by word without them", () => {
  const state = keysOf("one two three").flatMap((key) =>
    key.kind === "text" ? Array.from(key.text, (text): Key => ({ kind: "text", text })) : [key],
  );
  const typed = state.reduce(update, emptyEditor());
  const back = (times: number) =>
    Array(times).fill({ kind: "chord", chord: "ctrl-_" }).reduce(update, typed).text;
  expect([back(1), back(2), back(3), back(9)]).toEqual(["one two ", "one ", "", ""]);
});
