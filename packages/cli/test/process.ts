import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

/** The program as npm links it. */
export const program = fileURLToPath(new URL("../bin/holdfast.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface Surroundings {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the built program as a process of its own, and waits for its end. */
export function runHoldfast(
  args: readonly string[],
  { cwd, input, env }: Surroundings = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: home, XDG_STATE_HOME: join(home, "state"), ...env },
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => out.push(part));
  child.stderr.on("data", (part: Buffer) => err.push(part));
  // A program that needs no input may be gone before it is given any.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const bytes = Buffer.concat(out);
      resolve({ code, signal, bytes, stdout: bytes.toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}

/** Runs the built program as another user, which only root may. */
export function runAs(
  uid: number,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Pick<Finished, "code" | "stdout" | "stderr">> {
  // A copy that everybody can read: the checkout may lie below a folder that is closed to others.
  const open = mkdtempSync(join(tmpdir(), "holdfast-nobody-"));
  cpSync(dirname(dirname(program)), open, { recursive: true });
  execFileSync("chmod", ["-R", "a+rX", open]);
  const copied = join(open, "bin/holdfast.js");
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(open, "state"), ...more };
  // Node itself may lie where the other user may not go: it starts as root and becomes the other user.
  const become = `process.setgroups([${uid}]); process.setgid(${uid}); process.setuid(${uid});`;
  const start = `${become} process.argv.splice(1, 0, "holdfast"); import(${JSON.stringify(copied)});`;
  const child = spawn(process.execPath, ["-e", start, "--", ...args], { cwd: "/", env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part) => {
    stdout += part;
  });
  child.stderr.on("data", (part) => {
    stderr += part;
  });
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      rmSync(open, { recursive: true, force: true });
      resolve({ code, stdout, stderr });
    });
  });
}

/** A folder with files, gone after the tests of the file that made it. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cli-")));

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    folders.push(this.folder);
    for (const [name, content] of Object.entries(files)) this.put(name, content);
  }

  put(name: string, content: string | Uint8Array): void {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  bytes(name: string): Buffer {
    return readFileSync(join(this.folder, name));
  }

  text(name: string): string {
    return this.bytes(name).toString();
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }

  hash(name: string): string {
    return sha256(this.bytes(name));
  }

  run(args: readonly string[], surroundings: Surroundings = {}): Promise<Finished> {
    return runHoldfast(args, { cwd: this.folder, ...surroundings });
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** A unified diff that replaces one line, with a line number that is wrong. */
export function replaceLine(from: string, to: string): string {
  return `@@ -77,1 +77,1 @@\n-${from}\n+${to}\n`;
}

const folders: string[] = [];
const home = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-home-")));
folders.push(home);

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
