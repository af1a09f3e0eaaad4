import fc from "fast-check";
import { expect, it } from "vitest";
import { readArguments, readTyped } from "../../../../packages/agent/src/slash/run-command.js";
import { cellsOf } from "../../../../packages/agent/src/ui/lines/cells.js";
import { operation, World } from "../../../../packages/core/test/conversation/operations.js";
import type { Key } from "../../src/input/keys.js";
import { treeModal } from "../../src/windows/tree-modal.js";
import { text } from "./pressed.js";

const chords = "up down left right pageup pagedown home end enter backspace escape ctrl-c tab".split(" ");
const letters = [..."kjgGt/nN.rRefFuhlLdqx ", "lé", "a\u0301", "👩‍👩‍👧", "日本", '"', "\\", "--x"];
const key: fc.Arbitrary<Key> = fc.oneof(
  fc.constantFrom(...chords).map((chord): Key => ({ kind: "chord", chord })),
  fc.constantFrom(...letters).map((typed): Key => ({ kind: "text", text: typed })),
  fc
    .constantFrom("a\nb", "\u001b[2J", "\u202e", " \t ")
    .map((pasted): Key => ({ kind: "paste", text: pasted })),
);
const window = fc.record({
  columns: fc.integer({ min: 1, max: 100 }),
  rows: fc.integer({ min: 1, max: 12 }),
});
const choices = ["restore", "keep"].map((word) => ({
  word,
  says: word,
  line: `/history rewind --files ${word}`,
}));

it("fits into any window and gives commands that can be read, whatever tree it is and whatever is pressed", async () => {
  const fits = async (world: World, keys: readonly (readonly [Key, { columns: number; rows: number }])[]) => {
    let modal = treeModal({
      context: world.manager.context,
      plan: async (move) => ({
        kind: "question",
        message: move,
        text: "日本.ts: put back\nb: stays",
        choices,
      }),
      compare: async () => [],
      whole: () => [],
    });
    for (const [pressed, size] of keys) {
      const step = modal.update(pressed, size);
      if (step.kind === "closed") {
        const typed = readTyped(step.line ?? "/help");
        if (typed.kind !== "command") throw new Error(`no command: ${step.line}`);
        expect([step.line, readArguments(typed.command, typed.words).kind]).toEqual([step.line, "given"]);
        continue;
      }
      const next = step.wish === undefined ? step.modal : await step.wish();
      const lines = text(next.view(size));
      // A page fits by tests of its own.
      if (["A turn", "Two branches"].includes(text(next.view({ columns: 80, rows: 24 }))[0] ?? "")) continue;
      modal = next;
      expect(lines.length).toBeLessThanOrEqual(size.rows);
      for (const line of lines) {
        expect(cellsOf(line)).toBeLessThan(size.columns);
        expect(line).not.toMatch(/\p{Cc}/u);
      }
    }
  };
  const some = { maxLength: 60, size: "max" } as const;
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, some),
      fc.array(fc.tuple(key, window), some),
      async (operations, keys) => {
        const world = new World();
        for (const one of operations) await world.perform(one);
        await fits(world, keys);
      },
    ),
    { numRuns: 50 },
  );
});
