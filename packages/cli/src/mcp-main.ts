import { mcpSpec } from "./mcp-table.js";
import { runProgram } from "./program.js";

/**
 * `holdfast mcp` with a bundle of its own: every session of an agent starts one, and half of what starting cost was to
 * find and load fifty chunks that it shared with other commands.
 */
export function runMcp(args: readonly string[]): Promise<number> {
  const loaders = { mcp: async () => (await import("./commands/mcp.js")).mcpCommand };
  return runProgram(args, { specs: [mcpSpec], loaders });
}
