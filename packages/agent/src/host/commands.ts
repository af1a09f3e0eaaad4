import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { defined, escapeForDisplay } from "@holdfast/core/text";
import { isBelow } from "./found-text.js";
import { OutputLog } from "./output-log.js";
import { quietly } from "./repository.js";
import { type CommandInput, type CommandStart, RunningCommand } from "./running-command.js";
import { ShellState, type ShellVariables } from "./shell-state.js";

/** What commands may take, unless given. */
const commandLimits = {
  /** What a command has unless its call says otherwise. */
  defaultSeconds: 120,
  /** What no call can exceed. */
  mostSeconds: 3_600,
  /** Between the request to end and the kill. */
  graceMs: 2_000,
  /** Of one output, what a model is shown. */
  shownBytes: 30_000,
  /** Of one output, what is kept in a file. */
  fileBytes: 64 << 20,
  /** Of all outputs of commands that have ended. */
  diskBytes: 256 << 20,
  /** Commands in the background at a time. */
  mostInBackground: 8,
};

/** What commands may take. */
export type CommandLimits = Readonly<typeof commandLimits>;

/** What commands are run with. */
interface CommandsOptions extends Pick<CommandStart, "shell" | "sandbox"> {
  /** The folders of the workspace, absolute; a command starts in the first unless its call says otherwise. */
  readonly roots: readonly string[];
  /** A private folder for outputs that are too long to be shown; it need not exist. */
  readonly tempDir: string;
  /** As `commandEnvironment` makes it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits?: Partial<CommandLimits>;
  /** Whether folder and exported variables last from one command to the next; not unless given. */
  readonly lasts?: boolean;
}

/** How a command is confined. */
interface CommandConfinement {
  readonly sandboxed?: boolean | undefined;
  readonly isReadOnly?: boolean | undefined;
  /** Whose folder and variables it has. */
  readonly agent?: object | undefined;
}

/** The commands of one session. Close it: nothing that was started by it runs any more then. */
export class Commands {
  readonly limits: CommandLimits;
  private readonly all = new Map<string, RunningCommand>();
  private readonly background = new Set<string>();
  private readonly onExit = () => this.killNow();
  /** Of an agent, by whatever it is known by: sub-agents have one of their own. */
  private readonly states = new WeakMap<object, ShellState>();
  private count = 0;
  private isClosed = false;

  constructor(private readonly options: CommandsOptions) {
    this.limits = { ...commandLimits, ...options.limits };
    process.on("exit", this.onExit);
  }

  /**
   * Starts a command.
   *
   * @param directory below a root, or relative to the first one; where the last command of the agent ended unless given.
   * @param sandboxed only where the options have a sandbox whose `place` says so; `isReadOnly`: it can write nothing there.
   * @returns `outside_workspace`, `file_missing` or `not_a_file` for another directory; `busy` where too many run in
   *   the background; `cancelled` after `close`.
   */
  start(
    command: string,
    directory?: string,
    inBackground = false,
    { sandboxed = false, isReadOnly = false, agent = this, ...given }: CommandInput & CommandConfinement = {},
  ): RunningCommand | Refusal {
    if (this.isClosed) return refuse("cancelled", "The session is over; nothing was started.");
    const running = this.inBackground().filter(({ end }) => end === undefined);
    if (inBackground && running.length >= this.limits.mostInBackground) {
      const ids = running.map(({ id }) => id).join(", ");
      return refuse(
        "busy",
        `${running.length} commands run in the background (${ids}). End one of them first.`,
      );
    }
    const at = this.directory(directory ?? this.folder(agent) ?? ".");
    if (isRefusal(at)) return at;
    const id = `c${++this.count}`;
    const path = join(this.options.tempDir, `output-${process.pid}-${Date.now().toString(36)}-${id}.txt`);
    const log = new OutputLog(path, this.limits, inBackground);
    const { shell, sandbox, lasts } = this.options;
    const state = this.stateOf(agent);
    const environment = state.variables(this.options.environment, sandboxed);
    const onLeft = (begun: ShellVariables, left: ShellVariables) => {
      const ended = state.take(begun, left, sandboxed);
      if (ended !== undefined && ended !== begun.PWD) this.moveTo(state, ended, started.notes);
    };
    const { graceMs } = this.limits;
    const started = new RunningCommand({
      ...{ id, command, directory: at.path, environment, graceMs, log, isReadOnly },
      ...defined({ shell, sandbox: sandboxed ? sandbox : undefined, ...given }),
      ...(lasts === true && !inBackground ? { onLeft } : {}),
    });
    started.notes.push(...state.pending.splice(0));
    this.all.set(id, started);
    if (inBackground) this.background.add(id);
    void started.ended.then(() => this.forgetOldest());
    return started;
  }

  /** Where the next command of an agent begins, relative to the first root; undefined there. */
  folder(agent: object = this): string | undefined {
    const state = this.stateOf(agent);
    if (state.folder === undefined) return undefined;
    const at = this.directory(state.folder);
    if (!isRefusal(at)) return this.shown(at.path);
    state.pending.push(`${at.message.split(";")[0]}; the command began in the workspace.`);
    state.folder = undefined;
    return undefined;
  }

  /** Has an agent told something with its next command. */
  note(agent: object, words: string): void {
    this.stateOf(agent).pending.push(words);
  }

  private stateOf(agent: object): ShellState {
    const known = this.states.get(agent) ?? new ShellState();
    this.states.set(agent, known);
    return known;
  }

  private moveTo(state: ShellState, folder: string, notes: string[]): void {
    const at = this.directory(folder);
    const before = state.folder;
    const shown = isRefusal(at) ? undefined : this.shown(at.path);
    state.folder = isRefusal(at) || shown === undefined ? undefined : at.path;
    if (isRefusal(at)) notes.push(`${at.message.split(";")[0]}; the next command begins in the workspace.`);
    else if (state.folder !== before)
      notes.push(`The next command begins in ${escapeForDisplay(shown ?? "the workspace")}.`);
  }

  /** Relative to the first root, where it is below it; undefined for that. */
  private shown(folder: string): string | undefined {
    const [first = "."] = this.options.roots;
    const real = quietly(() => realpathSync.native(first)) ?? first;
    if (folder === real) return undefined;
    return isBelow(folder, real) ? relative(real, folder) : folder;
  }

  /** A command in the background, also one that has ended; undefined where there is none of this id. */
  find(id: string): RunningCommand | undefined {
    return this.background.has(id) ? this.all.get(id) : undefined;
  }

  /** A command whose output can be read: one in the background, or another one that has ended. */
  printed(id: string): RunningCommand | undefined {
    const command = this.all.get(id);
    return this.background.has(id) || command?.end !== undefined ? command : undefined;
  }

  /** What any command has printed, for a person; undefined where nobody knows it any more. */
  textOf(id: string): string | undefined {
    return this.all.get(id)?.log.text();
  }

  /** Those in the background that run, and the latest that have ended, in the order of their start. */
  inBackground(): readonly RunningCommand[] {
    return [...this.all.values()].filter(({ id }) => this.background.has(id));
  }

  /** Those that run, in the background or not. */
  running(): readonly RunningCommand[] {
    return [...this.all.values()].filter(({ end }) => end === undefined);
  }

  /** Ends everything that runs and removes the outputs. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.all.values()].map((command) => command.stop("closed")));
    for (const { log } of this.all.values()) log.remove();
    this.all.clear();
    this.options.sandbox?.close();
    process.off("exit", this.onExit);
  }

  /** Whether a path leads into the workspace when its links are resolved; of one that is not there, the folder that is. */
  isInside(path: string): boolean {
    const { roots } = this.options;
    const isIn = quietly(() => {
      let there = resolve(roots[0] ?? ".", path);
      while (lstatSync(there, { throwIfNoEntry: false }) === undefined) there = dirname(there);
      const real = realpathSync.native(there);
      return roots.some((root) => isBelow(real, realpathSync.native(root)));
    });
    return isIn === true;
  }

  private killNow(): void {
    for (const command of this.all.values()) {
      command.killNow();
      command.log.remove();
    }
    this.options.sandbox?.close();
  }

  private directory(given: string): { readonly path: string } | Refusal {
    const [first = "."] = this.options.roots;
    const named = resolve(first, given);
    const shown = escapeForDisplay(given);
    const stat = quietly(() => statSync(named, { throwIfNoEntry: false }));
    if (stat === undefined) return refuse("file_missing", `There is no folder ${shown}; nothing was run.`);
    if (!stat.isDirectory()) return refuse("not_a_file", `${shown} is not a folder; nothing was run.`);
    if (!this.isInside(named))
      return refuse("outside_workspace", `${shown} is outside of the workspace; nothing was run.`);
    return { path: realpathSync.native(named) };
  }

  /** The oldest outputs go where all together take too much room, or where there are too many. */
  private forgetOldest(): void {
    const ended = [...this.all.values()].filter(({ end }) => end !== undefined);
    let bytes = ended.reduce((sum, { log }) => sum + (log.kept?.bytes ?? 0), 0);
    for (const [at, { id, log }] of ended.entries()) {
      const isTooMany = ended.length - at > mostRemembered;
      if (!isTooMany && bytes <= this.limits.diskBytes) return;
      bytes -= log.kept?.bytes ?? 0;
      log.remove();
      this.all.delete(id);
      this.background.delete(id);
    }
  }
}

const mostRemembered = 50;
