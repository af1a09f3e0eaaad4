import { isRefusal } from "@holdfast/core/files";
import { clip, escapeForDisplay } from "@holdfast/core/text";
import type { Commands } from "./commands.js";
import type { CommandInput } from "./running-command.js";
import { safeOutput } from "./safe-output.js";

/** A command of the settings that is run beside the work of the model. */
export interface Hook {
  readonly command: string;
  /** 60,000 unless set. */
  readonly timeoutMs?: number | undefined;
}

/** How a hook ended; where it could not be run or did not end in time, the end of a sentence that begins with it. */
type HookEnd = { readonly exitCode: number; readonly output: string } | string;

/** Runs a hook to its end, with everything that it started. Never rejects. */
export type RunHook = (hook: Hook, given: CommandInput, signal?: AbortSignal) => Promise<HookEnd>;

/** Runs hooks as commands of their own, whose outputs nobody reads later. */
export function hookRunner(commands: Commands): RunHook {
  return async ({ command, timeoutMs = 60_000 }, given, signal) => {
    if (signal?.aborted === true) return "was not run, since the turn was cancelled.";
    const started = commands.start(command, ".", false, given);
    if (isRefusal(started)) return `was not run: ${started.message}`;
    const timer = setTimeout(() => void started.stop("timeout"), Math.min(timeoutMs, 2 ** 31 - 1));
    const cancel = () => void started.stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    const { exitCode, stopped, failure } = await started.ended;
    clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
    if (stopped === "timeout") return `was ended after ${timeoutMs} ms, with all that it had started.`;
    if (exitCode === null || stopped !== undefined)
      return `was ended: ${failure ?? stopped ?? "killed by a signal"}.`;
    const { head, left, tail } = started.log.shown();
    const rest = left > 0 ? `\n[… ${left} bytes left out …]\n${safeOutput(tail)}` : "";
    return { exitCode, output: `${safeOutput(head)}${rest}`.trimEnd() };
  };
}

/** A hook as sentences name it. */
export function hookName({ command }: Hook): string {
  return `The hook "${clip(escapeForDisplay(command), 80)}"`;
}
