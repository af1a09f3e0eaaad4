import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import type { runTraced } from "./support.js";

/** `HOLDFAST_SWEEP=all` strikes at every system call; else a test strikes where a fault hurts most. */
export const strikesAll = process.env.HOLDFAST_SWEEP === "all";

/** A system call of the main thread of a fixture, after the fixture's mark. */
export interface Call {
  readonly name: string;
  /** The how-manyeth call of that name in its thread. */
  readonly count: number;
  readonly text: string;
}

/** Calls by which a disk is changed. All our writes have a position: `write` is Node waking itself. */
export const making =
  "openat,pwrite64,fsync,fdatasync,rename,renameat2,link,unlink,symlink,mkdir,rmdir,ftruncate".split(",");
/** Those that are traced: the mark, and what may fail besides. */
export const traced = [
  "access",
  "write",
  "close",
  "statx",
  "readlink",
  "fchmod",
  "fchown",
  "utimensat",
  "flistxattr",
  ...making,
];

/** The calls in a trace that was made with `trace=` of `traced`, without those of Node looking for its modules. */
export function callsIn(log: string): readonly Call[] {
  const lines = readFileSync(log, "utf8").split("\n");
  const mark = lines.findIndex((line) => line.includes("holdfast-marker"));
  const main = lines[mark]?.split(" ")[0];
  const counts = new Map<string, number>();
  return lines.flatMap((line, at) => {
    const [, pid, name, text] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (pid !== main || name === undefined || text === undefined) return [];
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    const isOurs = !text.includes("node_modules") && !/"\/(etc|sys|usr|lib|proc\/(sys|\d))/.test(text);
    return at > mark && isOurs ? [{ name, count, text }] : [];
  });
}

/** Options of strace by which this call meets a fault: `error=EIO`, `signal=KILL`, `delay_enter=…`. */
export function striking({ name, count }: Pick<Call, "name" | "count">, fault: string): readonly string[] {
  return ["-o", "/dev/null", "-e", `trace=${name}`, "-e", `inject=${name}:${fault}:when=${count}`];
}

/** Node makes calls of its own, not always as many: a fault that hit the start and not us is tried again. */
export function struck(run: () => ReturnType<typeof runTraced>, tries = 4): ReturnType<typeof runTraced> {
  const done = run();
  const isStart = done.status !== 0 && done.signal === null && done.stdout === "";
  return isStart && tries > 1 ? struck(run, tries - 1) : done;
}

/** The first and the last call that fit, or all of them in the long run. */
export function endsOf(calls: readonly Call[], fits: (call: Call) => boolean): readonly Call[] {
  const fitting = calls.filter(fits);
  return strikesAll ? fitting : fitting.filter((_, at) => at === 0 || at === fitting.length - 1);
}

/** Waits until what this strace runs is held up as it enters a rename (by its number on x86-64 or arm64), or is over. */
export async function heldUp(strace: ChildProcess, isReached = () => true): Promise<void> {
  const isAtRename = () => {
    const children = readFileSync(`/proc/${strace.pid}/task/${strace.pid}/children`, "utf8").trim();
    return children.split(" ").some((pid) => {
      try {
        return /^(82|316|38|276) /.test(readFileSync(`/proc/${pid}/syscall`, "utf8"));
      } catch {
        return false;
      }
    });
  };
  while (strace.exitCode === null && !(isReached() && isAtRename()))
    await new Promise((resolve) => setTimeout(resolve, 10));
}
