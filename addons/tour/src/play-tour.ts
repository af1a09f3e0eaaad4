import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nextSteps } from "./next-steps.js";
import { Printer } from "./printer.js";
import { runSteps, type Step } from "./run-steps.js";
import type { TourShell } from "./shell.js";
import { Stage, TourPerson } from "./stage.js";
import { tourSteps } from "./steps.js";
import { files } from "./story.js";
import { TourModel } from "./tour-model.js";

/**
 * Plays the steps on a folder of their own, with a state folder of its own; both are gone afterwards.
 *
 * @returns the exit code: not 0 if any step did not behave as it says.
 */
export async function playTour(shell: TourShell, steps: readonly Step[] = tourSteps()): Promise<number> {
  const { terminal, exitCodes } = shell;
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
    return await play(steps, shell, home);
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

async function play(steps: readonly Step[], shell: TourShell, home: string): Promise<number> {
  const { terminal, exitCodes } = shell;
  const paint = terminal.outPaint;
  const printer = new Printer(terminal.outPaint);
  const show = () => terminal.out(printer.take());
  const folder = join(home, "project");
  const model = new TourModel();
  const person = new TourPerson(printer);
  const parts = { folder, stateDir: join(home, "state"), model: model.port, ask: person.ask };
  const run = await shell.open(parts);
  if (run.kind === "no_run") {
    terminal.err(`holdfast: the tour cannot begin: ${run.lines.join(" ")}\n`);
    return exitCodes.machine;
  }
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    printer.line(paint.bold("Holdfast: a model never changes a state that is not the real one."));
    printer.line(
      paint.dim("The agent itself, on a real folder; only the model is a script, so it needs no key and"),
    );
    printer.line(paint.dim(`no network. The folder is ${folder}; hashes are shortened here.`));
    const allHeld = await runSteps(steps, new Stage({ folder, run, model, person, printer }), show);
    printer.line();
    if (allHeld) printer.line(paint.green(`All ${steps.length} steps behaved as they say.`));
    else printer.line(paint.red("The tour did not behave as it says: see the lines marked ✗."));
    await show();
    if (!allHeld) return exitCodes.internal;
  } finally {
    await run.close();
  }
  await terminal.out(nextSteps(programPath(), paint));
  return exitCodes.success;
}

function programPath(): string {
  const [, program = "holdfast"] = process.argv;
  try {
    return realpathSync(program);
  } catch {
    return program;
  }
}
