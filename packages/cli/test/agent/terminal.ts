import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { afterThisFile } from "../../../../test/cleanups.js";
import { endProcess } from "../../../../test/end-process.js";
import { until } from "../../../../test/until.js";
import { program } from "../process.js";
import type { Ground } from "./provided.js";

/** The program in a terminal of its own, as a person sees it. */
export interface Seen {
  /** Everything that was shown so far. */
  text(): string;
  /** Waits until this is shown behind what was shown at the last wait. */
  until(words: string): Promise<void>;
  type(line: string): void;
  /** Keys without a return behind them. */
  press(keys: string): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts `holdfast agent` in a pseudo terminal (`script` of util-linux). */
export function inTerminal({ project, env }: Pick<Ground, "project" | "env">, args: readonly string[]): Seen {
  const command = [process.execPath, program, "agent", ...args].map((part) => `'${part}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: project.folder,
    env: { PATH: process.env.PATH ?? "", TERM: "xterm", ...env },
  });
  afterThisFile(() => endProcess(child));
  return seenOf(child);
}

/** What a program shows in a pseudo terminal that runs already. */
export function seenOf(child: ChildProcessWithoutNullStreams): Seen {
  let shown = "";
  let from = 0;
  child.stdout.on("data", (data) => {
    shown += data;
  });
  return {
    text: () => shown,
    until: async (words) => {
      let end: number | undefined;
      await until(
        () => (end = endOf(words, shown, from)),
        () => `never shown: ${words}\n${shown}`,
      );
      from = end ?? from;
    },
    type: (line) => child.stdin.write(`${line}\r`),
    press: (keys) => child.stdin.write(keys),
    ended: new Promise((resolve) => child.once("close", resolve)),
  };
}

/** Where these words end; undefined where they are not shown. On a slow machine a line may be drawn a part at a time. */
function endOf(words: string, shown: string, from: number): number | undefined {
  const at = shown.indexOf(words, from);
  if (at !== -1) return at + words.length;
  const wanted = letters(words);
  const isIn = (end: number) => letters(shown.slice(from, end)).includes(wanted);
  if (wanted.length < 8 || !isIn(shown.length)) return undefined;
  let end = from;
  while (!isIn(end)) end += 1;
  return end;
}

/** Without blanks, and without what moves the cursor. */
function letters(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\s/gu, "");
}
