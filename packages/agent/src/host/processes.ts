import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { quietly } from "./repository.js";

/** The variable that a command's processes carry: who left the process group is found again by it, on Linux. */
export const markerName = "HOLDFAST_COMMAND";

/** Processes that began with one command. */
export interface ProcessFamily {
  /** The process group, if it is one of its own: the id of the process that leads it. */
  readonly group?: number;
  /** The value of `markerName` in the environment of all of them. */
  readonly marker: string;
}

/**
 * Ends a family: asks first, then kills, until nobody is left. On Linux those too that left the group and kept the
 * environment; elsewhere the group alone.
 *
 * @param graceMs how long they have to end by themselves, in milliseconds.
 * @returns how many processes were there.
 */
export async function endFamily(family: ProcessFamily, graceMs: number): Promise<number> {
  const first = membersOf(family);
  if (first.length === 0) return 0;
  const until = performance.now() + graceMs;
  const asked = new Set<number>();
  // A shell whose child ends before it says so among the output: who waits for another is asked first.
  while (performance.now() < until) {
    const top = waitingAbove(family, asked);
    if (top.length === 0) break;
    for (const pid of top) {
      asked.add(pid);
      send(pid, "SIGTERM");
    }
    const end = Math.min(until, performance.now() + aboveMs);
    await polled(() => !membersOf(family).some((pid) => top.includes(pid)), end);
  }
  const rest = membersOf(family).filter((pid) => !asked.has(pid));
  signalAll(hasProc ? { marker: family.marker } : family, rest, "SIGTERM");
  if (await polled(() => membersOf(family).length === 0, until)) return first.length;
  // Who forks while it is killed is met again; nobody outruns this for ever.
  for (let round = 0; round < mostRounds; round++) {
    const left = membersOf(family);
    if (left.length === 0) break;
    signalAll(family, left, "SIGKILL");
    await pause(pollMs);
  }
  return first.length;
}

/** The same at once and without a word, for the end of our own process: nothing can be awaited then. */
export function killFamily(family: ProcessFamily): void {
  signalAll(family, membersOf(family), "SIGKILL");
}

/** Kills what commands of a program left that was killed itself. @param marked how their markers begin. */
export function killLeft(marked: string): void {
  for (const [marker, pids] of markedProcesses())
    if (marker.startsWith(marked)) signalAll({ marker }, pids, "SIGKILL");
}

/** All processes of commands, by their markers, but for those that we belong to; none where there is no /proc. */
export function markedProcesses(): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const pid of hasProc ? processIds() : []) {
    const [, marker] = new RegExp(`(?:^|\0)${markerName}=([^\0]+)`).exec(environmentOf(pid)) ?? [];
    if (marker !== undefined && marker !== process.env[markerName])
      found.set(marker, [...(found.get(marker) ?? []), pid]);
  }
  return found;
}

/** The processes of a family that live. Where there is no /proc, the group's id stands for all of them. */
function membersOf({ group, marker }: ProcessFamily): readonly number[] {
  if (!hasProc) return group !== undefined && send(-group, 0) ? [group] : [];
  const wanted = `${markerName}=${marker}\0`;
  return processIds().filter((pid) => {
    const stat = statOf(pid);
    if (stat === undefined || stat.state === "Z" || stat.state === "X") return false;
    return stat.group === group || environmentOf(pid).includes(wanted);
  });
}

const hasProc = process.platform === "linux";
const pollMs = 20;
const aboveMs = 100;
const mostRounds = 100;

function processIds(): readonly number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** Who of a family, but for those that were asked, waits for others of it and is no child of one that does. */
function waitingAbove(family: ProcessFamily, asked: ReadonlySet<number>): readonly number[] {
  if (!hasProc) return [];
  const parents = new Map(membersOf(family).map((pid) => [pid, statOf(pid)?.parent ?? 0]));
  for (const pid of asked) parents.delete(pid);
  const waiting = new Set(parents.values());
  return [...parents].flatMap(([pid, parent]) => (waiting.has(pid) && !parents.has(parent) ? [pid] : []));
}

interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
}

/** Undefined where the process is gone. */
function statOf(pid: number): ProcessStat | undefined {
  const text = readProc(pid, "stat");
  // The name in parentheses may hold anything, parentheses too.
  const [state, parent, group] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || group === undefined) return undefined;
  return { state, parent: Number(parent), group: Number(group) };
}

/** Asks again and again. @param until as by `performance.now`. @returns whether it came to be so. */
async function polled(isSo: () => boolean, until: number): Promise<boolean> {
  for (; performance.now() < until; await pause(pollMs)) if (isSo()) return true;
  return false;
}

function environmentOf(pid: number): string {
  return `${readProc(pid, "environ")}\0`;
}

/** Other people's processes do not show theirs, and any may end while it is looked at. */
function readProc(pid: number, name: string): string {
  return quietly(() => readFileSync(`/proc/${pid}/${name}`, "latin1")) ?? "";
}

function signalAll({ group }: ProcessFamily, pids: readonly number[], signal: "SIGTERM" | "SIGKILL"): void {
  if (pids.length === 0) return;
  if (group !== undefined) send(-group, signal);
  for (const pid of pids) if (pid !== process.pid) send(pid, signal);
}

/** A process that is gone meanwhile needs no signal. @returns whether it is there. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  return quietly(() => process.kill(pid, signal)) ?? false;
}

/** Waits for something, but no longer than so many milliseconds. No timer stays: it would keep a program from ending. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const ending = new AbortController();
  const limit = pause(ms, undefined, { signal: ending.signal }).catch(() => {});
  await Promise.race([work, limit]);
  ending.abort();
}
