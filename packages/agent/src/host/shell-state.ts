import { basename } from "node:path";
import { markerName } from "./processes.js";

/** By their names. */
export type ShellVariables = Readonly<Record<string, string>>;

/** What lasts from one command of an agent to the next: the folder in which it ended, and the variables that it exported. */
export class ShellState {
  /** Absolute; undefined at the root. */
  folder: string | undefined;
  /** What the model is told with its next command. */
  readonly pending: string[] = [];
  /** What is other than at the start, undefined for what is gone: of commands in a sandbox, and of those outside. */
  readonly #changes = { inside: new Map<string, string | undefined>(), outside: new Map() };

  /** The environment for the next command. What a sandboxed one exported reaches none that runs outside. */
  variables(start: ShellVariables, isInside: boolean): ShellVariables {
    const all: Record<string, string> = { ...start };
    for (const [name, value] of this.#changes[isInside ? "inside" : "outside"])
      if (value === undefined) delete all[name];
      else all[name] = value;
    return all;
  }

  /** @param given what a command began with. @param left what it ended with. @returns the folder in which it ended. */
  take(given: ShellVariables, left: ShellVariables, isInside: boolean): string | undefined {
    const changes = this.#changes[isInside ? "inside" : "outside"];
    for (const name of new Set([...Object.keys(given), ...Object.keys(left)]))
      if (given[name] !== left[name] && canLast.test(name) && !passing.test(name))
        changes.set(name, left[name]);
    return left.PWD;
  }
}

const canLast = /^[A-Za-z_]\w*$/u;
/** Of one command only, and those by which every program is another one. */
const passing = new RegExp(
  `^(?:${markerName}|PWD|SHLVL|_|NODE_CHANNEL_\\w+|TMPDIR|LD_\\w+|DYLD_\\w+|BASH\\w*|GIT_\\w+|ENV|SHELLOPTS|IFS|PS4|PROMPT_COMMAND)$`,
  "u",
);

/** The descriptor by which a shell hands over what lasts; the one before it may be a channel of the sandbox. */
export const stateDescriptor = 4;

/** Before all else: one pipe for both keeps what is printed in order. */
export const shellBegin = "exec 2>&1; ";

/** Before a command: at its end its shell hands over what lasts. */
export const statePrelude = `trap '/usr/bin/env -0 2>/dev/null >&${stateDescriptor}' EXIT; `;

/** What a shell handed over. */
export function variablesIn(handed: string): ShellVariables {
  const pairs = handed.split("\0").flatMap((pair) => {
    const at = pair.indexOf("=");
    return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** The person's own shell where rules are judged in its syntax: bash, sh or dash. */
export function judgedShell(shell = ""): string | undefined {
  return shell.startsWith("/") && ["bash", "sh", "dash"].includes(basename(shell)) ? shell : undefined;
}
