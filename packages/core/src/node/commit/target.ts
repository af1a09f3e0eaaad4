import { accessSync, type BigIntStats, constants, fstatSync } from "node:fs";
import {
  type Changed,
  type ExpectedFile,
  type FileIdentity,
  type Held,
  type Refusal,
  refuse,
} from "../../files/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import { cannotPreserve, keepAttributes } from "../disk/attributes.js";
import { faultFrom, refusalFrom } from "../disk/faults.js";
import { canWalkByHandle, hasOwners, openedPath } from "../disk/platform.js";
import { hashOpened, identityOf, openFile, type Spot, sameIdentity, statAt } from "../disk/reading.js";
import { HeldFile } from "./held.js";
import { type Cleanup, makeDurable, type Stage } from "./stage.js";

/** The file that is to be replaced, held open, its content proved to be the expected one. */
export interface Target {
  readonly kind: "target";
  readonly fd: number;
  readonly stat: BigIntStats;
}

/** How often a target that moved without changing its content is looked at again. */
const looks = 3;
/** A time stamp younger than this may hide a second write within the same tick of the kernel's clock. */
const settledNs = 100_000_000n;

/** Opens what stands there and proves that it is the expected file: by its identity, else by its hash. */
export function verify(spot: Spot, expected: ExpectedFile, cleanup: Cleanup): Target | Changed | Refusal {
  const opened = openFile(spot);
  if (opened.kind === "refusal") return changed;
  cleanup.closes(opened.fd);
  const { fd, stat } = opened;
  const identity = identityOf(stat);
  if (stat.size !== expected.identity.size) return changed;
  if (sameIdentity(identity, expected.identity) && isSettled(identity)) return { kind: "target", fd, stat };
  if (hashOpened(fd, Number(stat.size)) !== expected.sha256) return changed;
  return { kind: "target", fd, stat };
}

/**
 * Whether an open target, which has lost its name since it was proved, still has the expected content. Its
 * ctime moved with the name, so that only the time of its content can save the hash.
 */
export function provedAgain({ fd, stat }: Target, sha256: string): boolean {
  const now = fstatSync(fd, { bigint: true });
  if (now.size !== stat.size) return false;
  const age = BigInt(Date.now()) * 1_000_000n - now.mtimeNs;
  if (now.mtimeNs === stat.mtimeNs && age > settledNs) return true;
  return hashOpened(fd, Number(now.size)) === sha256;
}

function isSettled(identity: FileIdentity): boolean {
  const age = BigInt(Date.now()) * 1_000_000n - identity.ctimeNs;
  return age > settledNs;
}

/**
 * The last look before the step. A target that moved is proved again by its hash; its attributes may have
 * moved, too, so the stage is dressed anew.
 */
export function lookAgain(
  spot: Spot,
  expected: ExpectedFile,
  target: Target,
  cleanup: Cleanup,
  stage?: Stage,
): Target | Changed | Refusal {
  let proved = target;
  for (let look = 0; look < looks; look++) {
    const now = statAt(spot);
    if (now === undefined || !now.isFile()) return changed;
    if (sameIdentity(identityOf(now), identityOf(proved.stat))) return proved;
    const again = verify(spot, expected, cleanup);
    if (again.kind !== "target") return again;
    if (stage !== undefined) {
      if (again.stat.nlink > 1n) return cannotPreserve(`it has ${again.stat.nlink} names (hard links)`);
      const lost = keepAttributes(again, stage.fd);
      if (lost !== undefined) return lost;
      makeDurable(stage);
    }
    proved = again;
  }
  return changed;
}

/**
 * What was written into the old inode between the last look and now.
 *
 * @param hold gives the file back open, too.
 */
export function displacedBy(
  { fd, stat }: Target,
  sha256: string,
  cleanup: Cleanup,
  hold = false,
): { readonly displaced?: Uint8Array; readonly held?: Held } {
  const held = new HeldFile(fd, { size: stat.size, mtimeNs: stat.mtimeNs, sha256 });
  const displaced = held.changed();
  if (hold) cleanup.leavesOpen(fd);
  return { ...defined({ displaced }), ...(hold ? { held } : {}) };
}

/** A rename needs no permission on the file itself: so a file that may not be written is asked about first. */
export function barredFrom(target: Target, spot: Spot): Refusal | undefined {
  const shown = escapeForDisplay(spot.shown);
  // Root may write anything; a file without any write bit still says that it is not to be written.
  if (hasOwners && (target.stat.mode & 0o222n) === 0n) {
    return refuse("permission_denied", `${shown} is read-only; nothing was changed.`);
  }
  try {
    accessSync(canWalkByHandle() ? openedPath(target.fd) : spot.folder.at(spot.name), constants.W_OK);
    return undefined;
  } catch (error) {
    const refusal = refusalFrom(error, spot.shown);
    if (refusal === undefined) throw faultFrom(error, spot.shown);
    return refusal;
  }
}

export const changed: Changed = { kind: "changed" };

/** Refuses with `busy`. */
export function lostLock(spot: Spot): Refusal {
  return refuse(
    "busy",
    `The lock of ${escapeForDisplay(spot.shown)} was lost; nothing was changed. Try again.`,
  );
}
