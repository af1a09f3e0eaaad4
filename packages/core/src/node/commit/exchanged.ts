import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  linkSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type Changed,
  type Committed,
  DiskFault,
  type ExpectedFile,
  type ReplacedFile,
} from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { defined, escapeForDisplay } from "../../text/index.js";
import { keepAttributes, nativeExtension } from "../disk/folder.js";
import {
  answering,
  canWalkByHandle,
  codeOf,
  exchangesNames,
  faultFrom,
  hasOwners,
  openedPath,
  refusalOrFault,
} from "../disk/platform.js";
import {
  clockTickMs,
  sha256 as digest,
  hashOpened,
  hashOpenedSlices,
  identityOf,
  isYoung,
  type OpenedFile,
  openFile,
  readUpTo,
  type Spot,
  sameIdentity,
  sliceBytes,
  statAt,
  takeSlices,
} from "../disk/reading.js";
import { Cleanup, makeDurable, OpenReplacedFile, type Stage, severalNames } from "./stage.js";

/** An exchange that was made: the new file has the name, and the old one has that of the stage. */
interface Exchanged {
  readonly stage: Stage;
  readonly bytes: Uint8Array;
  /** The file that was to be replaced, and its hash. */
  readonly proved: ProvedFile;
  readonly sha256: string;
  readonly cleanup: Cleanup;
  readonly keepOpen: boolean;
  /** The stage keeps its name when it comes out again: whoever made it clears it up. */
  readonly keepsStage?: boolean;
}

/**
 * Compares the file that was replaced with the expected one. Where they differ, a program without our lock
 * replaced it between the last look and the step: its file gets the name back, as if nothing had happened.
 *
 * @returns undefined for the expected file, which is gone then.
 * @throws the system's error; what cannot be given back now is given back by recovery.
 */
export function verifyExchanged(spot: Spot, exchanged: Exchanged): Changed | undefined {
  const { stage, proved, sha256, keepsStage } = exchanged;
  const came = statAt(asideOf(spot, stage));
  if (came !== undefined && isAsProved(came, proved.stat) && provedAgain(proved, sha256, keepsStage)) {
    if (keepsStage !== true) unlinkSync(stage.path);
    return undefined;
  }
  return undoExchange(spot, exchanged);
}

/**
 * The same for a file that was moved aside to be deleted: the expected one goes, any other gets its name back. Where
 * that is taken by a still later file, the bytes are `displaced`.
 *
 * @throws the system's error; recovery then does it.
 */
export function verifyQuarantined(
  spot: Spot,
  aside: Spot,
  proved: ProvedFile,
  sha256: string,
): Changed | undefined {
  const path = spot.folder.at(aside.name);
  const came = statAt(aside);
  if (came !== undefined && isAsProved(came, proved.stat) && provedAgain(proved, sha256)) {
    unlinkSync(path);
    return undefined;
  }
  if (came === undefined || restoreName(path, spot)) return { kind: "changed" };
  const displaced = bytesOf(aside);
  if (displaced !== undefined) unlinkSync(path);
  return { kind: "changed", ...defined({ displaced }) };
}

/** Gives a file its name back, unless something has it. A folder or link is not linked, but has nothing to lose. */
export function restoreName(path: string, spot: Spot): boolean {
  const to = spot.folder.at(spot.name);
  try {
    linkSync(path, to);
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (statAt(spot) !== undefined) return false;
    renameSync(path, to);
  }
  spot.folder.sync();
  return true;
}

function undoExchange(spot: Spot, { stage, bytes, cleanup, keepOpen, keepsStage }: Exchanged): Changed {
  const aside = asideOf(spot, stage);
  const ours = fstatSync(stage.fd, { bigint: true });
  const given = exchangeAgain(stage.path, spot);
  const out = statAt(aside);
  const isOurs = out !== undefined && isSameFile(out, ours);
  // Our file was replaced meanwhile: that one is the newest, and a second exchange keeps it.
  if (given && !isOurs) exchangeAgain(stage.path, spot);
  const older = isOurs ? undefined : bytesOf(aside);
  if ((isOurs && keepsStage !== true) || older !== undefined) unlinkSync(stage.path);
  spot.folder.sync();
  const known = { size: BigInt(bytes.length), mtimeNs: ours.mtimeNs, sha256: digest(bytes) };
  const file = new OpenReplacedFile(stage.fd, known);
  const displaced = older ?? file.changedAtOnce();
  if (keepOpen) cleanup.leavesOpen(stage.fd);
  return {
    kind: "changed",
    ...defined({ displaced }),
    ...(keepOpen ? { replacedFile: file.hold() } : {}),
  };
}

/** Returns false if the file was removed meanwhile; the removal wins. */
function exchangeAgain(stagePath: string, spot: Spot): boolean {
  try {
    return exchange(stagePath, spot.folder.at(spot.name));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

/** The bytes of a regular file; undefined for a link or a folder, which stays there. */
export function bytesOf(aside: Spot): Uint8Array | undefined {
  const opened = openFile(aside);
  if (opened.kind === "refusal") return undefined;
  try {
    return readUpTo(opened.fd, Number(opened.stat.size), Number.MAX_SAFE_INTEGER);
  } finally {
    closeSync(opened.fd);
  }
}

function asideOf(spot: Spot, stage: Stage): Spot {
  return { ...spot, name: basename(stage.path) };
}

/** Whether it is the file that was looked at, with the mode, owner and number of names that the new one was given for it. */
function isAsProved(came: BigIntStats, proved: BigIntStats): boolean {
  return (
    isSameFile(came, proved) &&
    came.mode === proved.mode &&
    came.uid === proved.uid &&
    came.gid === proved.gid &&
    came.nlink === proved.nlink
  );
}

/** Whether two looks saw one file, whatever its names. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

/**
 * Exchanges what two names of one file system stand for, in one step, so that nothing that stands there at
 * that moment can be lost unseen.
 *
 * @returns false where the system, the file system or the extension cannot; nothing was changed then.
 * @throws the system's error; `ENOENT` where one of the names is gone.
 */
export function exchange(one: string, other: string): boolean {
  const extension = exchangesNames ? nativeExtension() : undefined;
  if (extension?.kind !== "loaded") return false;
  try {
    extension.functions.swapSync(one, other);
    return true;
  } catch (error) {
    if (incapable.has(codeOf(error))) return false;
    throw error;
  }
}

const incapable: ReadonlySet<string> = new Set(["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The name of a stage that is whole and about to be exchanged, or of what came out; told apart by its bytes. */
export function swapNameOf(stageName: string): string {
  return `${stageName}${swapSuffix}`;
}

const swapSuffix = "-swap";

/** The step was taken. By its type, what comes after it cannot be a refusal: nothing is called off any more. */
export interface Taken {
  readonly kind: "taken";
  finish(): Committed | Changed;
}

/**
 * Does the work of one write: up to the step, where a failed call is a refusal and everything is undone, and after it.
 *
 * @param refusalOf what a failed call before the step means.
 * @throws DiskFault for a call that failed before the step and is no refusal.
 */
export async function throughStep(
  spot: Spot,
  upToStep: (cleanup: Cleanup) => Promise<Taken | Changed | Refusal>,
  refusalOf: (error: unknown) => Refusal | undefined = () => undefined,
): Promise<Committed | Changed | Refusal> {
  const cleanup = new Cleanup();
  try {
    const step = await refusing(spot, () => upToStep(cleanup), refusalOf);
    return step.kind === "taken" ? step.finish() : step;
  } finally {
    cleanup.run();
  }
}

async function refusing<Answer>(
  spot: Spot,
  work: () => Promise<Answer>,
  refusalOf: (error: unknown) => Refusal | undefined,
): Promise<Answer | Refusal> {
  try {
    return await work();
  } catch (error) {
    return refusalOf(error) ?? refusalOrFault(error, spot.shown);
  }
}

/**
 * Does what comes after a step, part by part: what each found, `Changed` if it took the step back. A part that fails
 * ends none of the others: the write is done, its first failure is told with it (`Committed.fault`), and recovery does
 * the rest.
 */
export function afterStep<Ended extends Changed = never>(
  { shown }: Pick<Spot, "shown">,
  parts: readonly AfterStep<Ended>[],
): Committed | Ended {
  let done: Committed = { kind: "committed" };
  for (const part of parts) {
    try {
      const found = part() ?? {};
      if (found.kind === "changed") return found;
      done = { ...done, ...found, kind: "committed" };
    } catch (error) {
      const fault = faultFrom(error, shown, "visible");
      if (!(fault instanceof DiskFault)) throw fault;
      done = { ...done, fault: done.fault ?? fault };
    }
  }
  return done;
}

/** What is done behind a step: it may find out more of it, or that the step has to be taken back. */
export type AfterStep<Ended extends Changed = Changed> = () => Partial<Committed> | Ended | undefined;

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
