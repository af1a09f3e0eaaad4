import {
  type BigIntStats,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  realpathSync,
  statSync,
} from "node:fs";
import { sep } from "node:path";
import type { FileAccess } from "../../files/index.js";
import { type Refusal, refuseIn } from "../../files/values/index.js";
import {
  canWalkByHandle,
  closeQuietly,
  codeOf,
  handlePath,
  handleTarget,
  hasAttributes,
  hasOwners,
  ifPossible,
  loadLibrary,
  openDescriptor,
  openFlags,
  openForSync,
  quietly,
  syncFolder,
  withOpened,
} from "./platform.js";

/**
 * A folder that was reached without following a link. Its entries are named through it, never through
 * the path it once had, so what happens to the path afterwards does not matter.
 */
export interface Folder {
  /** The path that the system calls take for the entry `name`. Throws where the folder was replaced. */
  at(name: string): string;
  /** The path of the folder itself, for listing. */
  self(): string;
  /** The folder `name` in it. Throws `ENOTDIR` for a file, `ELOOP` for a link. */
  enter(name: string): Folder;
  /** Makes the entries durable. */
  sync(): void;
  /** A descriptor of the folder for `syncOpened`, which the caller closes; undefined where there is nothing to sync. */
  openForSync(): number | undefined;
  close(): void;
}

/** A root of the workspace, held open. */
export interface OpenedRoot {
  readonly folder: Folder;
  /** All links resolved, at the moment of opening. */
  readonly realPath: string;
}

/** Opens a root; it may be a link itself. `byHandle: false` takes the weaker way of other systems. */
export function openRoot(path: string, byHandle = canWalkByHandle()): OpenedRoot {
  if (byHandle) {
    const fd = openDescriptor(path, openFlags.root);
    return { folder: new HandleFolder(fd), realPath: handleTarget(fd) };
  }
  const realPath = realpathSync.native(path);
  if (!statSync(realPath).isDirectory()) throw systemError("ENOTDIR", "open", path);
  return { folder: new PathFolder(realPath), realPath };
}

class HandleFolder implements Folder {
  private isClosed = false;

  constructor(private readonly fd: number) {}

  at(name: string): string {
    // A descriptor that was closed may be another folder's by now.
    if (this.isClosed) throw systemError("ENOENT", "open", name);
    return handlePath(this.fd, name);
  }

  self(): string {
    return this.at(".");
  }

  enter(name: string): Folder {
    return new HandleFolder(openDescriptor(this.at(name), openFlags.folder));
  }

  sync(): void {
    syncFolder(this.self());
  }

  openForSync(): number | undefined {
    return openForSync(this.self());
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    closeQuietly(this.fd);
  }
}

/** For systems without walking by handle: compares the real path again before each use. */
class PathFolder implements Folder {
  constructor(private readonly realPath: string) {}

  at(name: string): string {
    return `${this.self()}${sep}${name}`;
  }

  self(): string {
    if (realpathSync.native(this.realPath) !== this.realPath) {
      throw systemError("ELOOP", "realpath", this.realPath);
    }
    return this.realPath;
  }

  enter(name: string): Folder {
    const path = this.at(name);
    if (!lstatSync(path).isDirectory()) throw systemError("ENOTDIR", "open", path);
    return new PathFolder(path);
  }

  sync(): void {
    syncFolder(this.self());
  }

  openForSync(): number | undefined {
    return openForSync(this.self());
  }

  close(): void {}
}

function systemError(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}, ${syscall} '${path}'`), { code, syscall });
}

/** The part of `fs-native-extensions` that is used. ACLs live in extended attributes, too. */
interface NativeFunctions {
  listAttrsSync(fd: number): string[];
  getAttrSync(fd: number, name: string): Buffer | null;
  setAttrSync(fd: number, name: string, value: Buffer): void;
  removeAttrSync(fd: number, name: string): void;
  swapSync(from: string, to: string): void;
}

/** The optional native module for extended attributes, or why it could not be loaded. */
type NativeExtension =
  | { readonly kind: "loaded"; readonly functions: NativeFunctions }
  | { readonly kind: "missing"; readonly reason: string };

let native: NativeExtension | undefined;

/**
 * The optional extension, loaded at the first replacement of a file (some 10 ms, once a process).
 * Without it extended attributes and ACLs can neither be seen nor kept, and names cannot be exchanged:
 * the weaker promise.
 */
export function nativeExtension(): NativeExtension {
  native ??= loadNative();
  return native;
}

function loadNative(): NativeExtension {
  if (!hasAttributes) return { kind: "missing", reason: "not used on this system" };
  try {
    // The types are ours: the package has none.
    const functions = loadLibrary("fs-native-extensions") as NativeFunctions;
    return { kind: "loaded", functions: asSystemCalls(functions) };
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { kind: "missing", reason: line ?? "unknown" };
  }
}

/** The extension's errors do not say which call failed, and it gives up where a signal came in between. */
function asSystemCalls(extension: NativeFunctions): NativeFunctions {
  return {
    listAttrsSync: (fd) => calling("flistxattr", () => extension.listAttrsSync(fd)),
    getAttrSync: (fd, name) => calling("fgetxattr", () => extension.getAttrSync(fd, name)),
    setAttrSync: (fd, name, value) => calling("fsetxattr", () => extension.setAttrSync(fd, name, value)),
    removeAttrSync: (fd, name) => calling("fremovexattr", () => extension.removeAttrSync(fd, name)),
    swapSync: (from, to) => calling("renameat2", () => extension.swapSync(from, to)),
  };
}

function calling<T>(syscall: string, call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (codeOf(error) === "EINTR") continue;
      if (error instanceof Error && codeOf(error) !== "") Object.assign(error, { syscall });
      throw error;
    }
  }
}

/**
 * Gives the stage what the target has: owner, mode, extended attributes. The owner goes first, because
 * changing it clears setuid.
 *
 * @returns `cannot_preserve` where the system does not allow one of them.
 */
export function keepAttributes(
  from: { fd: number; stat: BigIntStats },
  stageFd: number,
): Refusal | undefined {
  if (!hasOwners) return undefined;
  const stage = fstatSync(stageFd, { bigint: true });
  try {
    if (stage.uid !== from.stat.uid || stage.gid !== from.stat.gid) {
      fchownSync(stageFd, Number(from.stat.uid), Number(from.stat.gid));
    }
    keepExtended(from.fd, stageFd);
    // Last: an ACL that is written sets bits of the mode.
    fchmodSync(stageFd, modeOf(from.stat));
  } catch (error) {
    if (!forbidden.has(codeOf(error))) throw error;
    return cannotPreserve("its owner, mode or extended attributes cannot be given to the new file");
  }
  const dressed = fstatSync(stageFd, { bigint: true });
  // The kernel drops setgid silently where the group is not one of ours.
  if (modeOf(dressed) === modeOf(from.stat)) return undefined;
  return cannotPreserve("its mode cannot be given to the new file");
}

/** The permission bits, with set-user-id, set-group-id and sticky. */
function modeOf(stat: BigIntStats): number {
  return Number(stat.mode & 0o7777n);
}

/** Refuses with `cannot_preserve`. @param why a clause that completes the sentence. */
export function cannotPreserve(why: string): Refusal {
  return refuseIn("cannot_preserve", wouldLose + inPlaceHint, { why });
}

/** By this such a refusal is known: the file can be written, and not replaced (`Guards.inPlace`). */
export const inPlaceHint = "[ Insist with {inPlace}.]";

const wouldLose = "Replacing the file would lose something: $why.";

const forbidden: ReadonlySet<string> = new Set([
  "EPERM",
  "EACCES",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EINVAL",
  "E2BIG",
]);

function keepExtended(fromFd: number, stageFd: number): void {
  const extension = nativeExtension();
  if (extension.kind === "missing") return;
  const { functions: attributes } = extension;
  const wanted = listed(attributes, fromFd);
  const present = listed(attributes, stageFd);
  for (const name of wanted) {
    const value = attributes.getAttrSync(fromFd, name);
    if (value === null) continue;
    const already = present.includes(name) ? attributes.getAttrSync(stageFd, name) : null;
    if (already === null || Buffer.compare(already, value) !== 0)
      attributes.setAttrSync(stageFd, name, value);
  }
  // A folder's default ACL gives every new file one.
  for (const name of present) if (!wanted.includes(name)) attributes.removeAttrSync(stageFd, name);
}

/** The names of a file's extended attributes, as far as they can be seen here; an ACL is one. */
function attributeNames(fd: number): readonly string[] {
  const extension = nativeExtension();
  return extension.kind === "missing" ? [] : listed(extension.functions, fd);
}

/** Takes an extended attribute away. Throws the system's error. */
function removeAttribute(fd: number, name: string): void {
  const extension = nativeExtension();
  if (extension.kind === "loaded") extension.functions.removeAttrSync(fd, name);
}

function listed(attributes: NativeFunctions, fd: number): readonly string[] {
  try {
    return attributes.listAttrsSync(fd);
  } catch (error) {
    // A file system without attributes has none to lose.
    if (codeOf(error) === "ENOTSUP" || codeOf(error) === "EOPNOTSUPP") return [];
    throw error;
  }
}

/** Who may use an open file or folder; undefined where files have no owners. `isWhole`: and if it has more than that. */
export function accessOf(fd: number, stat: BigIntStats, isWhole = false): FileAccess | undefined {
  if (!hasOwners) return undefined;
  const bits = modeOf(stat);
  const isLooked = isWhole || withoutGroup(bits) !== bits;
  const names = isLooked ? attributeNames(fd).filter((name) => !givenBySystem.has(name)) : [];
  // With an access list the group's bits are its mask: what some may, not what the group may.
  const mode = names.includes(accessList) ? withoutGroup(bits) : bits;
  const hadMore = names.length > 0 || !isGivable(stat);
  return { mode, uid: Number(stat.uid), gid: Number(stat.gid), ...(hadMore ? { hadMore } : {}) };
}

/** The same of a folder and of those above it, as many as asked for; ends at one of which that cannot be told. */
export function accessOfFolders(folder: Folder, count: number): readonly FileAccess[] {
  const found: FileAccess[] = [];
  for (let way = "."; found.length < count; way += "/..") {
    const access = ifPossible(() => withFolder(folder, way, accessOf), undefined);
    if (access === undefined) break;
    found.push(access);
  }
  return found;
}

/** Gives a new folder what the one of its name had. Its owner may always use it. */
export function giveFolderAccess(folder: Folder, name: string, access: FileAccess): void {
  withFolder(folder, name, (fd) => giveAccess(fd, { ...access, mode: access.mode | 0o700 }));
}

/** Lets whoever may read an open file run it, or nobody. */
export function giveBit(fd: number, isExecutable: boolean): void {
  const { mode } = fstatSync(fd);
  fchmodSync(fd, isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
}

function withFolder<T>(folder: Folder, way: string, work: (fd: number, stat: BigIntStats) => T): T {
  return withOpened(folder.at(way), openFlags.listing, (fd) => work(fd, fstatSync(fd, { bigint: true })));
}

/** Gives a stage, or a folder, what it had before it was deleted, as far as nobody can do more with it than then. */
export function giveAccess(stageFd: number, { mode, uid, gid }: FileAccess): void {
  if (!hasOwners) return;
  // A folder's default ACL gives every new file one.
  if (attributeNames(stageFd).includes(accessList)) removeAttribute(stageFd, accessList);
  giveOwner(stageFd, uid, gid);
  const now = fstatSync(stageFd);
  const isOwn = (uid === undefined || now.uid === uid) && (gid === undefined || now.gid === gid);
  fchmodSync(stageFd, isOwn ? mode : withoutGroup(mode) & 0o777);
}

function giveOwner(fd: number, uid: number | undefined, gid: number | undefined): void {
  const now = fstatSync(fd);
  if (uid === undefined || gid === undefined || (now.uid === uid && now.gid === gid)) return;
  if (!quietly(() => fchownSync(fd, uid, gid))) quietly(() => fchownSync(fd, now.uid, gid));
}

/** The group may do no more than all others may. */
function withoutGroup(mode: number): number {
  return mode & (~0o070 | ((mode & 0o007) << 3));
}

/** Whether this process could give a file that owner. */
function isGivable({ uid, gid }: BigIntStats): boolean {
  const own = process.geteuid?.();
  if (own === 0) return true;
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  return own === Number(uid) && groups.includes(Number(gid));
}

const accessList = "system.posix_acl_access";

/** Every new file gets these anew. */
const givenBySystem: ReadonlySet<string> = new Set(["security.selinux", "com.apple.provenance"]);
