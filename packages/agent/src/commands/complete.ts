import { efforts } from "@holdfast/core/context";
import { approvalModes } from "../config/approval.js";
import type { Command, OperandKind } from "./command.js";
import { readTyped } from "./run-command.js";
import { commands } from "./table.js";
import { wordsOf, writtenWord } from "./words.js";

/** What the last word of a line may become. */
export interface Completion {
  /** Where that word begins in the line, UTF-16 units. */
  readonly from: number;
  /** As they are typed, sorted as they are offered. */
  readonly candidates: readonly string[];
}

/** What can be named, by kind: paths and ids that begin so; commands are those beside ours. A kind left out has none. */
export type Candidates = Readonly<Partial<Record<OperandKind, (begun: string) => readonly string[]>>>;

const commandNames = commands.map(({ name }) => name);

/**
 * What may stand at the end of a line that begins a command: its name, its second word, its options and their
 * values, what its first word can name. Pure; the names come from the caller.
 */
export function completeCommand(line: string, named: Candidates = {}): Completion {
  const text = line.trimStart();
  const offset = line.length - text.length;
  if (!text.startsWith("/")) return { from: line.length, candidates: [] };
  const words = wordsOf(text.slice(1));
  const isNewWord = /\s$/.test(text);
  const last = isNewWord ? undefined : words.at(-1);
  const begun = last?.text ?? "";
  const from = last === undefined ? line.length : offset + 1 + last.from;
  const whole = isNewWord ? words : words.slice(0, -1);
  return {
    from,
    candidates: candidatesFor(
      whole.map((word) => word.text),
      begun,
      named,
    ),
  };
}

function candidatesFor(whole: readonly string[], begun: string, named: Candidates): readonly string[] {
  const prompts = named.command?.(begun) ?? [];
  const nextWords = [...namesAfter(whole, begun), ...(whole.length === 0 ? prompts : [])];
  const typed = readTyped(`/${whole.map(writtenWord).join(" ")}`);
  if (typed.kind !== "command") return nextWords;
  const { command } = typed;
  const option = command.options[whole.at(-1)?.replace(/^--/, "") ?? ""];
  if (whole.at(-1)?.startsWith("--") === true && Array.isArray(option)) return startingWith(begun, option);
  if (begun.startsWith("--"))
    return startingWith(
      begun,
      Object.keys(command.options).map((name) => `--${name}`),
    );
  return [...nextWords, ...operandsOf(command, typed.words.length, begun, named)];
}

/** The next word of commands whose names go on after these. */
function namesAfter(whole: readonly string[], begun: string): readonly string[] {
  const names = commandNames.map((name) => name.split(" "));
  const fitting = names.filter(
    (name) => name.length > whole.length && whole.every((word, at) => word === name[at]),
  );
  return startingWith(begun, [...new Set(fitting.map((name) => name[whole.length] ?? ""))]);
}

function operandsOf(command: Command, given: number, begun: string, named: Candidates): readonly string[] {
  const { operand } = command;
  if (operand === undefined || given > 0) return [];
  if (operand === "effort") return startingWith(begun, efforts);
  if (operand === "mode") return startingWith(begun, approvalModes);
  if (operand === "command") return [...startingWith(begun, commandNames), ...(named.command?.(begun) ?? [])];
  return (named[operand]?.(begun) ?? []).map(writtenWord);
}

function startingWith(begun: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => name.startsWith(begun));
}
