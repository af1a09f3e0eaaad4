import { type ResultContent, renderResult } from "@holdfast/core";
import { exitCodeOf, type Terminal } from "../shell/index.js";

/** What a tool hands over to be written down. */
export type ToolResult = Parameters<typeof renderResult>[0];

/**
 * Prints the tools' own JSON object, for `--json`. This file is loaded only then: with it come the
 * tools and their schemas, which a command that answers a person does not need.
 *
 * @returns the exit code.
 */
export async function printJson(
  result: ToolResult,
  terminal: Terminal,
  resultContent: ResultContent = "full",
): Promise<number> {
  const reply = renderResult(result, { wire: "json", resultContent });
  await terminal.out(`${reply.text}\n`);
  return exitCodeOf[reply.code];
}
