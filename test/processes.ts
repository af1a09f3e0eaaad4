import { readdirSync, readFileSync } from "node:fs";

/** A process that runs still: what is defunct may stay until init looks. */
export interface Running {
  readonly pid: number;
  /** The number of the leader of its session. */
  readonly session: string;
  readonly command: string;
  readonly args: string;
}

/** All processes of this machine, from `/proc`: `ps` is no part of Debian's base system. */
export function processesHere(): readonly Running[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const [, command = "", state, session = ""] =
        /\((.*)\) (\S) \S+ \S+ (\S+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
      const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").replace(/\0$/, "").replaceAll("\0", " ");
      return state === "Z" ? [] : [{ pid: Number(pid), session, command, args }];
    } catch {
      return [];
    }
  });
}
