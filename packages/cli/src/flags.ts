import { InvalidArgumentError } from "commander";

/** What may follow a flag: one of some words, or a text that is read so. Without either it is any text. */
export type Value =
  | readonly string[]
  | ((value: string, before: readonly string[] | undefined) => string | number | readonly string[]);

/** A client that `holdfast setup` knows. */
export const hostNames = [
  "claude",
  "gemini",
  "codex",
  "qwen",
  "opencode",
  "copilot",
  "cursor",
  "vscode",
  "zed",
  "jetbrains",
  "continue",
  "windsurf",
] as const;

/** What follows the flags of this name, whichever command has them; with its placeholder where commands differ. */
export const values = {
  "allow-protected": collect,
  "answer-budget": wholeNumber,
  "approval-mode": ["plan", "ask", "auto-edit", "yolo"],
  "base <path=sha256>": collect,
  before: moment,
  "char-offset": countFromZero,
  compat: ["filesystem"],
  consent: collect,
  context: wholeNumber,
  count: wholeNumber,
  depth: wholeNumber,
  "depth <branches>": countFromZero,
  "edit-guard": ["read", "atomic"],
  effort: ["off", "low", "medium", "high", "max"],
  exclude: collect,
  glob: collect,
  "in-place": collect,
  include: collect,
  keep: wholeNumber,
  "keep-days": wholeNumber,
  "keep-secrets": daysOrNone,
  kind: collect,
  limit: wholeNumber,
  "max-cost": money,
  "max-megabytes": wholeNumber,
  "max-turns": wholeNumber,
  "memory-paths": collect,
  offset: wholeNumber,
  "older-than": moment,
  "on-mismatch": ["rebase-own", "rebase", "refuse"],
  "output-format": ["text", "json", "stream-json"],
  "overwrite-guard": ["hash", "read", "warn"],
  port: wholeNumber,
  "result-content": ["auto", "full", "changed", "none"],
  root: collect,
  "rules-of": hostNames,
  sandbox: ["auto", "on", "off"],
  since: moment,
  strip: countFromZero,
  type: collect,
  wire: ["text", "json"],
} as const satisfies Readonly<Record<string, Value>>;

/** For flags that may be given several times. */
function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

/** For `--keep-secrets`. */
function daysOrNone(value: string): number | "none" {
  return value === "none" ? value : wholeNumber(value);
}

/** For flags that want a moment: an age (`30d`, `12h`, `8w`) or a day, `2026-01-31`. In milliseconds since the epoch. */
function moment(value: string): number {
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
function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 up.");
  return Number(value);
}

/** For flags that want a whole number of at least 0. */
function countFromZero(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 0 up.");
  return Number(value);
}

/** For flags that want an amount of money: more than nothing. */
function money(value: string): number {
  const amount = /^\d{1,6}(\.\d{1,6})?$/.test(value) ? Number(value) : 0;
  if (amount <= 0) throw new InvalidArgumentError("It must be an amount of US dollars such as 0.50.");
  return amount;
}
