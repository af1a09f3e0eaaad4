import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

const entries = 60_000;

/** A session that takes seconds to be written out, and the state folder that it is in. */
let kept: {
  readonly project: Project;
  readonly stateDir: string;
  readonly id: string;
  readonly file: string;
};

beforeAll(async () => {
  const project = new Project();
  const stateDir = join(project.folder, "state");
  const lines = [JSON.stringify({ type: "session", version: 3, id: "large", cwd: "/" })];
  for (let at = 0; at < entries; at++) {
    const message = { role: "user", content: `words of turn ${at}` };
    const parentId = at === 0 ? null : `e${at - 1}`;
    lines.push(JSON.stringify({ type: "message", id: `e${at}`, parentId, message }));
  }
  const file = join(project.folder, "large.jsonl");
  writeFileSync(file, `${lines.join("\n")}\n`);
  await project.run(["sessions", "import", file, "--state-dir", stateDir]);
  const listed = await project.run(["sessions", "list", "--json", "--state-dir", stateDir]);
  kept = { project, stateDir, file, id: JSON.parse(listed.stdout).sessions[0].id };
});

/** Runs a command on a terminal and presses Ctrl-C once it shows this word. */
async function interruptedAt(
  word: string,
  args: readonly string[],
  stateDir = kept.stateDir,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const command = [process.execPath, program, ...args, "--state-dir", stateDir];
  const child = spawn("script", ["-qec", command.map((part) => `'${part}'`).join(" "), "/dev/null"], {
    cwd: kept.project.folder,
    env: { PATH: process.env.PATH ?? "", HOME: kept.project.folder, TERM: "xterm" },
  });
  onTestFinished(() => endProcess(child));
  let shown = "";
  let isAsked = false;
  child.stdout.on("data", (part: Buffer) => {
    shown += part.toString();
    if (isAsked || !shown.includes(word)) return;
    isAsked = true;
    child.stdin.write("\u0003");
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, shown };
}

/** A folder that holds nothing but the file that somebody else put there. */
function withForeign(name: string): { readonly folder: string; readonly file: string } {
  const folder = join(kept.project.folder, name);
  const file = join(folder, "out.jsonl");
  mkdirSync(folder);
  writeFileSync(file, "foreign\n", { mode: 0o640 });
  return { folder, file };
}

describe.runIf(process.platform === "linux")("Ctrl-C", () => {
  test("ends an export; nothing stands half written, and what it was to replace stands as it was", async () => {
    const { folder, file } = withForeign("replaced");
    const args = ["sessions", "export", kept.id, "--yes", "--output", file];
    const { code, shown } = await interruptedAt("Exporting: ", args);
    expect(code).toBe(130);
    expect(shown).toMatch(/Interrupted: nothing was exported, and ".*out\.jsonl" stands as it was\.\r\n$/);
    expect(readFileSync(file, "utf8")).toBe("foreign\n");
    expect(readdirSync(folder)).toEqual(["out.jsonl"]);
  });

  test("ends an export to a new file, which then is not there", async () => {
    const folder = join(kept.project.folder, "fresh");
    mkdirSync(folder);
    const args = ["sessions", "export", kept.id, "--output", join(folder, "out.jsonl")];
    const { code, shown } = await interruptedAt("Exporting: ", args);
    expect(code).toBe(130);
    expect(shown).toMatch(/Interrupted: nothing was exported\.\r\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("ends verify between two slices", async () => {
    const { code, shown } = await interruptedAt("Verifying 1 of 1: ", ["sessions", "verify"]);
    expect(code).toBe(130);
    expect(shown).toMatch(/Interrupted: 0 sessions of 1 looked at, nothing changed\.\r\n$/);
  });

  test("ends an import that is being stored: no session, and nothing of one", async () => {
    const stateDir = join(kept.project.folder, "empty");
    const { code, shown } = await interruptedAt("Storing: ", ["sessions", "import", kept.file], stateDir);
    expect(code).toBe(130);
    expect(shown).toMatch(/Interrupted: nothing was imported, and the sessions stand as they were\.\r\n$/);
    expect(existsSync(join(stateDir, "conversations"))).toBe(false);
    const listed = await kept.project.run(["sessions", "list", "--json", "--state-dir", stateDir]);
    expect(JSON.parse(listed.stdout)).toMatchObject({ success: true, sessions: [] });
    // Whole the next time.
    const again = await kept.project.run(["sessions", "import", kept.file, "--state-dir", stateDir]);
    expect(again.stdout).toContain(`Imported ${entries + 1} nodes`);
  });

  test("ends gc, which tells how much it has removed", async () => {
    const stateDir = join(kept.project.folder, "states");
    await kept.project.run(["write", "a.txt", "--state-dir", stateDir], { input: "a\n" });
    const folder = join(stateDir, "blobs", "aa");
    mkdirSync(folder, { recursive: true });
    const states = 20_000;
    for (let at = 0; at < states; at++) {
      const file = join(folder, at.toString(16).padStart(62, "0"));
      writeFileSync(file, "");
      utimesSync(file, 1, 1);
    }
    const { code, shown } = await interruptedAt("Collecting: ", ["gc"], stateDir);
    expect(code).toBe(130);
    const removed = Number(/Removed (\d+) states/.exec(shown)?.[1]);
    expect(removed).toBeLessThan(states);
    expect(readdirSync(folder)).toHaveLength(states - removed);
    expect(shown).toContain("Interrupted: what is counted was done, and the rest stands as it was.");
  });
});

describe.runIf(process.platform === "linux")("an export", () => {
  test("is taken away when the program is told to end", async () => {
    const { folder, file } = withForeign("ended");
    const args = ["sessions", "export", kept.id, "--yes", "--output", file, "--state-dir", kept.stateDir];
    const child = spawn(process.execPath, [program, ...args], { env: { PATH: process.env.PATH ?? "" } });
    onTestFinished(() => endProcess(child));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    while (readdirSync(folder).length === 1 && child.exitCode === null) await wait(1);
    expect(readFileSync(file, "utf8")).toBe("foreign\n");
    child.kill("SIGTERM");
    expect(await ended).toBe(143);
    expect(readdirSync(folder)).toEqual(["out.jsonl"]);
    expect(readFileSync(file, "utf8")).toBe("foreign\n");
  });

  test("keeps the mode of what it replaces, and follows a link to it", async () => {
    const { folder, file } = withForeign("linked");
    const link = join(kept.project.folder, "link.jsonl");
    symlinkSync(file, link);
    const small = join(kept.project.folder, "small.jsonl");
    writeFileSync(small, readFileSync(kept.file, "utf8").split("\n").slice(0, 3).join("\n"));
    const state = ["--state-dir", join(kept.project.folder, "small-state")];
    const imported = await kept.project.run(["sessions", "import", small, "--json", ...state]);
    const { id } = JSON.parse(imported.stdout);
    const args = ["sessions", "export", id, "--yes", "--output", link, ...state];
    expect((await kept.project.run(args)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(6);
    expect(readdirSync(folder)).toEqual(["out.jsonl"]);
  });
});
