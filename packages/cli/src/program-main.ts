import { commandSpecs } from "./command-table.js";
import { loaders, runProgram } from "./program.js";

/** Every command in one file: to find, link and compile its chunks was a fifth of what a call cost. */
export function runCommand(args: readonly string[]): Promise<number> {
  return runProgram(args, { specs: commandSpecs, loaders });
}
