import type { ChildProcess } from "node:child_process";
import { type Refusal, refuse } from "@holdfast/core/files/values";
import type { SandboxSetting } from "../config/schema.js";
import type { LaterFiles } from "./later-files.js";

/**
 * A sandbox for commands: the port of the add-on that has one. The file system is read-only in it but for the workspace, and
 * temporary folders, caches and the top level of git's folders are of its own. It keeps no command from reading other files.
 */
export interface Sandbox {
  /** Why none starts here, in half a sentence; undefined where one does. It is tried once. */
  fault(): Promise<string | undefined>;
  /** @param program by which it is run outside. Only where none is at fault. @param isReadOnly it writes temporary files alone. */
  enter(
    program: string,
    args: readonly string[],
    given: Readonly<Record<string, string>>,
    isReadOnly?: boolean,
  ): EnteredCommand;
  /** What a model is told of a command that failed inside. */
  readonly words: string;
  /** At the end of the session, when no command runs any more. */
  close(): void;
}

/** What a sandbox is made of. Paths are absolute; what does not exist is left out. */
export interface SandboxOptions {
  /** The folders of the workspace: writable, but for what other programs run by themselves, such as git's hooks. */
  readonly roots: readonly string[];
  /** The files of the workspace that run later, looked at by whoever runs commands. */
  readonly later: LaterFiles;
  /** What commands may write besides. */
  readonly writable: readonly string[];
  /** Folders of which commands have a copy of their own, one for each workspace, that outlasts the session. */
  readonly caches: readonly string[];
  /** What stays read-only wherever it lies, such as the state folder. */
  readonly readOnly: readonly string[];
  /** Files that nothing can read inside, such as those with keys. */
  readonly hidden: readonly string[];
  /** Sockets of other programs that commands reach: their paths, or names of variables that hold them. */
  readonly sockets: readonly string[];
  /** What commands reach of the network: all, nothing, or hosts by their names, as `FetchPolicy.allowedHosts` has them. */
  readonly network: boolean | readonly string[];
  /** In which private folders are made. */
  readonly stateDir: string;
  readonly home: string;
  /** The `PATH` in which its program is looked for. */
  readonly path?: string;
  /** Told in one line what a person should know. Must not throw. */
  readonly told?: (line: string) => void;
}

/** A command that is about to run inside. */
export interface EnteredCommand {
  readonly program: readonly [program: string, ...args: string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** To be called with its process, which then has a channel to ours. */
  readonly connect?: (child: ChildProcess) => void;
  /** To be called once nothing of it runs any more. Never rejects. */
  leave(): Promise<Barred>;
}

/** In what the sandbox stood in a command's way, as far as it is known and not only said. */
export interface Barred {
  /** What it wrote and what was not taken. */
  readonly writes: readonly string[];
  /** Sentences on everything else. */
  readonly notes: readonly string[];
}

/** Where a command runs; a refusal where it may not run at all. */
export type CommandPlace = "inside" | "outside" | Refusal;

/**
 * Where commands run, whatever the mode and whoever allowed them. That they run outside although they should not is told once.
 *
 * @param setting `auto`: commands of every mode run inside, where a sandbox starts. `on`: or none runs.
 */
export function commandPlaces(
  setting: SandboxSetting,
  fault: Sandbox["fault"],
  told?: (line: string) => void,
): () => Promise<CommandPlace> {
  let isTold = false;
  return async () => {
    if (setting === "off") return "outside";
    const why = await fault();
    if (why === undefined) return "inside";
    if (setting === "on")
      return refuse("denied", `The settings let commands run in a sandbox only, and none starts: ${why}.`);
    if (!isTold) told?.(`Commands run outside a sandbox, because none starts here: ${why}.`);
    isTold = true;
    return "outside";
  };
}
