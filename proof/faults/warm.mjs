import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { recordsIn, stagesIn, treeOf } from "../rooms.mjs";

/**
 * @typedef {import("./scenarios.mjs").Trial} Trial
 * @typedef {import("./trace.mjs").Run} Run
 * @typedef {{ readonly child: import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, null>,
 *   readonly lines: AsyncIterator<string>, uses: number }} Warm
 */

/** A program makes so many trials before another one takes its place: none stands on what hundreds have left. */
const mostUses = 25;

/** @param {Warm["child"]} child */
async function end(child) {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/**
 * Programs that are started and warm, and wait for a trial: strace is put on one for each trial alone, which takes a fifth of
 * the time of a start under strace. Calls are counted from there on.
 *
 * @param {string} child a bundle that, without arguments, takes trials by its input and prints how each ended
 */
export function openWarm(child) {
  /** @type {Warm[]} */
  const idle = [];
  /** @returns {Promise<Warm>} */
  const start = async () => {
    const started = spawn(process.execPath, [child], { stdio: ["pipe", "pipe", "ignore"] });
    started.stdin.on("error", () => {});
    const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
    await lines.next();
    return { child: started, lines, uses: 0 };
  };
  return {
    /** @param {readonly string[]} options of strace @param {Trial} trial @returns {Promise<Run>} */
    run: async (options, trial) => {
      const warm = idle.pop() ?? (await start());
      const log = join(trial.top, "trace");
      const args = ["-f", "-y", "-o", log, ...options, "-p", `${warm.child.pid}`];
      const strace = spawn("strace", args, { stdio: ["ignore", "ignore", "pipe"] });
      const ended = once(strace, "close");
      const attached = new Promise((resolve) => {
        strace.stderr.on("data", (said) => `${said}`.includes("attached") && resolve(undefined));
      });
      await Promise.race([attached, ended]);
      warm.child.stdin.write(`${JSON.stringify([trial.root, trial.stateDir, trial.request])}\n`);
      const late = setTimeout(() => warm.child.kill("SIGKILL"), 60_000);
      const { done, value } = await warm.lines.next();
      clearTimeout(late);
      strace.kill("SIGINT");
      // Once in thousands of times it waits for threads that are gone.
      const stuck = setTimeout(() => strace.kill("SIGKILL"), 60_000);
      await ended;
      clearTimeout(stuck);
      warm.uses += 1;
      // After EPERM from a call that is not old, libuv takes the call for unknown to the system, and calls older ones from then on.
      const isSpoilt = warm.uses >= mostUses || options.some((one) => one.includes("EPERM"));
      // Whoever lives clears up after itself: what it left is judged after its end, as what a next start finds.
      const leaves = recordsIn(trial.stateDir).length + stagesIn(treeOf(trial.root)).length > 0;
      if (done === true || isSpoilt || leaves) await end(warm.child);
      else idle.push(warm);
      return {
        status: 0,
        signal: null,
        stdout: done === true ? "" : value,
        trace: readFileSync(log, "latin1"),
      };
    },
    close: () => {
      for (const { child } of idle.splice(0)) void end(child);
    },
  };
}
