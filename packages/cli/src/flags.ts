import { defined } from "@holdfast/core/text";
import { InvalidArgumentError } from "commander";
import type { GlobalFlags, Settings } from "./shell/invocation.js";

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

/** For flags that want a moment: an age (`30d`, `12h`, `8w`) or a day, `2026-01-31`. In milliseconds since the epoch. */
export function moment(value: string): number {
  const [, count, unit] = /^([1-9]\d{0,5})([hdw])$/.exec(value) ?? [];
  if (count !== undefined && unit !== undefined) return Date.now() - Number(count) * (unitMs[unit] ?? 0);
  const at = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:\d{2})?)?$/.test(value)
    ? Date.parse(value)
    : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError("It must be an age such as 30d, 12h or 8w, or a day such as 2026-01-31.");
  return at;
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** For flags that want a whole number of at least 1. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 up.");
  return Number(value);
}

/** For flags that want a whole number of at least 0. */
export function countFromZero(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0 up.");
  return Number(value);
}

/** For flags that want an amount of money: more than nothing. */
export function money(value: string): number {
  const amount = /^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : 0;
  if (amount <= 0) throw new InvalidArgumentError("It must be an amount of US dollars such as 0.50.");
  return amount;
}
