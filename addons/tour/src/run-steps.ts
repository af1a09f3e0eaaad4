import type { Stage } from "./stage.js";

/** One scene of the tour. It plays for real, and whatever it says about the outcome is checked. */
export interface Step {
  readonly title: string;
  readonly why: string;
  readonly act: (stage: Stage) => Promise<void>;
}

/**
 * Plays the steps in order. A step that throws has failed, and what follows it would stand on nothing.
 *
 * @param afterEach lets the reader see what was played so far.
 * @returns whether every claim of every step held.
 */
export async function runSteps(
  steps: readonly Step[],
  stage: Stage,
  afterEach: () => Promise<void>,
): Promise<boolean> {
  for (const [at, step] of steps.entries()) {
    stage.begin(at + 1, step.title, step.why);
    try {
      await step.act(stage);
    } catch (error) {
      stage.check(`the step broke: ${error instanceof Error ? error.message : String(error)}`, false);
      return false;
    } finally {
      await afterEach();
    }
  }
  return stage.failures === 0;
}
