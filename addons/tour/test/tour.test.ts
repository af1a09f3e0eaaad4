import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Addons, TourShell } from "../../../packages/cli/src/addons.js";
import { shellOfTour } from "../../../packages/cli/src/commands/tour.js";
import { makePaint, type Terminal } from "../../../packages/cli/src/shell/terminal.js";
import { Project, runHoldfast } from "../../../packages/cli/test/process.js";
import * as addon from "../src/index.js";
import type { Step } from "../src/run-steps.js";
import { tourSteps } from "../src/steps.js";

/** Compiles only while the add-on is what the command asks of it. */
const { playTour }: Pick<typeof addon, "playTour"> & Addons["tour"] = addon;

/** What the command lends the tour, with a terminal that keeps what is printed. */
function quietShell(isColoured = false): { readonly shell: TourShell; readonly printed: string[] } {
  const printed: string[] = [];
  const terminal: Terminal = {
    out: async (text) => void printed.push(String(text)),
    err() {},
    status() {},
    columns: () => undefined,
    outIsTerminal: false,
    errIsTerminal: false,
    errHasColor: false,
    outPaint: makePaint(isColoured),
    errPaint: makePaint(false),
  };
  const misuse = (message: string): never => {
    throw new Error(message);
  };
  const settings = { roots: [], json: false, allowProtected: [], inPlace: [] };
  return {
    shell: shellOfTour({ command: "tour", args: [], flags: {}, settings, terminal, misuse }),
    printed,
  };
}

describe("the tour as a process", () => {
  test("passes, says what it did, and leaves nothing behind", async () => {
    const temporary = new Project();
    const done = await runHoldfast(["tour"], { env: { TMPDIR: temporary.folder } });
    expect(done.stdout).not.toContain("✗");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout.match(/✓/g)?.length).toBeGreaterThanOrEqual(20);
    for (const code of ["applied", "state_mismatch", "missing_base", "ambiguous"]) {
      expect(done.stdout).toContain(`(${code})`);
    }
    expect(done.stdout).toContain("claude mcp add holdfast");
    expect(done.stdout).toContain("export ANTHROPIC_API_KEY");
    expect(done.stdout).not.toContain("\u001b");
    expect(readdirSync(temporary.folder)).toEqual([]);
  });

  test("says what is missing where there is no temporary folder", async () => {
    const done = await runHoldfast(["tour"], { env: { TMPDIR: "/nowhere/at/all" } });
    expect(done).toMatchObject({ code: 7, stdout: "" });
    expect(done.stderr).toContain("the tour needs a temporary folder; /nowhere/at/all");
  });
});

describe("a tour that does not behave as it says", () => {
  const cases: readonly { name: string; lie: Step }[] = [
    {
      name: "a claim that does not hold",
      lie: {
        title: "A lie",
        why: "It says what is not so.",
        act: async (stage) => stage.check("the moon is green", false),
      },
    },
    {
      name: "a step that breaks",
      lie: { title: "A break", why: "It throws.", act: async () => Promise.reject(new Error("broken")) },
    },
    {
      name: "a tool that answers otherwise than said",
      lie: {
        title: "A wish",
        why: "It wants a blind overwrite to pass.",
        act: async (stage) => {
          const blind = { name: "write_file", args: { file_path: "cart.ts", content: "blind" } };
          const { replies } = await stage.turn("Write.", [{ calls: [blind] }, { text: "Written." }]);
          stage.check("it was written", replies[0]?.success === true);
        },
      },
    },
    {
      name: "a turn that ends otherwise",
      lie: {
        title: "A story",
        why: "Its script waits for a prompt that never was.",
        act: async (stage) => {
          await stage.turn("Go on.", [{ expects: ["what nobody said"], text: "Gone." }]);
        },
      },
    },
    {
      name: "a command that is refused",
      lie: {
        title: "A way back",
        why: "It goes to a turn that is not there.",
        act: async (stage) => {
          await stage.command("/history rewind nowhere --files restore");
        },
      },
    },
  ];
  test.each(cases)("$name ends it with a code that is not 0", async ({ lie }) => {
    const { shell, printed } = quietShell();
    expect(await playTour(shell, [...tourSteps().slice(0, 2), lie])).toBe(1);
    expect(printed.join("")).toContain("✗");
    expect(printed.join("")).not.toContain("behaved as they say");
  });

  test("without the lie the very same steps pass, in colour where that is asked for", async () => {
    const { shell, printed } = quietShell(true);
    expect(await playTour(shell, tourSteps().slice(0, 2))).toBe(0);
    expect(printed.join("")).toContain("\u001b[32m✓\u001b[39m");
  });
});
