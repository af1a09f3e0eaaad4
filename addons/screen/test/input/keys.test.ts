import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyReader } from "../../src/input/keys.js";

/** Keys in one word each: letters as they are, pastes in brackets. */
function read(...chunks: readonly (string | Uint8Array)[]): readonly string[] {
  const reader = new KeyReader();
  const bytes = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  const keys = [...bytes.flatMap((chunk) => reader.take(chunk)), ...reader.flush()];
  return keys.map((key) =>
    key.kind === "chord" ? key.chord : key.kind === "paste" ? `[${key.text}]` : `"${key.text}"`,
  );
}

const cases: readonly (readonly [what: string, bytes: string, keys: readonly string[]])[] = [
  ["letters are one text", "hé日", ['"hé日"']],
  ["Return and line feed are two keys", "\r\n", ["enter", "ctrl-j"]],
  ["controls", "\u0001\u0003\u007f\u0008\t", ["ctrl-a", "ctrl-c", "backspace", "backspace", "tab"]],
  [
    "arrows of both modes",
    "\u001b[A\u001bOB\u001b[1;5C\u001b[1;3D",
    ["up", "down", "ctrl-right", "alt-left"],
  ],
  ["keys with numbers", "\u001b[3~\u001b[1~\u001b[4~\u001b[Z", ["delete", "home", "end", "shift-tab"]],
  [
    "Alt with a letter, Return, Backspace",
    "\u001bb\u001b\r\u001b\u007f",
    ["alt-b", "alt-enter", "alt-backspace"],
  ],
  ["Shift-Enter of kitty", "\u001b[13;2u", ["shift-enter"]],
  ["Ctrl-C of kitty, pressed and let go", "\u001b[99;5u\u001b[99;5:3u", ["ctrl-c"]],
  ["kitty with the lock of digits on", "\u001b[13;130u", ["shift-enter"]],
  ["Enter of kitty's keypad", "\u001b[57414u", ["enter"]],
  ["Shift-Enter and Ctrl-J of modifyOtherKeys", "\u001b[27;2;13~\u001b[27;5;106~", ["shift-enter", "ctrl-j"]],
  ["a letter with Shift of modifyOtherKeys", "\u001b[27;2;65~", ['"A"']],
  ["a paste with breaks and escapes", "\u001b[200~a\rb\u001b[A\u001b[201~c", ["[a\rb\u001b[A]", '"c"']],
  ["an empty paste", "\u001b[200~\u001b[201~", ["[]"]],
  ["a paste that never ends", "\u001b[200~abc", ["[abc]"]],
  ["answers of the terminal", "\u001b[?62;4c\u001b]11;rgb:0/0/0\u0007\u001bP>|x\u001b\\\u001b[?1ux", ['"x"']],
  ["Super", "\u001b[99;9u", []],
  ["Ctrl-C of a Cyrillic layout, with its place", "\u001b[1089::99;5u", ["ctrl-c"]],
  ["the same with Shift, which has a letter of its own", "\u001b[1089:1057:99;6u", ["ctrl-shift-c"]],
  ["the same with the lock of capitals", "\u001b[1089::99;69u", ["ctrl-c"]],
  ["the same let go", "\u001b[1089::99;5:3u", []],
  ["the same without its place", "\u001b[1089;5u\u001b[27;5;1057~", ["ctrl-c", "ctrl-c"]],
  [
    "Ctrl-C of Greek, Hebrew, Arabic, Korean",
    "\u001b[968;5u\u001b[1489;5u\u001b[1572;5u\u001b[12618;5u",
    Array(4).fill("ctrl-c"),
  ],
  [
    "Ctrl-O and Ctrl-G of Ukraine and Belarus",
    "\u001b[1097;5u\u001b[1118;5u\u001b[1087;5u",
    ["ctrl-o", "ctrl-o", "ctrl-g"],
  ],
  ["Alt of a Cyrillic layout, as letters", "\u001bи\u001bА", ["alt-b", "alt-f"]],
  [
    "Ctrl of a Latin layout, which has its own places",
    "\u001b[99::105;5u\u001b[97::113;5u",
    ["ctrl-c", "ctrl-a"],
  ],
  ["letters of a layout with their places", "\u001b[1089::99;1u\u001b[1089:1057:99;2u", ['"с"', '"С"']],
  ["sequences that nobody knows", "\u001b[15~\u001b[I\u001b[5;7Ry", ['"y"']],
  ["Escape alone, and twice", "\u001b\u001b", ["escape", "escape"]],
  ["a sequence that breaks off", "\u001b[1;", []],
];

describe("the reader of keys", () => {
  it.each(cases)("reads %s", (_, bytes, keys) => {
    expect(read(bytes)).toEqual(keys);
  });

  it("reads bytes that are no UTF-8 as U+FFFD, and a letter that is cut in two", () => {
    expect(read(new Uint8Array([0xff, 0x61]))).toEqual(['"\ufffda"']);
    expect(read(new Uint8Array([0xe6, 0x97]), new Uint8Array([0xa5]))).toEqual(['"日"']);
  });

  it("reads the same wherever a stream is cut", () => {
    const stream = fc.array(fc.constantFrom(...cases.slice(0, 14).map(([, bytes]) => bytes)), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(stream, fc.array(fc.nat(40), { maxLength: 8 }), (parts, cuts) => {
        const bytes = new TextEncoder().encode(parts.join(""));
        const ends = [...new Set(cuts)].sort((one, two) => one - two);
        const chunks = [0, ...ends].map((from, at) => bytes.slice(from, ends[at] ?? bytes.length));
        // Letters may come in several texts then.
        const plain = (words: readonly string[]) => words.join(" ").replaceAll('" "', "");
        expect(plain(read(...chunks))).toBe(plain(read(bytes)));
      }),
    );
  });

  it("takes a paste of 10 MB in the chunks of a terminal", () => {
    const reader = new KeyReader();
    const chunk = new TextEncoder().encode("0123456789abcde\r".repeat(4_096));
    const keys = [reader.take(new TextEncoder().encode("\u001b[200~"))].flat();
    for (let sent = 0; sent < 160; sent += 1) keys.push(...reader.take(chunk));
    keys.push(...reader.take(new TextEncoder().encode("\u001b[201~")));
    expect(keys.map((key) => (key.kind === "paste" ? key.text.length : key))).toEqual([160 * chunk.length]);
  });
});
