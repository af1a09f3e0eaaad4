import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { finishOnceBegun, watchInterrupts } from "../../src/shell/interrupt.js";

const before = process.listeners("SIGINT");
// The process that runs the tests must outlive them: what would end it is only noted.
const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);

beforeEach(() => {
  exit.mockClear();
  watchInterrupts();
});

afterEach(() => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) {
    for (const listener of process.listeners(signal)) {
      if (!before.includes(listener)) process.removeListener(signal, listener);
    }
  }
});

test("Ctrl-C ends a command at once while nothing is being written", () => {
  process.emit("SIGINT");
  expect(exit.mock.calls).toEqual([[130]]);
});

test("a write that has begun is finished first; the second Ctrl-C is obeyed", async () => {
  await finishOnceBegun(async () => {
    process.emit("SIGINT");
    expect(exit).not.toHaveBeenCalled();
    process.emit("SIGINT");
    expect(exit.mock.calls).toEqual([[130]]);
  });
});

test("after a write that failed Ctrl-C ends the command again", async () => {
  await expect(finishOnceBegun(() => Promise.reject(new Error("broken disk")))).rejects.toThrow(
    "broken disk",
  );
  process.emit("SIGINT");
  expect(exit.mock.calls).toEqual([[130]]);
});
