import { type ChildProcess, execFileSync, type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterThisFile } from "../../../../test/cleanups.js";
import { has, isRoot } from "../../../../test/tools.js";
import type { Changed, Committed, Expected, ExpectedFile, FileBytes, Target } from "../../src/files/index.js";
import { isRefusal, type Refusal } from "../../src/files/values/index.js";
import { type CommitOptions, commitFile, removeFile } from "../../src/node/commit/commit.js";
import { type OpenedDisk, openDisk, spotOf } from "../../src/node/commit/disk-target.js";
import { sha256 } from "../../src/node/disk/reading.js";
import { openStateFolder, type StateFolder } from "../../src/node/state-folder/state-folder.js";

/** A fresh folder, removed after the tests of the file. */
export function freshFolder(prefix = "holdfast-test-"): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function must<T extends { readonly kind: string }>(value: T | Refusal): Exclude<T, Refusal> {
  if (isRefusal(value)) throw new Error(`refused: ${value.code}: ${value.message}`);
  // A refusal was ruled out just now; the compiler does not narrow a type parameter.
  return value as Exclude<T, Refusal>;
}

export function diskAt(...roots: string[]): OpenedDisk {
  return must(openDisk(roots));
}

export function stateAt(path: string): StateFolder {
  return must(openStateFolder(path));
}

/** What a result is, in one word: the code of a refusal, else its kind. */
export function verdict(value: { readonly kind: string }): string {
  return isRefusal(value) ? value.code : value.kind;
}

/** Enters, works, closes. */
export async function at<T>(
  disk: OpenedDisk,
  path: string,
  work: (place: Target) => Promise<T>,
  missing: "refuse" | "allow" | "create" = "refuse",
): Promise<T | Refusal> {
  const place = await disk.enter(path, missing);
  if (isRefusal(place)) return place;
  try {
    return await work(place);
  } finally {
    await place.close();
  }
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export const limit = 16 * 1024 * 1024;
export const plain: CommitOptions = { guard: async () => true, inPlace: false };
export const inPlace: CommitOptions = { guard: async () => true, inPlace: true };

export function expectedOf(file: FileBytes): ExpectedFile {
  return { kind: "file", sha256: sha256(file.bytes), identity: file.identity };
}

/** The commit of one file, without a record. @param bytes `null` deletes the file. */
export async function commitAt(
  place: Target,
  bytes: Uint8Array | null,
  expected: Expected,
  options: CommitOptions = plain,
): Promise<Committed | Changed | Refusal> {
  const spot = spotOf(place);
  if (spot === undefined) throw new Error("nothing can stand there");
  if (bytes !== null) return commitFile(spot, bytes, expected, options);
  if (expected.kind === "absent") throw new Error("nothing stands there");
  return removeFile(spot, expected, options);
}

/** Reads and commits as a workspace does: replaces what is there. */
export async function rewrite(
  disk: OpenedDisk,
  path: string,
  text: string | Uint8Array,
  options: CommitOptions = plain,
) {
  const bytes = typeof text === "string" ? bytesOf(text) : text;
  return at(disk, path, async (place) => {
    const file = await place.read(limit);
    return isRefusal(file) ? file : commitAt(place, bytes, expectedOf(file), options);
  });
}

export async function create(disk: OpenedDisk, path: string, text: string, options: CommitOptions = plain) {
  return at(disk, path, (place) => commitAt(place, bytesOf(text), { kind: "absent" }, options), "create");
}

/** How many descriptors this process has open. */
export function openDescriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

/** The stage files that are left in a folder. */
export function stagesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(".holdfast-"));
}

/** The node room as one file that a child process can import; built from the sources, once a test file. */
export function builtRoom(): string {
  if (built !== undefined && existsSync(built)) return built;
  const cache = fileURLToPath(new URL("../../../../node_modules/.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "holdfast-node-"));
  afterThisFile(() => rmSync(folder, { recursive: true, force: true }));
  built = join(folder, "room.mjs");
  buildSync({
    entryPoints: [fixture("room.ts")],
    outfile: built,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  });
  return built;
}

let built: string | undefined;

export function fixture(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

/** Runs a fixture to its end in a process of its own. */
export function runFixture(name: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [fixture(name), builtRoom(), ...args], { encoding: "utf8" });
}

/** The same under strace with these options. */
export function runTraced(
  options: readonly string[],
  name: string,
  ...args: string[]
): SpawnSyncReturns<string> {
  return spawnSync("strace", tracing(options, name, args), { encoding: "utf8" });
}

/** The same without waiting for it. */
export function startTraced(options: readonly string[], name: string, ...args: string[]): ChildProcess {
  return spawn("strace", tracing(options, name, args), { stdio: ["ignore", "pipe", "inherit"] });
}

function tracing(options: readonly string[], name: string, args: readonly string[]): readonly string[] {
  // Far quicker, but this strace injects no signals then.
  const quick = options.some((option) => option.includes("signal=")) ? [] : ["--seccomp-bpf"];
  return ["-f", "-qq", ...quick, ...options, process.execPath, fixture(name), builtRoom(), ...args];
}

function works(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export { isRoot };
export const hasStrace = has("strace");

/** A small file system in memory, if we may mount one. */
export function mountTmpfs(sizeKiB: number): { path: string; unmount: () => void } | undefined {
  const path = freshFolder();
  if (!isRoot || !works("mount", "-t", "tmpfs", "-o", `size=${sizeKiB}k,mode=700`, "tmpfs", path))
    return undefined;
  return { path, unmount: () => void works("umount", "--lazy", path) };
}

export function textAt(path: string): string {
  return readFileSync(path, "utf8");
}

/** Where a state folder's operation log goes on this week. */
export function logIn(stateDir: string): string {
  const week = new Date(Date.now() - (Date.now() % 604_800_000));
  return join(stateDir, "operations", `${week.toISOString().slice(0, 10)}.jsonl`);
}
