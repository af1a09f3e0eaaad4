import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freshFolder, makeFolder, remove, spread } from "../rooms.mjs";

/** @typedef {import("../contract.mjs").Row} Row */
/** @typedef {{ readonly top: string, readonly project: string, readonly home: string }} Ground */
/** @typedef {{ readonly code: number | null, readonly stdout: string, readonly stderr: string }} Ended */

const program = fileURLToPath(new URL("../../packages/cli/bin/holdfast.js", import.meta.url));

/** @param {string} line */
const append = (line) => ({ name: "append_to_file", args: { file_path: "log.txt", content: `${line}\n` } });
const edit = {
  name: "edit_file",
  args: {
    file_path: "a.ts",
    base_content_sha256: "{{sha256:a.ts}}",
    edits: [{ old_string: "v0", new_string: "v1" }],
  },
};
const write = { name: "write_file", args: { file_path: "new.ts", content: "new\n" } };
const read = { name: "read_file", args: { file_path: "a.ts" } };
const delayMs = 15;
/** A turn that gives part of its work to a sub-agent. */
const script = [
  { delayMs, calls: [{ name: "task_start", args: { name: "Log", goal: "Write the log.", agent: {} } }] },
  { delayMs, thought: "Hm.", calls: [read, append("one")] },
  { delayMs, calls: [edit, write, append("two")] },
  { delayMs, calls: [{ name: "task_complete", args: { summary: "It is written." } }] },
  { delayMs, calls: [{ name: "run_shell_command", args: { command: "echo shell >> shell.txt" } }] },
  { delayMs, calls: [append("three")] },
  { delayMs, text: "Done." },
];
const versions = ['const a = "v0";\n', 'const a = "v1";\n'];
const logs = ["", "one\n", "one\ntwo\n", "one\ntwo\nthree\n"];

/**
 * A2: the agent is killed at calls of the disk, spread over those of a whole turn; strace sends the signal.
 *
 * @param {number} points at most so many calls @param {(line: string) => void} print @returns {Promise<Row>}
 */
export async function killedAtCalls(points, print) {
  const what = "an agent and its sub-agent are killed at a call of the disk and resumed twice";
  const whole = ground();
  const calls = await callsOf(whole).finally(() => remove(whole.top));
  if (calls.length === 0) return { figure: "A2", what, tried: 0, bad: {}, notHad: "strace is missing" };
  const tally = new Tally();
  for (const [name = "", count] of spread(calls.slice(Math.floor(calls.length / (2 * points))), points)) {
    await tally.judge(async (at) => {
      await traced(at, ["-e", `trace=${name}`, "-e", `inject=${name}:signal=KILL:when=${count}`]);
    });
    print(`killed at ${name} ${count}: ${tally.told()}`);
  }
  const row = tally.row("A2", `${what} (${calls.length} calls in the turn)`);
  // Of many points some lie in the middle of the work, or nothing was shown.
  const missed = points > 9 && tally.seen.size < 3 ? 1 : 0;
  return { ...row, bad: { ...row.bad, "nothing met in the middle": missed } };
}

/**
 * A3: the same, at any moment.
 *
 * @param {number} kills @param {(line: string) => void} print @returns {Promise<Row>}
 */
export async function killedAtRandom(kills, print) {
  const tally = new Tally();
  for (let kill = 0; kill < kills; kill += 1) {
    await tally.judge(async (at) => {
      const child = spawn(process.execPath, [program, ...turn(at), "-o", "stream-json"], {
        cwd: at.project,
        env: envOf(at),
        stdio: ["ignore", "pipe", "ignore"],
      });
      const ended = once(child, "close");
      // The first line is written when the session is open; the first kill comes before.
      if (kill > 0) await Promise.race([ended, once(child.stdout, "data")]);
      child.stdout.resume();
      await Promise.race([ended, wait((kill / kills) * 450 + Math.random() * 60)]);
      child.kill("SIGKILL");
      await ended;
    });
    if (kill % 20 === 19) print(`${kill + 1} kills: ${tally.told()}`);
  }
  return tally.row("A3", "an agent and its sub-agent are killed at any moment and resumed twice");
}

/** What kills came to, over all of them. */
class Tally {
  tried = 0;
  bad = { torn: 0, "lost or repeated": 0, "unknown to the session": 0, "sent otherwise": 0, unsound: 0 };
  /** @type {Map<string, number>} */
  seen = new Map();

  /** @param {(at: Ground) => Promise<void>} kill runs the turn until it is killed */
  async judge(kill) {
    const at = ground();
    try {
      await kill(at);
      this.tried += 1;
      const left = filesOf(at);
      this.seen.set(left.name, (this.seen.get(left.name) ?? 0) + 1);
      if (!left.isWhole) this.bad.torn += 1;
      const first = await resumed(at);
      // The turn had not begun: there is no session.
      if (first.ended.code === 42) return;
      const second = await resumed(at);
      // To the byte all that was sent the first time, and what came of it.
      if (first.sent === "" || !second.sent.startsWith(first.sent)) this.bad["sent otherwise"] += 1;
      if (filesOf(at).name !== left.name) this.bad["lost or repeated"] += 1;
      if ([first, second].some(({ ended, isKnown }) => ended.code !== 0 || !isKnown))
        this.bad["unknown to the session"] += 1;
      for (const args of [["verify"], ["files", "--json"]])
        if ((await run(at, ["sessions", ...args, second.id])).code !== 0) this.bad.unsound += 1;
    } finally {
      remove(at.top);
    }
  }

  told() {
    return JSON.stringify(this.bad);
  }

  /** @param {string} figure @param {string} what @returns {Row} */
  row(figure, what) {
    const states = [...this.seen].map(([state, times]) => `${times} × ${state}`).join(", ");
    return { figure, what, tried: this.tried, bad: this.bad, seen: `left behind: ${states}` };
  }
}

/** @returns {Ground} */
function ground() {
  const top = freshFolder();
  const [project, home] = [makeFolder(join(top, "project")), makeFolder(join(top, "home"))];
  writeFileSync(join(project, "a.ts"), versions[0] ?? "");
  writeFileSync(join(project, "log.txt"), "");
  writeFileSync(join(home, "settings.jsonc"), JSON.stringify({ subAgents: {} }));
  writeFileSync(join(top, "script.json"), JSON.stringify(script));
  return { top, project, home };
}

/** @param {Ground} at */
const turn = ({ top }) => ["-p", "Go.", "--approval-mode", "yolo", "--script", join(top, "script.json")];

/** @param {Ground} at */
const envOf = ({ home }) => ({
  PATH: process.env.PATH ?? "",
  HOME: home,
  HOLDFAST_HOME: home,
  XDG_STATE_HOME: join(home, "state"),
});

/** The files as one line, and whether each is what some beginning of the work leaves. @param {Ground} at */
function filesOf({ project }) {
  const text = (/** @type {string} */ name) => readFileSync(join(project, name), "utf8");
  const [log, code, hasNew] = [text("log.txt"), text("a.ts"), existsSync(join(project, "new.ts"))];
  const isWhole = logs.includes(log) && versions.includes(code) && (!hasNew || text("new.ts") === "new\n");
  return { name: JSON.stringify([log, code.slice(11, 13), hasNew]), isWhole };
}

/** Goes on with the session. @param {Ground} at */
async function resumed(at) {
  const next = join(at.top, "next.json");
  const recording = join(at.top, "recording.jsonl");
  rmSync(recording, { force: true });
  writeFileSync(next, JSON.stringify([{ text: "Here." }]));
  const ended = await run(at, ["-p", "Go on.", "-c", "-o", "json", "--script", next, "--record", recording]);
  const { session_id: id = "", notices = [] } = ended.stdout === "" ? {} : JSON.parse(ended.stdout);
  // What a command did is nobody's write; all that tools wrote is in the tree.
  const isKnown = notices.every((/** @type {string} */ notice) => notice.includes("shell.txt"));
  // Without a session nothing is sent, and the recording is empty.
  const [line = ""] = existsSync(recording) ? readFileSync(recording, "utf8").split("\n") : [];
  const sent = JSON.stringify(line === "" ? [] : JSON.parse(line).contents)
    .slice(0, -1)
    .replace("[", "");
  return { ended, id, isKnown, sent };
}

/** @param {Ground} at @param {readonly string[]} args @returns {Promise<Ended>} */
async function run(at, args) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: at.project,
    env: envOf(at),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (data) => (said.stdout += data));
  child.stderr.on("data", (data) => (said.stderr += data));
  const [code] = await once(child, "close");
  return { code, ...said };
}

const names = "write,pwrite64,rename,renameat,renameat2,link,unlink,fsync,fdatasync,ftruncate";

/** Runs the turn under strace. @param {Ground} at @param {readonly string[]} options @returns {Promise<string>} the trace */
async function traced(at, options) {
  const log = join(at.top, "trace");
  const args = ["-f", "-qq", "-y", "-o", log, ...options, process.execPath, program, ...turn(at)];
  const child = spawn("strace", args, { cwd: at.project, env: envOf(at), stdio: "ignore" });
  await new Promise((resolve) => child.once("close", resolve).once("error", resolve));
  return existsSync(log) ? readFileSync(log, "latin1") : "";
}

/** The calls of the turn on our files, each by its name and its number in its thread. @param {Ground} at */
async function callsOf(at) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  /** @type {(readonly [string, number])[]} */
  const calls = [];
  for (const line of (await traced(at, ["-e", `trace=${names}`])).split("\n")) {
    const [, thread = "", name = "", rest = ""] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? [];
    const count = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, count);
    if (rest.includes(at.top) && !rest.includes("/trace")) calls.push([name, count]);
  }
  return calls;
}
