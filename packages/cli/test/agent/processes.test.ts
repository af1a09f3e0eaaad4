import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { processesHere } from "../../../../test/processes.js";
import { hangMs, until } from "../../../../test/until.js";
import { program } from "../process.js";
import { call, done, scripted, shell } from "./provided.js";

// How the program begins and ends as a process; all else of it is tested in one process a file (`process.ts`).
const yolo = ["--approval-mode", "yolo"];

/** Processes whose command line ends in a word that is nowhere else: in a sandbox a process has another number. */
function running(word: string): readonly number[] {
  return processesHere().flatMap(({ pid, args }) => (args.endsWith(word) ? [pid] : []));
}

function saidBy(child: ChildProcess) {
  const said = { stdout: "", stderr: "" };
  child.stdout?.on("data", (data) => (said.stdout += data));
  child.stderr?.on("data", (data) => (said.stderr += data));
  return said;
}

/** The journals of all sessions, as far as they are written. */
function journalsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
}

const codeOf = async (child: ChildProcess): Promise<number | null> => (await once(child, "close"))[0];

describe.skipIf(process.platform === "win32")("a signal that ends the agent", () => {
  it.each([
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
    ["SIGTERM", 143],
  ] as const)("%s ends its commands, too, with exit code %i", async (signal, exitCode) => {
    const lasting = (name: string, background: boolean) => shell(`exec sleep ${name}`, { background });
    const words = [1, 2].map((at) => `${at}${process.pid}${exitCode}.25`);
    const [behind = "", before = ""] = words;
    const { begin } = scripted([lasting(behind, true), lasting(before, false), done]);
    const child = begin(["-p", "Go.", ...yolo]);
    const isSleeping = (word: string) => running(`sleep ${word}`).length > 0;
    await until(() => words.every(isSleeping));
    onTestFinished(() => {
      for (const pid of words.flatMap(running)) process.kill(pid, "SIGKILL");
    });
    const ended = codeOf(child);
    child.kill(signal);
    expect(await ended).toBe(exitCode);
    await until(() => !words.some(isSleeping));
  });

  it("SIGINT in the middle of a compaction leaves the session as it was, and the next one works", async () => {
    const long = Array.from({ length: 600 }, (_, at) => `line ${at} of a file that is read\n`).join("");
    const summary = "## Task Overview\nThe files were read.\n## Next Steps\nNone.";
    const reads = ["a.txt", "b.txt"].map((path) => ({ calls: [call("read_file", { file_path: path })] }));
    const files = { "a.txt": long, "b.txt": long.replaceAll("read", "kept") };
    const { home, play, run, begin } = scripted([...reads, done], { files });
    const first = await run(["-p", "Read.", "-o", "json"]);
    expect(first.code, first.stderr).toBe(0);
    const { session_id: id } = JSON.parse(first.stdout);
    const folder = join(home.folder, "state");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const journal = names.find((one) => one.includes(id) && one.endsWith(".jsonl")) ?? "";
    const kept = () => readFileSync(join(folder, journal));
    const before = kept();

    play([{ delayMs: hangMs, text: summary }]);
    const child = begin(["-p", "/compact", "-r", id, "-o", "stream-json"], ["ignore", "pipe", "pipe"]);
    const said = saidBy(child);
    const ended = codeOf(child);
    // It says first that it has begun; the summary is a minute away.
    await until(() => said.stdout.includes('"init"'));
    await wait(500);
    child.kill("SIGINT");
    expect(await ended, said.stderr).toBe(130);
    expect(kept().equals(before)).toBe(true);

    play([{ text: summary }]);
    const compacted = await run(["-p", "/compact", "-r", id]);
    expect(compacted, compacted.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/summ/u) });
    expect(kept().length).toBeGreaterThan(before.length);
    play([{ expects: ["The files were read."], text: "Yes." }]);
    expect(await run(["-p", "Go on.", "-r", id])).toMatchObject({ code: 0, stdout: "Yes.\n" });
  });
});

describe.skipIf(process.platform === "win32")("an order that was cut short", () => {
  it.each([
    ["SIGINT", "while the model is asked", "The person stopped this here."],
    ["SIGKILL", "while the model is asked", "This was broken off here"],
    ["SIGINT", "in a command", "The person stopped this here."],
    ["SIGKILL", "in a command", "This was broken off here"],
  ] as const)("by %s %s is no order any more when the session goes on", async (signal, place, words) => {
    const isCommand = place === "in a command";
    const seconds = `3${process.pid}.${signal.length}`;
    const first = isCommand ? shell(`exec sleep ${seconds}`) : { delayMs: hangMs, text: "Late." };
    const { home, play, run, begin } = scripted([first, done]);
    const child = begin(["-p", "Delete all.", ...yolo]);
    const ended = codeOf(child);
    const isKept = () =>
      journalsIn(join(home.folder, "state")).some((text) => text.includes('"user_message"'));
    await until(() => (isCommand ? running(`sleep ${seconds}`).length > 0 : isKept()));
    child.kill(signal);
    await ended;
    const isLeft = running(`sleep ${seconds}`).length > 0;
    expect(isLeft).toBe(isCommand && signal === "SIGKILL");
    play([{ expects: ["Delete all.", words, "What is there?"], text: "Yes." }]);
    const gone = await run(["-c", "-p", "What is there?"]);
    expect(gone).toMatchObject({ code: 0, stdout: "Yes.\n" });
    expect(gone.stderr.includes(`what it left running was ended: sleep ${seconds}`)).toBe(isLeft);
    expect(running(`sleep ${seconds}`)).toEqual([]);
  });

  it("has left in the background what the next run ends, and tells of to the person and the model", async () => {
    const seconds = `4${process.pid}.5`;
    const command = `trap 'echo ended >> log' TERM; sleep ${seconds} & wait`;
    const begun = [call("run_shell_command", { command, background: true })];
    const { project, play, run, begin } = scripted([{ calls: begun }, { delayMs: hangMs, text: "Late." }]);
    const child = begin(["-p", "Serve.", ...yolo]);
    const ended = codeOf(child);
    await until(() => running(`sleep ${seconds}`).length > 0);
    child.kill("SIGKILL");
    await ended;
    play([shell("echo here"), { expects: [`what it left running was ended: ${command}`], text: "Yes." }]);
    const gone = await run(["-c", "-p", "Go on.", ...yolo]);
    expect(gone, gone.stderr).toMatchObject({ code: 0, stdout: "Yes.\n" });
    expect(gone.stderr).toContain(`what it left running was ended: ${command}`);
    expect(running(`sleep ${seconds}`)).toEqual([]);
    expect(project.text("log")).toBe("ended\n");
  });

  it("is ended by no run that began within it, as in a terminal that it had opened", async () => {
    const seconds = `5${process.pid}.5`;
    const command = `printf %s "$HOLDFAST_COMMAND" > marker; sleep ${seconds}`;
    const { project, play, run, begin } = scripted([shell(command)]);
    const child = begin(["-p", "Serve.", ...yolo]);
    const ended = codeOf(child);
    await until(() => running(`sleep ${seconds}`).length > 0);
    child.kill("SIGKILL");
    await ended;
    const more = { env: { HOLDFAST_COMMAND: project.text("marker") } };
    play([{ text: "Yes." }]);
    const within = await run(["-c", "-p", "Go on."], more);
    expect(within.stderr).not.toContain("was ended");
    expect(running(`sleep ${seconds}`)).not.toEqual([]);
    play([{ text: "Yes." }]);
    expect((await run(["-c", "-p", "Go on."])).stderr).toContain("was ended");
    expect(running(`sleep ${seconds}`)).toEqual([]);
  });

  it("has one exit code wherever its session is in use", async () => {
    const { play, run, begin } = scripted([{ text: "Yes." }]);
    const { session_id: id } = JSON.parse((await run(["-p", "Go.", "-o", "json"])).stdout);
    play([{ delayMs: hangMs, text: "Late." }]);
    const child = begin(["-p", "Go on.", "-r", id, "-o", "stream-json"], ["ignore", "pipe", "pipe"]);
    const said = saidBy(child);
    await until(() => said.stdout.includes('"init"'));
    for (const line of ["/compact", "/history label x", "More."])
      expect(await run(["-r", id, "-p", line]), line).toMatchObject({ code: 7 });
    child.kill("SIGINT");
    await codeOf(child);
  });
});

describe.skipIf(process.platform === "win32")("a reader of standard output that goes away", () => {
  it("ends the turn as a cancel does, and the exit code says so", async () => {
    const { project, run, begin } = scripted([shell("sleep 1"), shell("touch later.txt"), done]);
    const child = begin(["-p", "Go.", "-o", "stream-json", ...yolo], ["ignore", "pipe", "ignore"]);
    const ended = once(child, "exit");
    child.stdout?.once("data", () => child.stdout?.destroy());
    expect((await ended)[0]).toBe(141);
    expect(project.has("later.txt")).toBe(false);
    const after = await run(["-c", "-p", "/history view"]);
    expect(after, after.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("Go.") });
  });

  it("costs a run nothing that has ended", async () => {
    const { home, project, env } = scripted([done]);
    const command = `"$0" "$1" -p Go. --script "${join(home.folder, "script.json")}" | true; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", command, process.execPath, program], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => endProcess(child));
    const said = saidBy(child);
    await once(child, "close");
    expect(said.stdout).toBe("0\n");
  });
});

describe("a pipe beside a prompt", () => {
  it("that stays open and silent is not waited for", async () => {
    const child = scripted([done]).begin(["-p", "Go."], "pipe");
    const said = saidBy(child);
    expect(await codeOf(child)).toBe(0);
    const notice = "Nothing came by standard input within 3 s: the prompt stands alone.\n";
    expect(said).toEqual({ stdout: "Done.\n", stderr: notice });
  });

  it("that begins late is read to its end", async () => {
    const child = scripted([{ ...done, expects: ["one two\n\nGo."] }]).begin(["-p", "Go."], "pipe");
    const said = saidBy(child);
    const ended = codeOf(child);
    child.stdin?.write("one ");
    await wait(3_500);
    child.stdin?.end("two");
    expect(await ended).toBe(0);
    expect(said).toEqual({ stdout: "Done.\n", stderr: "" });
  });
});
