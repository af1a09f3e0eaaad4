import { expect, test } from "vitest";
import { describeShown, describeShownInSteps } from "../../../src/patch/index.js";

const lineCount = 100_000;
const lines = Array.from({ length: lineCount }, (_, at) => `line ${at} of the file\n`);
const before = lines.join("");
const after = lines.map((line, at) => (at % 10_000 === 5 ? `changed ${line}` : line)).join("");
/** So that no machine is too slow for the whole comparison. */
const options = { context: 1, maxLines: 1_000, limitMs: 600_000 };

test("a large difference is described in many steps, and as at once", () => {
  let steps = 0;
  const work = describeShownInSteps(before, after, options);
  for (;;) {
    const step = work.next();
    if (step.done !== true) {
      steps += 1;
      continue;
    }
    expect(step.value).toEqual(describeShown(before, after, options));
    expect(step.value.isWhole).toBe(true);
    expect(step.value.lines).toHaveLength(10);
    break;
  }
  expect(steps).toBeGreaterThan(20);
});
