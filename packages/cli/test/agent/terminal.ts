import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
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
      await until(
        () => shown.slice(from).includes(words),
        () => `never shown: ${words}\n${shown}`,
      );
      from = shown.indexOf(words, from) + words.length;
    },
    type: (line) => child.stdin.write(`${line}\r`),
    press: (keys) => child.stdin.write(keys),
    ended: new Promise((resolve) => child.once("close", resolve)),
  };
}
