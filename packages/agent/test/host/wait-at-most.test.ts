import { expect, it } from "vitest";
import { waitAtMost } from "../../src/host/processes.js";

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

it("leaves no timer behind, which would keep a program from ending", async () => {
  const before = timers();
  await waitAtMost(Promise.resolve(), 60_000);
  expect(timers()).toBe(before);
});

it("waits no longer than it is told to", async () => {
  await waitAtMost(new Promise(() => {}), 5);
});
