import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operation, perform } from "./walks.js";
import { type Figures, World } from "./world.js";

/** `HOLDFAST_RUNS=5000` for a long run. */
const runs = Number(process.env.HOLDFAST_RUNS ?? 20);

describe("what a path of a conversation knows of files", () => {
  const figures: Figures = { truth: 0, known: 0, codes: new Map(), stubs: 0, broken: 0 };

  it(
    "was shown by its prompts or stood in its calls, and licenses nothing else",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(operation, { minLength: 5, maxLength: 40, size: "max" }),
          async (operations) => {
            const world = await World.begin(figures);
            for (const one of operations) {
              await perform(world, one);
              expect(world.problems).toEqual([]);
            }
          },
        ),
        {
          numRuns: runs,
          endOnFailure: true,
        },
      );
    },
    Math.max(120_000, runs * 2_000),
  );

  it("is spoken of instead of being shown again where it stands in the next prompt", () => {
    // The law above held for some; few of them lose later what they speak of.
    expect(figures.stubs).toBeGreaterThan(0);
    if (runs >= 1_000) expect(figures.broken).toBeGreaterThan(0);
  });

  it("is nearly all of what they really showed", () => {
    console.log(
      `known ${figures.known} of ${figures.truth} lines, ${figures.stubs} stubs, ${figures.broken} broken`,
      Object.fromEntries(figures.codes),
    );
    // Over a few conversations the share varies by more than it is short of all.
    expect(figures.known / figures.truth).toBeGreaterThanOrEqual(runs < 1_000 ? 0.95 : 0.98);
  });
});
