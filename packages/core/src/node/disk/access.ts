import { type BigIntStats, closeSync, fchmodSync, fchownSync, fstatSync } from "node:fs";
import type { FileAccess } from "../../files/index.js";
import { attributeNames, modeOf, removeAttribute } from "./attributes.js";
import { codeOf, hasOwners } from "./platform.js";
import { openFile, type Spot } from "./reading.js";

/** Who may use a file; undefined where there is none that can be opened, or where files have no owners. */
export function accessOf(spot: Spot): FileAccess | undefined {
  if (!hasOwners) return undefined;
  const opened = openFile(spot);
  if (opened.kind === "refusal") return undefined;
  try {
    const { stat } = opened;
    const names = attributeNames(opened.fd).filter((name) => !givenBySystem.has(name));
    // With an access list the group's bits are its mask: what some may, not what the group may.
    const mode = names.includes(accessList) ? withoutGroup(modeOf(stat)) : modeOf(stat);
    const hadMore = names.length > 0 || !isGivable(stat);
    return { mode, uid: Number(stat.uid), gid: Number(stat.gid), ...(hadMore ? { hadMore } : {}) };
  } finally {
    closeSync(opened.fd);
  }
}

/** Gives a stage what its file had before it was deleted, as far as nobody can do more with it than then. */
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
  if (!tryOwner(fd, uid, gid)) tryOwner(fd, now.uid, gid);
}

function tryOwner(fd: number, uid: number, gid: number): boolean {
  try {
    fchownSync(fd, uid, gid);
    return true;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return false;
  }
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
