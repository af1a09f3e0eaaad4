import type { OnMismatch } from "@holdfast/core/files";
import { guardCommand } from "./commands/guard.js";
import { openTerminal } from "./shell/terminal.js";

/**
 * `holdfast guard` without the command line: a bundle of its own, since a host starts it before and after each
 * call of a tool, and what is loaded costs more than what is done.
 *
 * @returns the exit code.
 */
export function runGuard(onMismatch: OnMismatch | undefined): Promise<number> {
  return guardCommand({ settings: {}, terminal: openTerminal(false), flags: { onMismatch } });
}
