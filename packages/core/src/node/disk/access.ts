import { type BigIntStats, fchmodSync, fchownSync, fstatSync } from "node:fs";
import type { FileAccess } from "../../files/index.js";
import { attributeNames, modeOf, removeAttribute } from "./attributes.js";
import type { Folder } from "./folder.js";
import { hasOwners, ifPossible, openFlags, quietly, withOpened } from "./platform.js";

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
