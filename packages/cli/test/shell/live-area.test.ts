import { expect, it } from "vitest";
import { LiveArea } from "../../src/shell/live-area.js";
import { scripted } from "../agent/provided.js";
import { openWindow } from "../agent/tmux.js";

const row = (line: string, column = line.length) => ({ lines: [line], cursor: { row: 0, column } });
const rows = { lines: ["one", "> two", "  three"], cursor: { row: 1, column: 5 } };

const cases: readonly (readonly [what: string, draw: (area: LiveArea) => void, screen: string])[] = [
  [
    "a line goes on above",
    (area) => [area.print("abc"), area.draw(row("> x")), area.print("def\nghi")],
    "abcdef\nghi\n> x|",
  ],
  [
    "rows come and go",
    (area) => [area.print("a\nb"), area.draw(rows), area.draw(undefined), area.print("c")],
    "a\nbc|",
  ],
  [
    "the cursor stands in a row",
    (area) => [area.print("a\n"), area.draw(rows), area.print("b\n")],
    "a\nb\none\n> two|\n  three",
  ],
  [
    "a line that fills its row",
    (area) => [area.print("0123456789".repeat(2)), area.draw(row("> x")), area.print("next")],
    "01234567890123456789\nnext\n> x|",
  ],
  [
    "a line of wide letters, in colours, that is broken",
    (area) => [
      area.print("\u001b[31m日本語日本語日本語日\u001b[0m"),
      area.draw(row("> x")),
      area.print("本.\n"),
    ],
    "日本語日本語日本語日\n本.\n> x|",
  ],
  ["tabs", (area) => [area.print("a\tb"), area.draw(row("> x")), area.print("c")], "a       bc\n> x|"],
];

it.runIf(process.platform === "linux")("draws rows below the output and touches nothing above", async () => {
  const at = scripted([]);
  const window = openWindow(at, { columns: 20, rows: 12 });
  await window.until(/^\$$/m);
  for (const [what, draw, screen] of cases) {
    let bytes = "";
    const write = (text: string) => {
      bytes += text;
    };
    draw(new LiveArea(write, () => 20));
    at.project.put("bytes", `\u001b[H\u001b[2J${bytes}`);
    window.type("cat bytes; sleep 60");
    window.keys("Enter");
    const [words = "", rest = ""] = screen.split("|");
    await window.until(words + rest);
    const shown = words.split("\n");
    expect({ what, screen: window.screen(), cursor: window.cursor().row }).toEqual({
      what,
      screen: words + rest,
      cursor: shown.length - 1,
    });
    window.keys("C-c", "C-l");
    await window.until(/^\$$/m);
  }
});
