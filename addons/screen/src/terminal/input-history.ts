import { appendFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { listForeign, readForeign } from "@holdfast/core/node";

/** What a person has typed in this and in earlier runs. */
export interface InputHistory {
  /** The oldest first. */
  readonly entries: readonly string[];
  /** Keeps one more. Never throws: a history that cannot be kept keeps nobody from working. */
  readonly add: (text: string) => void;
}

/**
 * The history of a state folder, in files that only the person may read. Each entry is appended by one write, and no file
 * is ever written anew, so that programs that run at once lose nothing of each other. A full file is followed by the next
 * one, and of the files before it two are kept.
 */
export function inputHistory(stateDir: string): InputHistory {
  const folder = join(stateDir, "input");
  const entries = numbersIn(folder).flatMap((number) => entriesOf(fileOf(folder, number)));
  return {
    entries: entries.slice(-mostEntries),
    add: (text) => {
      if (text.length > mostChars) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(fileOf(folder, currentNumber(folder)), `${JSON.stringify(text)}\n`, { mode: 0o600 });
      } catch {
        // Nothing depends on it.
      }
    },
  };
}

const mostEntries = 3_000;
const mostChars = 20_000;
const mostBytes = 256 * 1024;

function fileOf(folder: string, number: number): string {
  return join(folder, `history-${number}.jsonl`);
}

/** The numbers of the files that are there, the smallest first. */
function numbersIn(folder: string): readonly number[] {
  const listed = listForeign(folder, { limitEntries: 1_000 });
  const entries = listed.kind === "listed" ? listed.entries : [];
  const numbers = entries.map(({ name }) => /^history-(\d{1,9})\.jsonl$/.exec(name)?.[1]);
  return numbers.flatMap((number) => (number === undefined ? [] : [Number(number)])).sort((a, b) => a - b);
}

/** The file to write to. Two programs that find it full choose the same next one. */
function currentNumber(folder: string): number {
  const numbers = numbersIn(folder);
  const last = numbers.at(-1) ?? 1;
  const isFull = (statSync(fileOf(folder, last), { throwIfNoEntry: false })?.size ?? 0) > mostBytes;
  if (!isFull) return last;
  for (const old of numbers.slice(0, -2)) rmSync(fileOf(folder, old), { force: true });
  return last + 1;
}

function entriesOf(path: string): readonly string[] {
  const read = readForeign(path, { limitBytes: 4 * mostBytes, isOwn: true });
  return read.kind === "read" ? read.bytes.toString().split("\n").flatMap(entryOf) : [];
}

/** A line that a full disk has cut is passed over. */
function entryOf(line: string): readonly string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "string" ? [entry] : [];
  } catch {
    return [];
  }
}
