import fc from "fast-check";
import { expect, it } from "vitest";
import { span } from "../../../../packages/agent/src/ui/lines/spans.js";
import type { Key } from "../../src/input/keys.js";
import type { Modal, ModalStep } from "../../src/screen/modal.js";
import { pager } from "../../src/screen/pager.js";

const size = { columns: 20, rows: 6 };
const text = (title: string, count: number) => ({
  title: [span(title)],
  lines: Array.from({ length: count }, (_, at) => [span(`${title} line ${at}`)]),
});
const chords = ["up", "down", "pagedown", "pageup", "home", "end", "enter", "backspace"];

function pressed(modal: Modal, keys: string): Modal | undefined {
  let shown: Modal | undefined = modal;
  for (const name of keys.split(/ (?=.)/u)) {
    const key: Key = name.length > 1 ? { kind: "chord", chord: name } : { kind: "text", text: name };
    const step: ModalStep | undefined = shown?.update(key, size);
    shown = step?.kind === "shown" ? step.modal : undefined;
  }
  return shown;
}

const rowsOf = (modal: Modal | undefined) =>
  modal?.view(size).map((line) => line.map((one) => one.text).join(""));

it.each([
  ["down", ["b", "b line 1", "b line 4"]],
  ["end", ["b", "b line 16", "b line 19"]],
  ["[", ["a", "a line 0", "a line 2"]],
  ["/ 1 5 enter", ["b", "b line 15", "b line 18"]],
  ["/ 1 enter n n", ["b", "b line 11", "b line 14"]],
])("shows after %s the right rows", (keys, [title, first, last]) => {
  const rows = rowsOf(pressed(pager([text("a", 3), text("b", 20)]), keys));
  expect(rows?.slice(0, 2)).toEqual([title, first]);
  expect(
    rows
      ?.slice(0, -1)
      .filter((row) => row !== "")
      .at(-1),
  ).toBe(last);
});

it.each(["q", "escape", "ctrl-c", "ctrl-o"])("closes for %s", (key) => {
  expect(pressed(pager([text("a", 3)]), key)).toBeUndefined();
});

it("fits into any window, whatever is pressed", () => {
  const key = fc.oneof(
    fc.constantFrom(...chords).map((chord): Key => ({ kind: "chord", chord })),
    fc
      .constantFrom("/", "n", "N", "[", "]", "g", "G", "b", " ", "1")
      .map((letter): Key => ({ kind: "text", text: letter })),
  );
  const windows = fc.record({
    columns: fc.integer({ min: 1, max: 30 }),
    rows: fc.integer({ min: 1, max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(key, windows)), (presses) => {
      let modal = pager([text("a", 3), text("b", 40)]);
      for (const [one, window] of presses) {
        const step = modal.update(one, window);
        if (step.kind !== "shown") return;
        modal = step.modal;
        expect(modal.view(window)).toHaveLength(Math.min(window.rows, Math.max(3, window.rows)));
      }
    }),
  );
});
