import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { homedir, hostname, constants as osConstants, tmpdir } from "node:os";
import { isAbsolute, join, parse } from "node:path";
import { DiskFault, type FaultState } from "../../files/index.js";
import { type Refusal, type RefusalCode, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";

/**
 * Every difference between operating systems that this room knows. Linux is tested; macOS and Windows
 * are best effort: there a folder's handle cannot be walked from, so the walk compares real paths instead
 * and an attacker who swaps links at the right microsecond is not kept out.
 */
const isLinux = process.platform === "linux";
const isWindows = process.platform === "win32";

/** Opens a folder for walking only: it needs no permission to list. Node has no name for it. */
const pathOnly = isLinux ? 0o10000000 : 0;

export const openFlags = {
  root: pathOnly | (constants.O_DIRECTORY ?? 0),
  folder: pathOnly | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0),
  listing: constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0),
  /** Never waits for the other end of a FIFO, never follows a link. */
  read: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  write: constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  append: constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
} as const;

/** Makes a file without a name in a folder, which is gone when it is closed (`O_TMPFILE`); Linux only. */
export const namelessFlags = isLinux ? constants.O_RDWR | constants.O_DIRECTORY | 0o20000000 : undefined;

/** Opens a journal: whatever is written goes to its end. */
export const appendFlags = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);

let handlesWalk: boolean | undefined;

/** Whether folders can be walked by their handles, so that a link swapped in leads nowhere. */
export function canWalkByHandle(): boolean {
  handlesWalk ??= isLinux && procAnswers();
  return handlesWalk;
}

function procAnswers(): boolean {
  try {
    accessSync("/proc/self/fd", constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path under which the entry `name` of an open folder is reached. */
export function handlePath(fd: number, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

/** The path that reaches an open file itself, whatever has its name now. */
export function openedPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** Where an open folder really is. */
export function handleTarget(fd: number): string {
  return readlinkSync(openedPath(fd));
}

/**
 * Makes the entries of a folder durable. A folder that may not be listed cannot be opened for it, and
 * some file systems refuse the call; there nothing more can be done.
 */
export function syncFolder(path: string): void {
  if (isWindows) return;
  const fd = openForSync(path);
  if (fd === undefined) return;
  try {
    syncOpened(fd);
  } finally {
    closeQuietly(fd);
  }
}

/** The same for a folder that `openForSync` opened. */
export function syncOpened(fd: number): void {
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!unsyncable.has(codeOf(error))) throw error;
  }
}

const unsyncable: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EBADF"]);

/** The folder, open to be synced: before a step, so that no descriptor is lacking after it. Undefined where it cannot be. */
export function openForSync(path: string): number | undefined {
  if (isWindows) return undefined;
  try {
    return openDescriptor(path, openFlags.listing);
  } catch (error) {
    if (codeOf(error) === "EACCES") return undefined;
    throw error;
  }
}

/** Closes a descriptor that was only read or walked from; an error of the closing says nothing about a file. */
export function closeQuietly(fd: number): void {
  quietly(() => closeSync(fd));
}

/** On Windows scanners hold files open for moments: a few more tries, 2.5 s at most. */
export function renameOver(from: string, to: string): void {
  for (let wait = 50; ; wait *= 2) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!isWindows || wait > 1_600 || !scannerCodes.has(codeOf(error))) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
}

const scannerCodes: ReadonlySet<string> = new Set(["EPERM", "EBUSY", "EACCES"]);

/** Modes and owners mean something: not on Windows. */
export const hasOwners = !isWindows;

/** Extended attributes and ACLs are read through the native extension: not on Windows. */
export const hasAttributes = !isWindows;

/** A hard link to a symbolic link names the link itself: elsewhere the call may follow it. */
export const linksNameLinks = isLinux;

/** Two names can be exchanged in one step: Windows does it in three. */
export const exchangesNames = !isWindows;

/** Identifies this boot and this process namespace. */
export function machineIdentity(): { readonly boot: string; readonly namespace: string } {
  if (!isLinux) return { boot: "-", namespace: hostname().replaceAll(/[^A-Za-z0-9.-]/g, "_") };
  return {
    boot: readOr("/proc/sys/kernel/random/boot_id", unknownIdentity.boot).trim(),
    namespace: namespaceNumber(),
  };
}

function namespaceNumber(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/[^0-9]/g, "");
  } catch {
    return unknownIdentity.namespace;
  }
}

/** What can be told of a process of this machine. */
type ProcessLook =
  | { readonly kind: "gone" }
  /** It began at this tick of the kernel's: a number that a later process of the same pid does not share. */
  | { readonly kind: "runs"; readonly start: string }
  /** Something has its pid, and when it began cannot be told: no descriptor is left, or /proc does not show it. */
  | { readonly kind: "unknown" };

/** What stands for a start, a boot and a namespace that could not be told. */
export const unknownIdentity = { start: "0", boot: "-", namespace: "-" } as const;

/** Looks for a process of this namespace of pids. A signal needs no descriptor, so `gone` is always certain. */
export function lookAtProcess(pid: number): ProcessLook {
  if (!isAliveBySignal(pid)) return { kind: "gone" };
  if (!isLinux) return { kind: "runs", start: unknownIdentity.start };
  const stat = readOr(`/proc/${pid}/stat`, "");
  // The name is in parentheses and may contain anything: count from the last one.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return { kind: "gone" };
  const start = fields[18];
  return stat === "" || start === undefined ? { kind: "unknown" } : { kind: "runs", start };
}

/** The words with which a process was started; none where the system does not show them. */
export function commandLineOf(pid: number): readonly string[] {
  return Buffer.from(readOr(`/proc/${pid}/cmdline`, ""), "latin1")
    .toString()
    .split("\0")
    .slice(0, -1);
}

/** Whether an identity says enough to look its process up. */
export function isKnownIdentity(identity: {
  readonly start: string;
  readonly boot: string;
  readonly namespace: string;
}): boolean {
  if (!isLinux) return true;
  const { start, boot, namespace } = identity;
  return (
    start !== unknownIdentity.start &&
    boot !== unknownIdentity.boot &&
    namespace !== unknownIdentity.namespace
  );
}

function isAliveBySignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return otherwise;
  }
}

/** Where state is kept: `HOLDFAST_STATE_DIR`, else the XDG state folder, else its default. */
export function defaultStateFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const { HOLDFAST_STATE_DIR: named, XDG_STATE_HOME: xdg, LOCALAPPDATA: local } = environment;
  if (named !== undefined && named !== "") return named;
  if (xdg !== undefined && isAbsolute(xdg)) return join(xdg, "holdfast");
  if (isWindows && local !== undefined && local !== "") return join(local, "holdfast");
  const home = knownHome();
  return home === undefined
    ? join(tmpdir(), `holdfast-${process.geteuid?.() ?? "user"}`)
    : join(home, ".local", "state", "holdfast");
}

/**
 * The home folder of whoever runs this; undefined where there is none: an empty `HOME`, or a user whom the system does
 * not know, as containers have them. Without one, names in it would lie in the folder we were started in: a project.
 */
export function knownHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch (error) {
    if (codeOf(error) === "ERR_SYSTEM_ERROR" || codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The home folder; where there is none the root of the disk, as container runtimes have it: never the current folder. */
export function homeFolder(): string {
  return knownHome() ?? parse(process.execPath).root;
}

/** The code of a system error (`ENOENT`), or "". */
export function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  if (typeof error.code !== "string") return "";
  return /^unknown/i.test(error.code) ? codeByNumber(error) : error.code;
}

/** What work comes to, or `otherwise` where a system call of it fails. A bug is thrown on. */
export function ifPossible<Done, Other>(work: () => Done, otherwise: Other): Done | Other {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return otherwise;
  }
}

/** Whether the system calls of work succeeded. A bug is thrown on. */
export function quietly(work: () => unknown): boolean {
  return ifPossible(() => {
    work();
    return true;
  }, false);
}

/** What work comes to; undefined where the file of its system call is missing. Throws the system's other errors. */
export function ifThere<Done>(work: () => Done): Done | undefined {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Node has no name for some errors, a full quota among them; the system's table has. */
function codeByNumber(error: object): string {
  const number = "errno" in error && !isWindows ? Number(error.errno) : 0;
  return Object.entries(osConstants.errno).find(([, known]) => known === -number)?.[0] ?? "UNKNOWN";
}

/** Loads a library on demand, as a CommonJS module: in a CommonJS bundle, too, where a module has a file name and no URL. */
export function loadLibrary(name: string): unknown {
  // A cast: the type knows nothing of such a bundle.
  const here = (import.meta.url as string | undefined) ?? __filename;
  return createRequire(here)(name);
}

/** `read` that goes on after an interruption by a signal. */
export function readAt(fd: number, buffer: Buffer, offset: number, length: number, position: number): number {
  for (;;) {
    try {
      return readSync(fd, buffer, offset, length, position);
    } catch (error) {
      if (codeOf(error) !== "EINTR") throw error;
    }
  }
}

/** `write` until everything is written: one call may write less than it was given. */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const count = writeSync(fd, bytes, written, bytes.length - written, position + written);
    if (count === 0) throw shortWrite("");
    written += count;
  }
}

/** The error of a write that wrote less than it was given. */
export function shortWrite(path: string): Error {
  return Object.assign(new Error(`the file ${path} is shorter than what was written`), {
    code: "EIO",
    syscall: "write",
  });
}

/** Who holds a descriptor that this process can do without: a replaced file that is still watched. */
export interface DescriptorHolder {
  /** Takes the last look that is worth it, and closes. Must not throw, nor open anything. */
  letGo(): void;
}

/** Of all workspaces of this process, since they share its table of descriptors; the oldest first. */
const holders = new Set<DescriptorHolder>();

/** From now on the descriptor may be taken back when none is left. */
export function holdDescriptor(holder: DescriptorHolder): void {
  holders.add(holder);
}

/** The descriptor is closed. */
export function dropDescriptor(holder: DescriptorHolder): void {
  holders.delete(holder);
}

/**
 * Does what needs a descriptor. Where none is left, what can be let go is let go, one after the other, and the call
 * is made again: it failed without having done anything.
 *
 * @throws the system's error.
 */
export function withDescriptor<Result>(open: () => Result): Result {
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!isForWant(error) || !letOneGo()) throw error;
    }
  }
}

/** What work comes to with a file that is open for it. Throws the system's error. */
export function withOpened<Done>(path: string, flags: string | number, work: (fd: number) => Done): Done {
  const fd = openDescriptor(path, flags);
  try {
    return work(fd);
  } finally {
    closeQuietly(fd);
  }
}

/** `openSync` in that way. */
export function openDescriptor(path: string, flags: string | number, mode?: number): number {
  return withDescriptor(() => openSync(path, flags, mode));
}

function letOneGo(): boolean {
  const [oldest] = holders;
  if (oldest === undefined) return false;
  holders.delete(oldest);
  oldest.letGo();
  return true;
}

/** Whether a call failed since no descriptor is left to this process, or to the machine. */
export function isForWant(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "EMFILE" || error.code === "ENFILE";
}

/**
 * What a failed system call that changed nothing means to the caller. Throws nothing.
 *
 * @param path as it is shown, not the path of the call.
 * @returns undefined where the failure is no expected one; the caller then throws `faultFrom`.
 */
export function refusalFrom(error: unknown, path: string): Refusal | undefined {
  if (error instanceof DiskFault) return undefined;
  const meaning = meanings[codeOf(error)];
  return meaning && refuse(meaning[0], `${escapeForDisplay(path)}: ${meaning[1]}.`);
}

/**
 * What to throw for a failure that is no refusal. Throws nothing itself.
 *
 * @param state what is on the disk now.
 * @returns a `DiskFault` for an error of the system; the error itself where it is one already, or a bug.
 */
export function faultFrom(error: unknown, path: string, state: FaultState = "unchanged"): unknown {
  if (error instanceof DiskFault) return error;
  const code = codeOf(error);
  if (code === "" || !(error instanceof Error) || !("syscall" in error)) return error;
  return new DiskFault(String(error.syscall), code, path, state, error);
}

/** Runs system calls and turns their expected failures into refusals; throws the others. */
export function answering<T>(path: string, work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    return refusalOrFault(error, path);
  }
}

/** The refusal that an error is. Throws what it is else, as `faultFrom` has it. */
export function refusalOrFault(error: unknown, path: string): Refusal {
  const refusal = refusalFrom(error, path);
  if (refusal === undefined) throw faultFrom(error, path);
  return refusal;
}

const meanings: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  ENOENT: ["file_missing", "there is no such file"],
  EACCES: ["permission_denied", "permission is denied"],
  EPERM: ["permission_denied", "the operation is not permitted"],
  EROFS: ["read_only", "the file system is mounted read-only"],
  ENOSPC: ["disk_full", "no space is left on the disk; nothing was changed"],
  EDQUOT: ["disk_full", "the disk quota is used up; nothing was changed"],
  EFBIG: ["too_large", "the file would be larger than the system allows"],
  ENAMETOOLONG: ["invalid_arguments", "the name is too long"],
  ELOOP: ["not_a_file", "a link stands there, or links lead in a circle"],
  ENOTDIR: ["not_a_file", "a part of the path is not a folder"],
  EISDIR: ["is_directory", "it is a folder"],
  ENXIO: ["not_a_file", "it is a FIFO, socket or device"],
  ENODEV: ["not_a_file", "it is a device"],
  EBUSY: ["busy", "it is in use"],
  ETXTBSY: ["busy", "it is a program that is running"],
  EMFILE: ["busy", "this process has too many files open"],
  ENFILE: ["busy", "the system has too many files open"],
};
