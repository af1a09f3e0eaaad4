import { expect, it } from "vitest";
import { killedAtCalls } from "../../../../proof/turns/killed.mjs";

/** `npm run proof -- turns` kills at sixty calls, and two hundred times at random. */
it.runIf(process.platform === "linux")(
  "an agent that is killed at a call of the disk goes on from there: nothing is lost, nothing is written twice",
  async ({ skip }) => {
    const { tried, bad, notHad } = await killedAtCalls(1, console.log);
    if (notHad !== undefined && process.env.CI === undefined) skip(notHad);
    expect(tried).toBe(1);
    expect(Object.entries(bad).filter(([, count]) => count > 0)).toEqual([]);
  },
);
