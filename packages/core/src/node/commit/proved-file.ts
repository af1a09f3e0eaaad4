import { accessSync, type BigIntStats, constants, fstatSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Changed, ExpectedFile, ReplacedFile } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import { keepAttributes } from "../disk/attributes.js";
import { answering } from "../disk/faults.js";
import { canWalkByHandle, hasOwners, openedPath } from "../disk/platform.js";
import {
  clockTickMs,
  hashOpened,
  hashOpenedSlices,
  identityOf,
  isYoung,
  type OpenedFile,
  openFile,
  type Spot,
  sameIdentity,
  statAt,
} from "../disk/reading.js";
import { sliceBytes, takeSlices } from "../disk/slices.js";
import { OpenReplacedFile } from "./replaced-file.js";
import { severalNames } from "./set-links.js";
import { type Cleanup, makeDurable, type Stage } from "./stage.js";

/** The file that is to be replaced, open, its content proved to be the expected one. */
export interface ProvedFile {
  readonly kind: "proved";
  readonly fd: number;
  readonly stat: BigIntStats;
  /** Its mtime was old when it was looked at: whatever was written into it since then has another one. */
  readonly isFirm: boolean;
}

/** How often a file that moved without changing its content is looked at again. */
const looks = 3;

/** What is at most hashed in one go, right beside the step: some 30 ms on a slow machine. */
const atOnceBytes = 8 * 1024 * 1024;

/**
 * `verify`, and of a large file `verifyLarge`: for whoever looks before the step, not right before it.
 *
 * @param looksAgain the caller holds one that is not firm against its hash once more, right before or after the step
 *   (`provedAgain`): a young stamp is then not waited for.
 */
export async function prove(
  spot: Spot,
  expected: ExpectedFile,
  cleanup: Cleanup,
  looksAgain = false,
): Promise<ProvedFile | Changed | Refusal> {
  const { size } = expected.identity;
  if (size <= sliceBytes) return verify(spot, expected, cleanup);
  return await verifyLarge(spot, expected, cleanup, looksAgain && size <= atOnceBytes);
}

/** Opens the target and proves that it is the expected file: by its identity, else by its hash. */
export function verify(spot: Spot, expected: ExpectedFile, cleanup: Cleanup): ProvedFile | Changed | Refusal {
  const opened = openFile(spot);
  if (opened.kind === "refusal") return changed;
  cleanup.closes(opened.fd);
  const { fd, stat } = opened;
  const identity = identityOf(stat);
  if (stat.size !== expected.identity.size) return changed;
  // Before the hash: by its end a stamp that was young may be old, and two writes of one tick have the same.
  const proved = { kind: "proved", fd, stat, isFirm: !isYoung(stat.mtimeNs) } as const;
  if (sameIdentity(identity, expected.identity) && expected.identity.isFirm) return proved;
  return hashOpened(fd, Number(stat.size)) === expected.sha256 ? proved : changed;
}

/**
 * The same of a large file: hashed while others have their turns. The last look finds what was written meanwhile, if the
 * time stamp was old when it was taken: so a young one is waited for.
 *
 * @param isHasty it is not waited for.
 */
async function verifyLarge(
  spot: Spot,
  expected: ExpectedFile,
  cleanup: Cleanup,
  isHasty: boolean,
): Promise<ProvedFile | Changed | Refusal> {
  const opened = openFile(spot);
  if (opened.kind === "refusal") return changed;
  cleanup.closes(opened.fd);
  const { fd } = opened;
  const identity = identityOf(opened.stat);
  if (identity.size !== expected.identity.size) return changed;
  if (sameIdentity(identity, expected.identity) && expected.identity.isFirm)
    return { kind: "proved", fd, stat: opened.stat, isFirm: !isYoung(opened.stat.mtimeNs) };
  const stat = isHasty ? opened.stat : await onceOld(opened);
  if (stat.size !== expected.identity.size) return changed;
  const proved = { kind: "proved", fd, stat, isFirm: !isYoung(stat.mtimeNs) } as const;
  const hash = await takeSlices(hashOpenedSlices(fd, Number(stat.size)));
  return hash === expected.sha256 ? proved : changed;
}

/** What an open file is once its time stamp hides no later write; one that is written all the time, as it is then. */
async function onceOld({ fd, stat }: OpenedFile): Promise<BigIntStats> {
  let latest = stat;
  for (let look = 0; look < looks && isYoung(latest.ctimeNs); look++) {
    await pause(clockTickMs + 1);
    latest = fstatSync(fd, { bigint: true });
  }
  return latest;
}

/**
 * Whether an open file still has the expected content, right before or after the step. A small one is hashed in any
 * case, since a program that wrote into a mapping of it may write there again without a new stamp. With the name that it
 * loses its ctime moves, so only its mtime can save computing the hash of another one; `changedByHash` is for those.
 *
 * @param isOfSet the steps of a set follow each other in one go, so that a small one is not hashed, either.
 */
export function provedAgain({ fd, stat, isFirm }: ProvedFile, sha256: string, isOfSet = false): boolean {
  const now = fstatSync(fd, { bigint: true });
  if (now.size !== stat.size) return false;
  if (now.mtimeNs === stat.mtimeNs && isFirm && (isOfSet || now.size > sliceBytes)) return true;
  return hashOpened(fd, Number(now.size)) === sha256;
}

/**
 * The last look before the step. A file that moved is proved again by its hash; its attributes may have
 * changed, too, so the stage gets them anew.
 */
export function verifyBeforeStep(
  spot: Spot,
  expected: ExpectedFile,
  proved: ProvedFile,
  cleanup: Cleanup,
  stage?: Stage,
): ProvedFile | Changed | Refusal {
  let latest = proved;
  for (let look = 0; look < looks; look++) {
    const now = statAt(spot);
    if (now === undefined || !now.isFile()) return changed;
    if (sameIdentity(identityOf(now), identityOf(latest.stat))) return latest;
    const again = verify(spot, expected, cleanup);
    if (again.kind !== "proved") return again;
    if (stage !== undefined) {
      if (again.stat.nlink > 1n) return severalNames(spot, again.stat.nlink);
      const lost = keepAttributes(again, stage.fd);
      if (lost !== undefined) return lost;
      makeDurable(stage);
    }
    latest = again;
  }
  return changed;
}

/**
 * The bytes that were written into the old inode between the last look and now.
 *
 * @param keepOpen returns the file open, too.
 */
export function displacedBy(
  { fd, stat }: ProvedFile,
  sha256: string,
  cleanup: Cleanup,
  keepOpen = false,
): { readonly displaced?: Uint8Array; readonly replacedFile?: ReplacedFile } {
  const file = new OpenReplacedFile(fd, { size: stat.size, mtimeNs: stat.mtimeNs, sha256 });
  const displaced = file.changed();
  if (keepOpen) cleanup.leavesOpen(fd);
  return { ...defined({ displaced }), ...(keepOpen ? { replacedFile: file.hold() } : {}) };
}

/** Refuses a file without write permission: a rename itself would not need any. */
export function barredFrom(proved: Pick<ProvedFile, "fd" | "stat">, spot: Spot): Refusal | undefined {
  const shown = escapeForDisplay(spot.shown);
  // Root may write anything; a file without any write bit still says that it is not to be written.
  if (hasOwners && (proved.stat.mode & 0o222n) === 0n) {
    return refuse("permission_denied", `${shown} is read-only; nothing was changed.`);
  }
  return answering(spot.shown, () => {
    accessSync(canWalkByHandle() ? openedPath(proved.fd) : spot.folder.at(spot.name), constants.W_OK);
    return undefined;
  });
}

export const changed: Changed = { kind: "changed" };

/** Refuses with `busy`. */
export function lostLock(spot: Spot): Refusal {
  return refuse(
    "busy",
    `The lock of ${escapeForDisplay(spot.shown)} was lost; nothing was changed. Try again.`,
  );
}
