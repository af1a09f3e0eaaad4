import { commandSpecs } from "./command-table.js";
import { isForAgent, runProgram } from "./program.js";

/**
 * `holdfast agent` and all that means it, with a bundle of its own: to find, load and compile two hundred chunks was a
 * third of what a short run cost.
 *
 * @returns undefined for what is another command's.
 */
export async function runAgent(args: readonly string[]): Promise<number | undefined> {
  if (!isForAgent(args, commandSpecs)) return undefined;
  const loaders = { agent: async () => (await import("./commands/agent.js")).agentCommand };
  return runProgram(args, { specs: commandSpecs, loaders });
}
