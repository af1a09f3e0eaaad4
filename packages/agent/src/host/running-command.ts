import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import type { TouchedFiles } from "@holdfast/core/conversation/values";
import { formatIdentity, ownIdentity } from "@holdfast/core/node";
import { causeOf, defined } from "@holdfast/core/text";
import type { OutputLog } from "./output-log.js";
import { endFamily, killFamily, markerName, type ProcessFamily, waitAtMost } from "./processes.js";
import type { Barred, EnteredCommand, Sandbox } from "./sandbox.js";
import { shellBegin, stateDescriptor, statePrelude, variablesIn } from "./shell-state.js";

/** What a command is given beside its words. */
export interface CommandInput {
  /** At its standard input; nothing unless given. */
  readonly input?: string;
  /** Its arguments, `$1` and so on; on Windows there are none. */
  readonly args?: readonly string[];
}

/** What is to be run, and where. */
export interface CommandStart extends CommandInput {
  readonly id: string;
  readonly command: string;
  /** An absolute path. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A POSIX shell; bash where it is there, else sh, unless given. On Windows the system's own. */
  readonly shell?: string;
  /** How long its processes have between being asked to end and being killed, in milliseconds. */
  readonly graceMs: number;
  readonly log: OutputLog;
  /** What it runs in; nothing unless given. */
  readonly sandbox?: Sandbox;
  /** It can write nothing there but into temporary folders. */
  readonly isReadOnly?: boolean;
  /** Told what its shell ended with, where it ended by itself: what it began with, and what it left. */
  readonly onLeft?: (given: Readonly<Record<string, string>>, left: Readonly<Record<string, string>>) => void;
}

/** Of an environment: a program may write to its descriptor for ever. */
const mostHanded = 1 << 20;

/** Why a command was ended by us. */
type StopReason = "timeout" | "cancelled" | "killed" | "closed";

/** How a command ended. */
export interface CommandEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stopped?: StopReason;
  /** It could not be started, and why. */
  readonly failure?: string;
  /** How many processes it left behind when it ended by itself; they were ended. */
  readonly leftBehind: number;
  readonly seconds: number;
}

/** A command in a process group of its own. Whatever it starts ends with it. */
export class RunningCommand {
  readonly id: string;
  readonly command: string;
  readonly directory: string;
  readonly log: OutputLog;
  readonly sandbox: Sandbox | undefined;
  readonly isReadOnly: boolean;
  /** Never rejects. Nothing of it runs any more then. */
  readonly ended: Promise<CommandEnd>;
  private readonly startedMs = performance.now();
  private readonly family: ProcessFamily;
  private readonly listeners = new Set<() => void>();
  private stopping: { readonly reason: StopReason; readonly work: Promise<unknown> } | undefined;
  private result: CommandEnd | undefined;
  private entered: EnteredCommand | undefined;
  /** What a model is told of the folder in which it began, or the next one begins. */
  readonly notes: string[] = [];
  /** Of one in the background: says once it has ended which files are others than at its start. */
  lookAgain: (() => Promise<TouchedFiles>) | undefined;
  /** Of one that ran in a sandbox: what stood in its way. Known once it has ended. */
  barred: Barred | undefined;

  constructor(private readonly start: CommandStart) {
    this.id = start.id;
    this.command = start.command;
    this.directory = start.directory;
    this.log = start.log;
    this.sandbox = start.sandbox;
    this.isReadOnly = start.isReadOnly === true;
    const marker = `${formatIdentity(ownIdentity())}-${start.id}-${Math.random().toString(36).slice(2)}`;
    const child = this.launch(marker);
    // Who does not read its input is not waited for.
    child?.stdin?.on("error", () => {}).end(start.input);
    this.family = { marker, ...defined({ group: child?.pid }) };
    let handed = "";
    // A cast: what the list of the launch says of this descriptor.
    const state = child?.stdio[stateDescriptor] as Readable | undefined;
    // What is too much is let go, and nothing lasts.
    state?.setEncoding("utf8").on("data", (text: string) => {
      if (handed.length <= mostHanded) handed += text;
    });
    this.ended = this.watch(child).then(async (end) => {
      state?.destroy();
      const isWhole = end.stopped === undefined && handed.length <= mostHanded && handed.endsWith("\0");
      if (isWhole) start.onLeft?.(this.entered?.environment ?? start.environment, variablesIn(handed));
      this.barred = await this.entered?.leave();
      this.result = end;
      this.log.close();
      this.notify();
      return end;
    });
  }

  /** How it ended; undefined while it runs. */
  get end(): CommandEnd | undefined {
    return this.result;
  }

  /** Since its start. */
  get seconds(): number {
    return (performance.now() - this.startedMs) / 1_000;
  }

  /** Ends the command and everything it started: asks, then kills. The first reason stands. */
  stop(reason: StopReason): Promise<CommandEnd> {
    if (this.result === undefined)
      this.stopping ??= { reason, work: endFamily(this.family, this.start.graceMs) };
    return this.ended;
  }

  /** The same where it takes longer than so many milliseconds, or when a signal comes. @returns how it ended. */
  endWithin(ms: number, signal?: AbortSignal): Promise<CommandEnd> {
    const timer = setTimeout(() => void this.stop("timeout"), Math.min(ms, longestTimerMs)).unref();
    const cancel = () => void this.stop("cancelled");
    signal?.addEventListener("abort", cancel, { once: true });
    return this.ended.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    });
  }

  /** Kills at once, for the end of our own process. */
  killNow(): void {
    if (this.result === undefined) killFamily(this.family);
  }

  /** Has a function called after each output and at the end, until what is returned is called. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Undefined where not even a process could be asked for, as with a command longer than the system takes. */
  private launch(marker: string): ChildProcess | undefined {
    const { command, directory, environment, shell, input, args = [], sandbox, onLeft } = this.start;
    const env = { ...environment, [markerName]: marker };
    try {
      const stdio: StdioOptions = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
      const options = { cwd: directory, env, stdio };
      if (isWindows) return spawn(command, { ...options, shell: true, windowsHide: true });
      const program = shell ?? (existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh");
      const before = onLeft === undefined ? "" : statePrelude;
      const left: StdioOptions = onLeft === undefined ? [] : ["pipe"];
      const words = [
        "-c",
        `${shellBegin}${before}${command}`,
        ...(args.length === 0 ? [] : [program, ...args]),
      ];
      if (sandbox === undefined)
        return spawn(program, words, { ...options, stdio: [...stdio, "ignore", ...left], detached: true });
      this.entered = sandbox.enter(program, words, env, this.isReadOnly);
      const { program: all, environment: inside, connect } = this.entered;
      const channel: StdioOptions = [...stdio, connect === undefined ? "ignore" : "ipc", ...left];
      const child = spawn(all[0], all.slice(1), {
        ...options,
        env: { ...inside },
        stdio: channel,
        detached: true,
      });
      connect?.(child);
      return child;
    } catch {
      return undefined;
    }
  }

  private async watch(child: ChildProcess | undefined): Promise<CommandEnd> {
    if (child === undefined)
      return this.ending({ exitCode: null, signal: null, failure: "the system refuses it" });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Uint8Array) => {
        this.log.add(chunk);
        this.notify();
      });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    const exit = await new Promise<Exit>((resolve) => {
      child.once("error", (error) => resolve({ exitCode: null, signal: null, failure: causeOf(error) }));
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    if (child.pid === undefined) return this.ending(exit);
    // Its last words; who else holds the pipe open is ended right after.
    await waitAtMost(closed, drainMs);
    const leftBehind = await this.endLeftBehind();
    // Nobody holds the pipe now but who was not found; what is in it is still to be read.
    await waitAtMost(closed, lastReadMs);
    child.stdout?.destroy();
    child.stderr?.destroy();
    return this.ending(exit, leftBehind);
  }

  /** Who is ended with a command has the time that it has; who was left behind by one has little. */
  private async endLeftBehind(): Promise<number> {
    const graceMs = Math.min(this.start.graceMs, leftBehindGraceMs);
    const left = this.stopping === undefined ? await endFamily(this.family, graceMs) : 0;
    await this.stopping?.work;
    // The first process of a sandbox is its own and stays as long as any other.
    return this.sandbox === undefined ? left : Math.max(0, left - 1);
  }

  private ending({ exitCode, signal, failure }: Exit, leftBehind = 0): CommandEnd {
    const facts = { ...this.unwrapped({ exitCode, signal }), leftBehind, seconds: this.seconds };
    return { ...facts, ...defined({ stopped: this.stopping?.reason, failure }) };
  }

  /** A sandbox, and a shell that hands something over, ends with 128 and the number of the signal that killed the command, as a shell does. */
  private unwrapped(exit: Exit): Exit {
    const isShell = this.sandbox !== undefined || this.start.onLeft !== undefined;
    const number = isShell ? (exit.exitCode ?? 0) - 128 : 0;
    const [signal] = Object.entries(constants.signals).find(([, at]) => at === number) ?? [];
    return signal === undefined ? exit : { exitCode: null, signal };
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

type Exit = Pick<CommandEnd, "exitCode" | "signal" | "failure">;

/** How long the output of a command that has ended is waited for, in milliseconds. */
const drainMs = 100;
const lastReadMs = 2_000;
const leftBehindGraceMs = 500;
const longestTimerMs = 2 ** 31 - 1;
const isWindows = process.platform === "win32";
