import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
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
import { isThere } from "../addon-there.js";
import { Project, program } from "../process.js";

/**
 * Whoever asks for the time waits for a millisecond and finds that a tenth of a second is gone: so little work is long
 * on any machine. The line at which a key will be pressed holds the program until the key is there.
 */
const slowClock = `const cell = new Int32Array(new SharedArrayBuffer(4)), now = Date.now, { stderr } = process;
  let asked = 0;
  Date.now = () => (Atomics.wait(cell, 0, 0, 1), now() + 100 * asked++);
  const write = stderr.write.bind(stderr), { HELD_AT } = process.env;
  stderr.write = (text, ...rest) => {
    const isTaken = write(text, ...rest);
    if (HELD_AT !== undefined && String(text).includes(HELD_AT)) Atomics.wait(cell, 0, 0, 300);
    return isTaken;
  };`;
const entries = 1_200;
const canTry = process.platform === "linux" && isThere("importers");

const project = new Project();
const { folder } = project;
const stateDir = join(folder, "state");
const large = join(folder, "large.jsonl");
const env = {
  PATH: process.env.PATH ?? "",
  HOME: folder,
  TERM: "xterm",
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowClock)}`,
};
let id = "";

const message = (at: number) => ({ role: "user", content: `words of turn ${at}, ${"and more ".repeat(40)}` });
const lines = [
  { type: "session", version: 3, id: "large", cwd: "/" },
  ...Array.from({ length: entries }, (_, at) => ({
    type: "message",
    id: `e${at}`,
    parentId: at === 0 ? null : `e${at - 1}`,
    message: message(at),
  })),
].map((line) => `${JSON.stringify(line)}\n`);

beforeAll(async () => {
  if (!canTry) return;
  writeFileSync(large, lines.join(""));
  const imported = await project.run(["sessions", "import", large, "--json", "--state-dir", stateDir]);
  id = JSON.parse(imported.stdout).id;
});

function ended(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  onTestFinished(() => endProcess(child));
  return new Promise((resolve) => child.on("close", resolve));
}

/** Runs a command on a terminal and presses Ctrl-C once it shows this word. */
async function interruptedAt(word: string, args: readonly string[], state = stateDir): Promise<string> {
  const command = [process.execPath, program, ...args, "--state-dir", state];
  const quoted = command.map((part) => `'${part}'`).join(" ");
  const child = spawn("script", ["-qec", quoted, "/dev/null"], {
    cwd: folder,
    env: { ...env, HELD_AT: word },
  });
  const code = ended(child);
  let shown = "";
  let isAsked = false;
  child.stdout.on("data", (part: Buffer) => {
    shown += part.toString();
    if (isAsked || !shown.includes(word)) return;
    isAsked = true;
    // As a person's key: the terminal makes a signal of it.
    child.stdin.write("\u0003");
  });
  expect([await code, shown]).toEqual([130, expect.stringContaining(word)]);
  return shown;
}

/** Everything that is kept of sessions, half or whole. */
function kept(state: string): readonly string[] {
  const conversations = join(state, "conversations");
  return existsSync(conversations) ? readdirSync(conversations, { recursive: true, encoding: "utf8" }) : [];
}

/** A folder that holds nothing but the file that somebody else put there. */
function withForeign(name: string): { readonly folder: string; readonly file: string } {
  const file = join(folder, name, "out.jsonl");
  mkdirSync(join(folder, name));
  writeFileSync(file, "foreign\n", { mode: 0o640 });
  return { folder: join(folder, name), file };
}

describe.runIf(canTry)("Ctrl-C", () => {
  test("ends an export; nothing stands half written, and what it was to replace stands as it was", async () => {
    const foreign = withForeign("replaced");
    const args = ["sessions", "export", id, "--yes", "--output", foreign.file];
    const shown = await interruptedAt("Exporting: ", args);
    expect(shown).toMatch(/Interrupted: nothing was exported, and ".*out\.jsonl" stands as it was\.\r\n$/);
    expect(readFileSync(foreign.file, "utf8")).toBe("foreign\n");
    expect(readdirSync(foreign.folder)).toEqual(["out.jsonl"]);
  });

  test("ends an export to a new file, which then is not there", async () => {
    const fresh = join(folder, "fresh");
    mkdirSync(fresh);
    const args = ["sessions", "export", id, "--output", join(fresh, "out.jsonl")];
    const shown = await interruptedAt("Exporting: ", args);
    expect(shown).toMatch(/Interrupted: nothing was exported\.\r\n$/);
    expect(readdirSync(fresh)).toEqual([]);
  });

  test("ends verify between two slices", async () => {
    const shown = await interruptedAt("Verifying 1 of 1: ", ["sessions", "verify"]);
    expect(shown).toMatch(/Interrupted: 0 sessions of 1 looked at, nothing changed\.\r\n$/);
  });

  test.each(["Importing: ", "Storing: "])(
    "ends an import at %j: no session, and nothing of one",
    async (word) => {
      const state = join(folder, word.slice(0, 4));
      const shown = await interruptedAt(word, ["sessions", "import", large], state);
      const cleared = "\r\u001b[K";
      expect(shown).toContain(`${cleared}${word}`);
      // The line is cleared before the last word.
      const last = "Interrupted: nothing was imported, and the sessions stand as they were.\r\n";
      expect(shown.endsWith(`${cleared}${last}`)).toBe(true);
      expect(kept(state)).toEqual([]);
      const listed = await project.run(["sessions", "list", "--json", "--state-dir", state]);
      expect(JSON.parse(listed.stdout)).toMatchObject({ success: true, sessions: [] });
      // Whole the next time.
      const again = await project.run(["sessions", "import", large, "--state-dir", state]);
      expect(again.stdout).toContain(`Imported ${entries + 1} nodes`);
    },
  );

  test("ends gc, which tells how much it has removed", async () => {
    const state = join(folder, "states");
    await project.run(["write", "a.txt", "--state-dir", state], { input: "a\n" });
    const blobs = join(state, "blobs", "aa");
    mkdirSync(blobs, { recursive: true });
    const states = 2_000;
    for (let at = 0; at < states; at++) {
      const file = join(blobs, at.toString(16).padStart(62, "0"));
      writeFileSync(file, "");
      utimesSync(file, 1, 1);
    }
    const shown = await interruptedAt("Collecting: ", ["gc"], state);
    const removed = Number(/Removed (\d+) states/.exec(shown)?.[1]);
    expect(removed).toBeLessThan(states);
    expect(readdirSync(blobs)).toHaveLength(states - removed);
    expect(shown).toContain("Interrupted: what is counted was done, and the rest stands as it was.");
  });

  test("ends an import from a pipe, to which nothing is shown of how far it is", async () => {
    const state = join(folder, "piped");
    const args = [program, "sessions", "import", "-", "--state-dir", state];
    const child = spawn(process.execPath, args, { env });
    const code = ended(child);
    let told = "";
    child.stderr.on("data", (part: Buffer) => {
      told += part.toString();
    });
    // More than a pipe holds: when it is taken, the program is reading.
    await new Promise((taken) => child.stdin.write(lines.slice(0, entries / 2).join(""), taken));
    child.kill("SIGINT");
    expect(await code).toBe(130);
    expect(told).toBe("Interrupted: nothing was imported, and the sessions stand as they were.\n");
    expect(kept(state)).toEqual([]);
  });
});

describe.runIf(canTry)("an export", () => {
  test("is taken away when the program is told to end", async () => {
    const foreign = withForeign("ended");
    const output = ["--yes", "--output", foreign.file, "--state-dir", stateDir];
    const child = spawn(process.execPath, [program, "sessions", "export", id, ...output], { env });
    const code = ended(child);
    while (readdirSync(foreign.folder).length === 1 && child.exitCode === null) await wait(1);
    expect(readFileSync(foreign.file, "utf8")).toBe("foreign\n");
    child.kill("SIGTERM");
    expect(await code).toBe(143);
    expect(readdirSync(foreign.folder)).toEqual(["out.jsonl"]);
    expect(readFileSync(foreign.file, "utf8")).toBe("foreign\n");
  });

  test("keeps the mode of what it replaces, and follows a link to it", async () => {
    const foreign = withForeign("linked");
    const link = join(folder, "link.jsonl");
    symlinkSync(foreign.file, link);
    const state = ["--state-dir", join(folder, "small-state")];
    const input = lines.slice(0, 3).join("");
    const imported = await project.run(["sessions", "import", "-", "--json", ...state], { input });
    const args = ["sessions", "export", JSON.parse(imported.stdout).id, "--yes", "--output", link, ...state];
    expect((await project.run(args)).code).toBe(0);
    expect(statSync(foreign.file).mode & 0o777).toBe(0o640);
    expect(readFileSync(foreign.file, "utf8").split("\n")).toHaveLength(6);
    expect(readdirSync(foreign.folder)).toEqual(["out.jsonl"]);
  });
});
