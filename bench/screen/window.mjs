import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { below, residentMiB } from "../agent/watch.mjs";

/**
 * A program in a window of tmux of 100×40. Keys go in and bytes come out over tmux's control mode, which starts no process.
 *
 * @typedef {ReturnType<typeof openWindow>} Window
 * @param {{ readonly socket: string, readonly folder: string, readonly env: Readonly<Record<string, string>> }} place
 * @param {readonly string[]} command
 */
export function openWindow({ socket, folder, env }, command) {
  const tmux = (/** @type {readonly string[]} */ ...args) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env, encoding: "utf8" });
  const quoted = command.map((part) => `'${part}'`).join(" ");
  tmux("-u", "new-session", "-d", ...["-x", "100", "-y", "40"], "-c", folder, quoted);
  tmux("set-option", "-g", "window-size", "manual");
  const pid = tmux("display-message", "-p", "#{pane_pid}").trim();
  const control = spawn("tmux", ["-u", "-S", socket, "-C", "attach-session"], { env });
  control.stdout.setEncoding("utf8");
  let [pending, bytes, shown] = ["", 0, ""];
  /** @type {(() => void) | undefined} */
  let wake;
  control.stdout.on("data", (/** @type {string} */ data) => {
    const lines = `${pending}${data}`.split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const escaped = /^%output %\d+ (.*)$/s.exec(line)?.[1];
      if (escaped === undefined) continue;
      const text = escaped.replaceAll(/\\([0-7]{3})/g, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 8)),
      );
      bytes += Buffer.byteLength(text);
      shown += text;
    }
    wake?.();
  });
  const say = (/** @type {string} */ line) => void control.stdin.write(`${line}\n`);
  const screen = () => tmux("capture-pane", "-p");
  return {
    screen,
    bytes: () => bytes,
    /** Seconds of processor time of the program and of what it started. */
    cpu: () => [pid, ...below(pid)].reduce((sum, one) => sum + cpuOf(one), 0),
    /** MiB */
    memory: () => [pid, ...below(pid)].reduce((sum, one) => sum + residentMiB(one), 0),
    keys: (/** @type {string} */ name) => say(`send-keys ${name}`),
    type: (/** @type {string} */ text) => say(`send-keys -l "${text}"`),
    /** Until the screen shows it. @param {string} words @param {number} [mostMs] */
    until: async (words, mostMs = 60_000) => {
      const end = performance.now() + mostMs;
      while (!screen().includes(words)) {
        if (performance.now() > end) throw new Error(`It never showed: ${words}\n${screen()}`);
        await wait(25);
      }
    },
    /** Milliseconds until a letter that was typed comes out again. @param {string} letter */
    echo: async (letter) => {
      shown = "";
      const begun = performance.now();
      say(`send-keys -l "${letter}"`);
      while (!shown.includes(letter) && performance.now() - begun < 5_000)
        await new Promise((resolve) => {
          wake = () => resolve(undefined);
          setTimeout(resolve, 500);
        });
      return performance.now() - begun;
    },
    close: async () => {
      control.kill();
      const started = below(pid);
      tmux("kill-server");
      // One of the others starts itself once more, and that process outlives its terminal.
      for (const one of started) if (existsSync(`/proc/${one}`)) process.kill(Number(one), "SIGKILL");
      for (let waits = 0; existsSync(`/proc/${pid}`) && waits < 100; waits += 1) await wait(50);
    },
  };
}

/** Of a process and its children that have ended, by user and system. @param {string} pid */
function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / 100;
  } catch {
    return 0;
  }
}
