import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {import("./scenarios.mjs").Trial} Trial
 * @typedef {{ readonly name: string, readonly count: number, readonly text: string }} Call
 *   `count`: the how-manyeth call of that name in its thread.
 * @typedef {{ readonly status: number | null, readonly signal: NodeJS.Signals | null,
 *   readonly stdout: string, readonly trace: string }} Run
 */

/** What a disk can refuse; Node's own waking and waiting is not among it. */
const disk =
  "access,openat,read,pread64,write,pwrite64,fsync,fdatasync,rename,renameat2,link,unlink,rmdir,symlink,readlink," +
  "fchmod,fchown,chmod,chown,mkdir,close,utimensat,ftruncate,statx,getdents64,flistxattr,fgetxattr,fsetxattr," +
  "fremovexattr,copy_file_range";

/**
 * Runs a program on a trial under strace.
 *
 * @param {readonly string[]} options of strace
 * @param {readonly string[]} command
 * @param {Trial} trial
 * @returns {Promise<Run>}
 */
export function runTraced(options, command, trial) {
  const log = join(trial.top, "trace");
  // Far quicker, but this strace injects no signals then.
  const quick = options.some((option) => option.includes("signal=")) ? [] : ["--seccomp-bpf"];
  const args = ["-f", "-qq", "-y", ...quick, "-o", log, ...options, process.execPath, ...command];
  return new Promise((resolve, reject) => {
    const child = spawn("strace", [...args, trial.root, trial.stateDir, trial.request, trial.warm], {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 60_000,
    });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    child.on("error", reject);
    child.on("close", (status, signal) => {
      resolve({ status, signal, stdout, trace: readFileSync(log, "latin1") });
    });
  });
}

/** Options of strace for a run whose calls are counted. */
export const counting = ["-e", `trace=${disk}`];

/** The calls of a program that is started for them. @param {readonly string[]} command @param {Trial} trial */
export async function callsOf(command, trial) {
  return callsIn(await runTraced(counting, command, trial));
}

/**
 * The calls of the main thread between the marks: they are the same in every run.
 *
 * @param {Run} run @returns {readonly Call[]}
 */
export function callsIn({ trace }) {
  const lines = trace.split("\n");
  const begin = lines.findIndex((line) => line.includes("holdfast-begin"));
  const main = lines[begin]?.split(" ")[0];
  /** @type {Map<string, number>} */
  const counts = new Map();
  /** @type {Call[]} */
  const calls = [];
  for (const [at, line] of lines.entries()) {
    const [, pid, name, text] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    if (pid !== main || name === undefined || text === undefined) continue;
    if (line.includes("holdfast-end")) break;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (at > begin && isOfTheDisk(text)) calls.push({ name, count: counts.get(name) ?? 0, text });
  }
  if (calls.length === 0) throw new Error("no calls between the marks of a trace");
  return calls;
}

/** Not Node waking itself. @param {string} text */
function isOfTheDisk(text) {
  return !/^\d+<(anon_inode|pipe|socket)/.test(text);
}

/**
 * @param {Call} call
 * @param {string} fault `error=EIO` or `signal=KILL`
 */
export function striking({ name, count }, fault) {
  return ["-e", `trace=access,${name}`, "-e", `inject=${name}:${fault}:when=${count}`];
}

/**
 * Whether the fault came down between the marks, and on the disk: a run can differ from the one that was traced, and
 * then the same count may be Node's own waking, which ends the process.
 *
 * @param {Run} run
 */
export function wasStruck({ trace }) {
  const begin = trace.indexOf("holdfast-begin");
  const at = trace.indexOf("(INJECTED)");
  const end = trace.indexOf("holdfast-end");
  if (begin < 0 || at < begin || (end >= 0 && at > end)) return false;
  const struck = trace.slice(trace.lastIndexOf("\n", at) + 1, at);
  return isOfTheDisk(/^\d+ +\w+\((.*)$/.exec(struck)?.[1] ?? "");
}
