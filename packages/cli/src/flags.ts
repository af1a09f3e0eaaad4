import { defined } from "@holdfast/core";
import { InvalidArgumentError } from "commander";
import type { GlobalFlags, Settings } from "./shell/index.js";

/** What the flags of a command line come to. */
export function settingsFrom(flags: GlobalFlags): Settings {
  return {
    roots: flags.root ?? [process.cwd()],
    json: flags.json === true,
    allowProtected: flags.allowProtected ?? [],
    ...defined({ stateDir: flags.stateDir, keepSecrets: flags.keepSecrets }),
  };
}

/** For flags that may be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** For `--keep-secrets`. */
export function daysOrNone(value: string): number | "none" {
  return value === "none" ? value : wholeNumber(value);
}

/** For flags that want a whole number of at least 1. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 up.");
  return Number(value);
}

/** For flags that want a whole number of at least 0. */
export function levels(value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0 up.");
  return Number(value);
}
