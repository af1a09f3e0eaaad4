import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
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
import { afterThisFile } from "../../../test/cleanups.js";
import { type CommandLine, type Ended, runInLoop } from "./command-loop.js";

/** The program as npm links it. */
export const program = fileURLToPath(new URL("../bin/holdfast.js", import.meta.url));

/** Never called: it says to `npm run test:changed` what the program is made of. */
export const madeOf = () => import("../src/main.js");

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
  /** In a process of its own: where its start, its end, its signals or its descriptors are what the case is about. */
  readonly process?: boolean;
}

/** Runs the built program to its end. */
export async function runHoldfast(
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Finished> {
  const { cwd = process.cwd(), input = "", process: isProcess = needsProcess(surroundings) } = surroundings;
  const line = { program, args, cwd, input, env: environmentOf(surroundings) };
  const { code, signal, out, err } = await (isProcess ? runAsProcess(line) : runInLoop(line));
  return { code, signal, bytes: out, stdout: out.toString(), stderr: err.toString() };
}

/** Node reads variables of its own only when it starts. */
function needsProcess({ env = {} }: Surroundings): boolean {
  return Object.keys(env).some((name) => name.startsWith("NODE_"));
}

function environmentOf({ env }: Surroundings): Readonly<Record<string, string>> {
  return { PATH: process.env.PATH ?? "", HOME: ownHome(), XDG_STATE_HOME: join(ownHome(), "state"), ...env };
}

function runAsProcess({ args, cwd, env, input }: CommandLine): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], { cwd, env });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => out.push(part));
  child.stderr.on("data", (part: Buffer) => err.push(part));
  // A program that needs no input may be gone before it is given any.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code, signal, out: Buffer.concat(out), err: Buffer.concat(err) });
    });
  });
}

/** Runs the built program as another user, which only root may. */
export function runAs(
  uid: number,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Pick<Finished, "code" | "stdout" | "stderr">> {
  openCopy ??= copyForOthers();
  const copied = openCopy;
  const state = join(copied, "states", String(++runsAsOther));
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: state, ...more };
  // Node itself may lie where the other user may not go: it starts as root and becomes the other user.
  const become = `process.setgroups([${uid}]); process.setgid(${uid}); process.setuid(${uid});`;
  const start = `${become} process.argv.splice(1, 0, "holdfast"); import(${JSON.stringify(join(copied, "bin/holdfast.js"))});`;
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
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

let openCopy: string | undefined;
let runsAsOther = 0;

/** The program where everybody can read it: the checkout may lie below a folder that is closed to others. */
function copyForOthers(): string {
  const open = mkdtempSync(join(tmpdir(), "holdfast-nobody-"));
  afterThisFile(() => {
    rmSync(open, { recursive: true, force: true });
    openCopy = undefined;
  });
  for (const part of ["bin", "dist/bundle", "package.json"])
    cpSync(join(dirname(dirname(program)), part), join(open, part), { recursive: true });
  execFileSync("chmod", ["-R", "a+rX", open]);
  mkdirSync(join(open, "states"));
  chmodSync(join(open, "states"), 0o777);
  return open;
}

/** A folder with files, gone after the tests of the file that made it. */
export class Project {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-cli-")));

  constructor(files: Readonly<Record<string, string | Uint8Array>> = {}) {
    afterThisFile(() => rmSync(this.folder, { recursive: true, force: true }));
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

let home: string | undefined;

/** The home folder of all runs of a file of tests. */
function ownHome(): string {
  if (home !== undefined) return home;
  const made = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-home-")));
  afterThisFile(() => {
    rmSync(made, { recursive: true, force: true });
    home = undefined;
  });
  home = made;
  return made;
}
