import { readdirSync, readFileSync } from "node:fs";
import { setInterval } from "node:timers";

/**
 * What a run took: `wallMs`, `cpuMs` of all its processes, the largest sum of their resident memory.
 *
 * @typedef {{ readonly begunAt: number, readonly wallMs: number, readonly cpuMs: number, readonly peakMiB: number }} Spent
 *   `begunAt`: milliseconds since 1970
 */

/** A shell begins the program, notes the time before and after, and what all processes below it spent. */
const script =
  'echo "$$ $EPOCHREALTIME" > "$NOTES"; "$@"; code=$?; { echo "$EPOCHREALTIME"; times; } >> "$NOTES"; exit $code';

/**
 * The same command under that shell.
 *
 * @param {import("../../proof/clients/any-client.mjs").Launch} how @param {string} notes the file that it writes
 * @returns {import("../../proof/clients/any-client.mjs").Launch}
 */
export function watched({ file, args, env }, notes) {
  return { file: "bash", args: ["-c", script, "bash", file, ...args], env: { ...env, NOTES: notes } };
}

/**
 * Looks at the memory of the processes below that shell, every 20 ms, until it is told to end.
 *
 * @param {string} notes @returns {() => Spent} to be called once the program has ended
 */
export function watch(notes) {
  let peak = 0;
  const timer = setInterval(() => {
    const shell = linesOf(notes)[0]?.split(" ")[0];
    if (shell !== undefined)
      peak = Math.max(
        peak,
        below(shell).reduce((sum, pid) => sum + residentMiB(pid), 0),
      );
  }, 20);
  return () => {
    clearInterval(timer);
    const [first = "", end = "", , children = ""] = linesOf(notes);
    const begunAt = Number(first.split(" ")[1]) * 1_000;
    const cpuMs = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
      (sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000,
      0,
    );
    return { begunAt, wallMs: Number(end) * 1_000 - begunAt, cpuMs, peakMiB: peak };
  };
}

/** @param {string} path @returns {readonly string[]} none where there is no such file yet */
function linesOf(path) {
  try {
    return readFileSync(path, "utf8").trim().split("\n");
  } catch {
    return [];
  }
}

/** All processes below one. What ended meanwhile has none. @param {string} pid @returns {readonly string[]} */
export function below(pid) {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
    );
    return children.flatMap((child) => [child, ...below(child)]);
  } catch {
    return [];
  }
}

/** @param {string} pid */
export function residentMiB(pid) {
  try {
    const kiB = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kiB ?? 0) / 1024;
  } catch {
    return 0;
  }
}
