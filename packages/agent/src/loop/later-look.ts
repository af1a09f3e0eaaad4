import { escapeForDisplay } from "@holdfast/core/text";
import type { Approval, HostToolResult } from "@holdfast/core/tools";
import type { LaterFile } from "../host/later-files.js";

/** Looks at the files that run later around each command. */
export interface LaterLook {
  /** Before it: what others changed until now is not the command's. */
  readonly begin: () => Promise<void>;
  /** What is different since. */
  readonly end: () => Promise<readonly LaterFile[]>;
  /** @returns those that could not be taken back. */
  readonly takeBack: (files: readonly LaterFile[]) => Promise<readonly LaterFile[]>;
}

/**
 * Runs a command and names the files that run later which it made or changed.
 *
 * @param keep what a person says of them: a no takes them back. Undefined: they are named, and no more.
 */
export async function runLooked(
  run: () => Promise<HostToolResult>,
  { begin, end, takeBack }: LaterLook,
  keep: (files: readonly LaterFile[]) => Promise<Approval> | undefined,
): Promise<HostToolResult> {
  await begin();
  const result = await run();
  const files = await end();
  if (files.length === 0) return result;
  const named = `It made or changed files that run later: ${namesOf(files)}.`;
  const told = (...words: readonly string[]) =>
    [result.text.replace(/\n$/u, ""), "", [named, ...words].join(" ")].join("\n");
  const answer = await keep(files);
  if (answer === undefined) return { ...result, text: told() };
  if (answer.kind === "yes") return { ...result, text: told("A person agreed to keep them.") };
  const left = await takeBack(files);
  const taken =
    left.length === 0 ? "They were taken back." : `They were taken back, but for ${namesOf(left)}.`;
  const why = answer.kind === "no" ? (answer.message ?? "A person said no.") : "";
  return { ...result, code: result.code === "ok" ? "denied" : result.code, text: told(why, taken) };
}

function namesOf(files: readonly LaterFile[]): string {
  const shown = files
    .slice(0, mostNamed)
    .map(({ shown, reason }) => `${escapeForDisplay(shown)} (${reason})`);
  return [...shown, ...(files.length > mostNamed ? [`${files.length - mostNamed} more`] : [])].join(", ");
}

const mostNamed = 20;
