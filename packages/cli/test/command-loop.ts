import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterThisFile } from "../../../test/cleanups.js";

/** What a process is asked to do. */
export interface CommandLine {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | Uint8Array;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: Buffer;
  readonly err: Buffer;
}

/**
 * Runs a command line in a process that has run others before (`command-loop.mjs`): the start of a process costs ten
 * times what most commands do. What runs side by side has a process each.
 */
export async function runInLoop({ program, ...line }: CommandLine): Promise<Ended> {
  const loop = idle.pop() ?? new CommandLoop(program);
  const ended = await loop.run(line);
  if (loop.isAlive) idle.push(loop);
  return ended;
}

class CommandLoop {
  isAlive = true;
  private readonly child: ChildProcess;

  constructor(program: string) {
    const bundle = new URL("../dist/bundle/main.js", import.meta.url).href;
    const loop = fileURLToPath(new URL("command-loop.mjs", import.meta.url));
    this.child = spawn(process.execPath, [loop, program, bundle], {
      cwd: "/",
      env: {},
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      serialization: "advanced",
    });
    this.child.on("exit", () => {
      this.isAlive = false;
    });
    afterThisFile(() => this.stop());
  }

  run(line: Omit<CommandLine, "program">): Promise<Ended> {
    const { child } = this;
    const [out, err] = [partsOf(child.stdout), partsOf(child.stderr)];
    return new Promise((resolve, reject) => {
      let told: { readonly code: number; readonly out: number; readonly err: number } | undefined;
      const end = (code: number | null, signal: NodeJS.Signals | null) => {
        for (const parts of [out, err]) parts.stop();
        child.off("error", reject).off("close", end).off("message", onMessage);
        resolve({ code, signal, out: out.bytes(), err: err.bytes() });
      };
      const look = () => {
        if (told !== undefined && out.length() >= told.out && err.length() >= told.err) end(told.code, null);
      };
      const onMessage = (message: typeof told) => {
        told = message;
        look();
      };
      for (const parts of [out, err]) parts.onMore(look);
      child.on("error", reject).on("close", end).on("message", onMessage);
      child.send(line);
    });
  }

  /** A command that hangs is not waited for. */
  private async stop(): Promise<void> {
    idle.splice(0, idle.length, ...idle.filter((loop) => loop !== this));
    if (!this.isAlive) return;
    const gone = once(this.child, "exit");
    this.child.disconnect();
    await gone;
  }
}

function partsOf(stream: NodeJS.ReadableStream | null) {
  const parts: Buffer[] = [];
  let length = 0;
  let more = () => {};
  const take = (part: Buffer) => {
    parts.push(part);
    length += part.length;
    more();
  };
  stream?.on("data", take);
  return {
    bytes: () => Buffer.concat(parts),
    length: () => length,
    onMore: (look: () => void) => {
      more = look;
    },
    stop: () => stream?.off("data", take),
  };
}

const idle: CommandLoop[] = [];
