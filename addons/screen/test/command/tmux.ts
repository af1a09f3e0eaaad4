import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ground } from "../../../../packages/cli/test/agent/provided.js";
import { program } from "../../../../packages/cli/test/process.js";
import { afterThisFile } from "../../../../test/cleanups.js";
import { processesHere } from "../../../../test/processes.js";
import { has } from "../../../../test/tools.js";
import { until as itIs } from "../../../../test/until.js";

export const hasTmux = has("tmux");

const cursorAt = ["display-message", "-p", "#{cursor_x} #{cursor_y}"];

/** A shell in a window of tmux, a real terminal of a known size. */
export interface Window {
  /** What stands on the screen now, without blanks at the ends of lines. */
  screen(): string;
  /** The same, below all that has left the screen. */
  whole(): string;
  /** Waits until the screen fits. */
  until(fits: string | RegExp): Promise<void>;
  /** Waits until these words, which were typed or ask for a line, stand right before the cursor. */
  untilAt(words: string): Promise<void>;
  /** Keys by their names in tmux (`C-c`, `Enter`); letters with `-l`. */
  keys(...keys: readonly string[]): void;
  /** Letters as they are. */
  type(text: string): void;
  /** Sends words from a screen that is cleared first, and waits: what is waited for was not there before. */
  say(words: string, shown: string | RegExp): Promise<void>;
  /** A paste as a terminal makes it, within its marks. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** Where the cursor stands, from 0. */
  cursor(): { readonly column: number; readonly row: number };
  /** Bytes as they are, in hexadecimal. */
  bytes(hex: string): void;
  /** The program with these arguments, as one types it. @param around a command of the shell, with `%` for the program. */
  start(args: readonly string[], around?: string): void;
  /** Appends all that is written to the terminal from now on to a file. */
  record(path: string): void;
  /** Closes the terminal, whatever runs in it. */
  close(): void;
  /** Sends a signal to every Node that was started in it. */
  signal(name: NodeJS.Signals): void;
}

/** What is said the first time was said: a person who has seen it all. */
export function allTold({ XDG_STATE_HOME }: Ground["env"]): void {
  if (XDG_STATE_HOME === undefined) return;
  const folder = join(XDG_STATE_HOME, "holdfast", "input");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "first-times"), "change\nrefusal\nwindow\nbranch\n", { mode: 0o600 });
}

/** Opens a window of its own server, which ends with the test's file. @param isNew a person who starts it the first time. */
export function openWindow(
  { project, env }: Pick<Ground, "project" | "env">,
  { columns = 100, rows = 30, isNew = false } = {},
): Window {
  if (!isNew) allTold(env);
  const folder = mkdtempSync(join(tmpdir(), "holdfast-tmux-"));
  const socket = join(folder, "socket");
  const clean = { PATH: process.env.PATH ?? "", TERM: "xterm-256color", LANG: "C.UTF-8", ...env };
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { env: clean, encoding: "utf8" });
  writeFileSync(join(folder, "rc"), "PS1='$ '\n");
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux("new-session", "-d", ...size, "-c", project.folder, "bash", "--rcfile", join(folder, "rc"));
  const shell = tmux("display-message", "-p", "#{pane_pid}").trim();
  let isOpen = true;
  const close = () => {
    if (isOpen) tmux("kill-server");
    isOpen = false;
  };
  afterThisFile(async () => {
    close();
    // The program writes to its folders until it has ended.
    await itIs(() => processesOf(shell).length === 0);
    rmSync(folder, { recursive: true, force: true });
  });
  const screen = () => tmux("capture-pane", "-p").trimEnd();
  const until: Window["until"] = (fits) =>
    itIs(
      () => (typeof fits === "string" ? screen().includes(fits) : fits.test(screen())),
      () => `never shown: ${fits}\n${screen()}`,
    );
  const atCursor = () => {
    const [cursor = "", ...rows] = tmux(...cursorAt, ";", "capture-pane", "-p").split("\n");
    const [column = 0, row = 0] = cursor.split(" ").map(Number);
    return rows[row]?.slice(0, column).trimEnd() ?? "";
  };
  return {
    screen,
    whole: () => tmux("capture-pane", "-p", "-S", "-").trimEnd(),
    until,
    untilAt: (words) =>
      itIs(
        () => atCursor().endsWith(words),
        () => `never before the cursor: ${words}\n${screen()}`,
      ),
    say: async (words, shown) => {
      tmux("send-keys", "C-l");
      await until(/^[^\n]*\n>$/u);
      tmux("send-keys", "-l", words);
      tmux("send-keys", "Enter");
      await until(shown);
    },
    keys: (...keys) => void tmux("send-keys", ...keys),
    type: (text) => void tmux("send-keys", "-l", text),
    paste: (text) => {
      const file = join(folder, "pasted");
      writeFileSync(file, text);
      tmux("load-buffer", file);
      tmux("paste-buffer", "-p", "-r");
    },
    resize: (x, y) => void tmux("resize-window", "-x", String(x), "-y", String(y)),
    cursor: () => {
      const [column = 0, row = 0] = tmux(...cursorAt)
        .split(" ")
        .map(Number);
      return { column, row };
    },
    bytes: (hex) => void tmux("send-keys", "-H", ...hex.split(" ")),
    start: (args, around = "%") => {
      const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
      tmux("send-keys", "-l", `clear; ${around.replace("%", () => words)}`);
      tmux("send-keys", "Enter");
    },
    record: (path) => void tmux("pipe-pane", `cat >> '${path}'`),
    close,
    signal: (name) => {
      for (const { pid, command } of processesOf(shell)) if (command === "node") process.kill(pid, name);
    },
  };
}

/** A screen to be kept as a file: ids, hashes and times are other ones in each run. */
export function steady(screen: string): string {
  const lasting = screen
    .replaceAll(/\b[0-9a-f]{16}\b/gu, "HASH")
    .replaceAll(/\b[0-9a-hj-km-np-tv-z]{26}\b/gu, "ID")
    .replaceAll(/…[0-9a-z]{8}\b/gu, "…ID")
    .replaceAll(/\d+\.\d s\b/gu, "N s")
    .replaceAll(/[ \t]+$/gmu, "");
  return `${lasting}\n`;
}

/** The processes of a session that run still, by the number of its leader. */
function processesOf(leader: string) {
  return processesHere().filter(({ session }) => session === leader);
}
