import { escapeInJson } from "@holdfast/core/text";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

/** Answers a person with a text, and a program that said `--json` with an object. @returns the exit code of success. */
export async function answer(
  { settings, terminal }: Pick<Invocation, "settings" | "terminal">,
  object: object,
  text: string,
): Promise<number> {
  await terminal.out(settings.json ? jsonLine(object) : `${text}\n`);
  return exitCodes.success;
}

/** One line of JSON that is safe to print on a terminal, the line break included. */
export function jsonLine(value: unknown): string {
  return lineOfJson(JSON.stringify(value));
}

/** The same of what is JSON already. */
export function lineOfJson(json: string): string {
  return `${escapeInJson(json)}\n`;
}
