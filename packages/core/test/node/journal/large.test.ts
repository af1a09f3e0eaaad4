import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readWholeSlices } from "../../../src/node/journal/paths.js";
import { freshFolder } from "../support.js";

function taken(path: string) {
  const work = readWholeSlices(path);
  for (let slices = 0; ; slices++) {
    const step = work.next();
    if (step.done === true) return { slices, bytes: step.value };
  }
}

it("a large journal is read in slices, and one that is not there is told", () => {
  const path = join(freshFolder(), "s.jsonl");
  expect(taken(path).bytes).toBeUndefined();
  const bytes = Buffer.alloc(5 * 1024 * 1024, "a line of a journal\n");
  writeFileSync(path, bytes);
  const read = taken(path);
  expect(bytes.equals(read.bytes ?? Buffer.of())).toBe(true);
  expect(read.slices).toBe(5);
});
