import type { WindowSize } from "../lines/window.js";

/**
 * Where a program prints. Whatever comes from files, names or models goes through `escapeText` or `escapeForPeople` before it
 * reaches a terminal; a pipe gets the content of files as it is.
 */
export interface Streams {
  /** To standard output. Resolves when more may be written: a slow reader slows the writer. */
  out(text: string | Uint8Array): Promise<void>;
  /** To standard error. */
  err(text: string): void;
  /** Shows a line on standard error until something else is written; only on a terminal that can write a line anew. */
  status(line: string): void;
  /** The width of standard error where it is a terminal. */
  columns(): number | undefined;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly errHasColor: boolean;
}

/** Whether both streams are a terminal that can move its cursor. */
export function hasKeys(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.env.TERM !== "dumb";
}

/** The window of a stream. A terminal that has no size says 0. */
export function windowSize({ columns, rows }: NodeJS.WriteStream = process.stdout): WindowSize {
  return { columns: columns || 80, rows: rows || 24 };
}

/** A line in parts of so many characters at most, cut between words. */
export function wrapped(line: string, width: number): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > 0 ? space : width;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...parts, rest];
}
