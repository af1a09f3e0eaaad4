import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exitCodes, type Terminal } from "../shell/index.js";
import { nextSteps } from "./next-steps.js";
import { withTools } from "./open-tools.js";
import { Printer } from "./printer.js";
import { runSteps, type Step } from "./run-steps.js";
import { Stage } from "./stage.js";
import { cart, file } from "./story.js";

/**
 * Plays the steps on a folder of their own, with a state folder of its own; both are gone afterwards.
 *
 * @returns the exit code: not 0 if any step did not behave as it says.
 */
export async function playTour(steps: readonly Step[], terminal: Terminal): Promise<number> {
  const home = makeHome();
  if (home === undefined) {
    terminal.err(
      `holdfast: the tour needs a temporary folder; ${tmpdir()} cannot be written to. Set TMPDIR.\n`,
    );
    return exitCodes.machine;
  }
  const clean = () => rmSync(home, { recursive: true, force: true });
  process.once("exit", clean);
  try {
    return await play(steps, terminal, home);
  } finally {
    clean();
    process.removeListener("exit", clean);
  }
}

function makeHome(): string | undefined {
  try {
    return mkdtempSync(join(realpathSync(tmpdir()), "holdfast-tour-"));
  } catch {
    return undefined;
  }
}

function play(steps: readonly Step[], terminal: Terminal, home: string): Promise<number> {
  const paint = terminal.outPaint;
  const printer = new Printer((text) => void terminal.out(text), paint);
  const folder = join(home, "project");
  return withTools(folder, join(home, "state"), terminal, async (talk) => {
    writeFileSync(join(folder, file), cart);
    printer.line(paint.bold("Holdfast: a model never changes a state that is not the real one."));
    printer.line(paint.dim(`Real tools on a real folder, ${folder}; hashes are shortened here.`));
    const allHeld = await runSteps(steps, new Stage(folder, talk, printer));
    printer.line();
    if (!allHeld) {
      printer.line(paint.red("The tour did not behave as it says: see the lines marked ✗."));
      return exitCodes.internal;
    }
    printer.line(paint.green(`All ${steps.length} steps behaved as they say.`));
    await terminal.out(nextSteps(programPath(), paint));
    return exitCodes.success;
  });
}

function programPath(): string {
  const [, program = "holdfast"] = process.argv;
  try {
    return realpathSync(program);
  } catch {
    return program;
  }
}
