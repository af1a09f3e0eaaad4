/** For the examples in which a framework starts `holdfast mcp` and speaks with it over stdio. */
import { fileURLToPath } from "node:url";

const holdfast = fileURLToPath(new URL("../packages/cli/bin/holdfast.js", import.meta.url));

/**
 * How the server is started: as any program that speaks MCP over stdio.
 *
 * @param {{ root: string, stateDir: string }} scene
 */
export function serverOf({ root, stateDir }) {
  return { command: process.execPath, args: [holdfast, "--state-dir", stateDir, "mcp", "--root", root] };
}
