import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { Project, program } from "../process.js";

const long = Array.from({ length: 600 }, (_, at) => `line ${at} of a file that is read\n`).join("");
const read = (path: string) => ({ calls: [{ name: "read_file", args: { file_path: path } }] });
const summary = "## Task Overview\nThe files were read.\n## Next Steps\nNone.";

/** A session of three reads, and the program over it. */
async function played() {
  const project = new Project({ "a.txt": long, "b.txt": long.replaceAll("read", "kept") });
  const home = new Project({
    "settings.jsonc": JSON.stringify({ context: { compactTailTokens: 200 } }),
  });
  const env = { HOLDFAST_HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state"), HOME: home.folder };
  const playing = (answers: readonly object[]) => {
    home.put("script.json", JSON.stringify(answers));
    return ["--script", join(home.folder, "script.json"), "--approval-mode", "yolo"];
  };
  const run = (args: readonly string[], answers: readonly object[]) =>
    project.run([...args, ...playing(answers)], { env, cwd: project.folder });
  const begin = (args: readonly string[], answers: readonly object[]) =>
    spawn(process.execPath, [program, ...args, ...playing(answers)], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const first = await run(["-p", "Read.", "-o", "json"], [read("a.txt"), read("b.txt"), { text: "Read." }]);
  expect(first.code, first.stderr).toBe(0);
  const id: string = JSON.parse(first.stdout).session_id;
  const journal = () => {
    const folder = join(home.folder, "state");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const name = names.find((one) => one.includes(id) && one.endsWith(".jsonl"));
    if (name === undefined) throw new Error(names.join("\n"));
    return readFileSync(join(folder, name));
  };
  const verify = () => project.run(["sessions", "verify", id], { env, cwd: project.folder });
  return { run, begin, id, journal, verify };
}

/** Ends the program while the summary is written: it says first that it has begun, and the answer is a minute away. */
async function ended({ begin, id }: Awaited<ReturnType<typeof played>>, signal: NodeJS.Signals) {
  const child = begin(
    ["-p", "/compact", "-r", id, "-o", "stream-json"],
    [{ delayMs: 60_000, text: summary }],
  );
  let said = "";
  child.stdout.on("data", (part) => (said += part));
  child.stderr.on("data", (part) => (said += part));
  const over = new Promise<number | null>((done) => child.on("close", done));
  await expect.poll(() => said, { timeout: 60_000 }).toContain('"init"');
  await wait(500);
  child.kill(signal);
  return { code: await over, said };
}

it("leaves a session as it was where the program is ended in the middle of a compaction", async () => {
  const session = await played();
  const { run, id, journal } = session;
  const before = journal();
  expect(await ended(session, "SIGKILL")).toMatchObject({ code: null });
  expect(journal().equals(before)).toBe(true);
  const cancelled = await ended(session, "SIGINT");
  expect(cancelled.code, cancelled.said).toBe(130);
  expect(journal().equals(before)).toBe(true);
  const verified = await session.verify();
  expect(verified.code, verified.stdout).toBe(0);

  const done = await run(["-p", "/compact", "-r", id], [{ text: summary }]);
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toMatch(/summ/u);
  expect(journal().length).toBeGreaterThan(before.length);
  const next = await run(["-p", "Go on.", "-r", id], [{ expects: ["The files were read."], text: "Yes." }]);
  expect(next.code, next.stderr).toBe(0);
}, 120_000);
