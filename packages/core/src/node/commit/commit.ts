import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type { Changed, Committed, Expected, ExpectedFile, SetStep } from "../../files/index.js";
import { type Refusal, refuseIn } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { inPlaceHint, keepAttributes } from "../disk/folder.js";
import {
  answering,
  closeQuietly,
  codeOf,
  faultFrom,
  openDescriptor,
  openFlags,
  readAt,
  refusalOrFault,
  renameOver,
  syncOpened,
  writeAll,
} from "../disk/platform.js";
import { openFile, readUpTo, type Spot, sha256 as sha256Of, sliceBytes, statAt } from "../disk/reading.js";
import {
  type AfterStep,
  afterStep,
  barredFrom,
  changed,
  displacedBy,
  exchange,
  lostLock,
  type ProvedFile,
  prove,
  provedAgain,
  swapNameOf,
  type Taken,
  throughStep,
  verifyBeforeStep,
  verifyExchanged,
  verifyQuarantined,
} from "./exchanged.js";
import {
  type Cleanup,
  giveNewMode,
  makeDurable,
  makeLargeStage,
  makeStage,
  newStageName,
  type Stage,
  severalNames,
  waitForSet,
} from "./stage.js";

/** How one file is written. */
export interface CommitOptions extends Pick<SetStep, "access" | "keepOpen" | "inPlace" | "followsOthers"> {
  readonly guard: () => Promise<boolean>;
  /** That of the intent, so that what a kill leaves can be found; a random name without it. */
  readonly stageName?: string;
}

/**
 * The commit protocol: stage beside the target, make durable, look again, take the step, make the folder
 * durable. Every exit before the step undoes everything; after it the write is done, whatever fails.
 */
export function commitFile(
  spot: Spot,
  bytes: Uint8Array,
  expected: Expected,
  options: CommitOptions,
): Promise<Committed | Changed | Refusal> {
  const mayInsist = expected.kind === "file" && !options.inPlace;
  return throughStep(
    spot,
    async (cleanup) => {
      if (expected.kind === "absent") return createFile(spot, bytes, options, cleanup);
      const { inPlace, followsOthers, guard } = options;
      if (inPlace && followsOthers) return appendInPlace(spot, bytes, { expected, guard, cleanup });
      if (!inPlace) await waitForSet(spot);
      const proved = await prove(spot, expected, cleanup, true);
      if (proved.kind !== "proved") return proved;
      const barred = barredFrom(proved, spot);
      if (barred !== undefined) return barred;
      if (inPlace) return writeInPlace(spot, bytes, { expected, proved, guard, cleanup });
      return replaceFile(spot, bytes, { expected, proved, options, cleanup });
    },
    (error) => (mayInsist ? notReplaced(codeOf(error), spot) : undefined),
  );
}

/** Why a file was not replaced that can be written; undefined for any other reason. */
function notReplaced(code: string, spot: Spot): Refusal | undefined {
  const facts = { path: escapeForDisplay(spot.shown) };
  if (code === "EBUSY")
    return refuseIn(
      "cannot_preserve",
      `$path is a mount point, or in use: not replaced.${inPlaceHint}`,
      facts,
    );
  if (code !== "EACCES" && code !== "EPERM") return undefined;
  const opened = answering(spot.shown, () => openFile(spot, openFlags.write));
  if (opened.kind !== "opened") return undefined;
  closeQuietly(opened.fd);
  return refuseIn(
    "permission_denied",
    `$path is in a folder that cannot be written in.${inPlaceHint}`,
    facts,
  );
}

/**
 * Deletes the file under the same expectation: it is moved aside in one step, and what came there is held against
 * the expected file before it goes. Any other file was put there by a program without our lock, and is given back.
 */
export function removeFile(
  spot: Spot,
  expected: ExpectedFile,
  options: CommitOptions,
): Promise<Committed | Changed | Refusal> {
  return throughStep(spot, async (cleanup) => {
    const proved = await prove(spot, expected, cleanup, true);
    if (proved.kind !== "proved") return proved;
    const barred = barredFrom(proved, spot);
    if (barred !== undefined) return barred;
    if (!(await options.guard())) return lostLock(spot);
    const sync = readyToSync(spot, cleanup);
    const last = verifyBeforeStep(spot, expected, proved, cleanup);
    if (last.kind !== "proved") return last;
    const aside = { ...spot, name: swapNameOf(options.stageName ?? newStageName()) };
    if (!moveAside(spot, aside)) return changed;
    return taken(spot, [
      () => verifyQuarantined(spot, aside, last, expected.sha256),
      () => displacedBy(last, expected.sha256, cleanup, options.keepOpen),
      sync,
    ]);
  });
}

function taken(spot: Spot, parts: readonly AfterStep[]): Taken {
  return { kind: "taken", finish: () => afterStep(spot, parts) };
}

/** Returns false if the file was removed meanwhile. */
function moveAside(spot: Spot, aside: Spot): boolean {
  try {
    renameSync(spot.folder.at(spot.name), spot.folder.at(aside.name));
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function createFile(
  spot: Spot,
  bytes: Uint8Array,
  options: CommitOptions,
  cleanup: Cleanup,
): Promise<Taken | Changed | Refusal> {
  if (statAt(spot) !== undefined) return changed;
  const name = options.stageName ?? newStageName();
  const isLarge = bytes.length > sliceBytes;
  const stage = isLarge
    ? await makeLargeStage(spot, bytes, name, cleanup)
    : makeStage(spot, bytes, name, cleanup);
  giveNewMode(stage, options.access);
  makeDurable(stage);
  if (!(await options.guard())) return lostLock(spot);
  const sync = readyToSync(spot, cleanup);
  const published = publishNew(stage, spot.folder.at(spot.name));
  if (published === "taken") return changed;
  const unlinkStage = () => {
    if (published === "linked") unlinkSync(stage.path);
    cleanup.keepStage();
    return undefined;
  };
  return taken(spot, [unlinkStage, sync]);
}

interface Replacement {
  readonly expected: ExpectedFile;
  readonly proved: ProvedFile;
  readonly options: CommitOptions;
  readonly cleanup: Cleanup;
}

async function replaceFile(
  spot: Spot,
  bytes: Uint8Array,
  { expected, proved, options, cleanup }: Replacement,
): Promise<Taken | Changed | Refusal> {
  if (proved.stat.nlink > 1n) return severalNames(spot, proved.stat.nlink);
  const name = options.stageName ?? newStageName();
  const isLarge = bytes.length > sliceBytes;
  const made = isLarge
    ? await makeLargeStage(spot, bytes, name, cleanup)
    : makeStage(spot, bytes, name, cleanup);
  const lost = keepAttributes(proved, made.fd);
  if (lost !== undefined) return lost;
  makeDurable(made);
  if (!(await options.guard())) return lostLock(spot);
  const sync = readyToSync(spot, cleanup);
  const stage = spot.exchanges === true ? underSwapName(spot, made, name, cleanup) : made;
  let last = verifyBeforeStep(spot, expected, proved, cleanup, stage);
  if (last.kind !== "proved") return last;
  const path = spot.folder.at(spot.name);
  const exchanged = spot.exchanges === true && exchangeWith(stage.path, path);
  if (exchanged === "gone") return changed;
  if (!exchanged) {
    // Nothing will be seen of what came out. The name last: what gets it between that look and the step is lost.
    if (!provedAgain(last, expected.sha256)) return changed;
    last = verifyBeforeStep(spot, expected, last, cleanup, stage);
    if (last.kind !== "proved") return last;
    renameOver(stage.path, path);
  }
  cleanup.keepStage();
  const proof = { proved: last, sha256: expected.sha256, cleanup };
  const { keepOpen = false } = options;
  return taken(spot, [
    () => (exchanged ? verifyExchanged(spot, { stage, bytes, keepOpen, ...proof }) : undefined),
    () => displacedBy(proof.proved, expected.sha256, cleanup, keepOpen),
    sync,
  ]);
}

/** By this name recovery knows that the stage is whole; after the exchange the old file has it. */
function underSwapName(spot: Spot, stage: Stage, name: string, cleanup: Cleanup): Stage {
  const swapName = swapNameOf(name);
  const ready = { fd: stage.fd, path: spot.folder.at(swapName) };
  renameSync(stage.path, ready.path);
  cleanup.removes(ready);
  return ready;
}

/** Exchanges the two; false where that cannot be done here, `gone` if nothing has the second name any more. */
export function exchangeWith(stagePath: string, path: string): boolean | "gone" {
  try {
    return exchange(stagePath, path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "gone";
    throw error;
  }
}

/** What makes the folder durable after the step. What fails for want of a descriptor fails before it. */
function readyToSync({ folder }: Spot, cleanup: Cleanup): AfterStep {
  const fd = folder.openForSync();
  if (fd !== undefined) cleanup.closes(fd);
  return () => {
    if (fd !== undefined) syncOpened(fd);
    return undefined;
  };
}

/** Gives the stage the target's name; `taken` if something has it already. */
export function publishNew(stage: Pick<Stage, "path">, targetPath: string): "linked" | "renamed" | "taken" {
  try {
    linkSync(stage.path, targetPath);
    return "linked";
  } catch (error) {
    if (codeOf(error) === "EEXIST") return "taken";
    if (!linkless.has(codeOf(error))) throw error;
  }
  // Without hard links the name is claimed by an empty file first; a kill right here leaves that.
  if (!claimNew(targetPath)) return "taken";
  renameOver(stage.path, targetPath);
  return "renamed";
}

function claimNew(targetPath: string): boolean {
  try {
    closeSync(openDescriptor(targetPath, openFlags.create, 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** The error codes of file systems without hard links. */
export const linkless: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

interface Addition {
  readonly expected: ExpectedFile;
  readonly guard: () => Promise<boolean>;
  readonly cleanup: Cleanup;
}

interface Overwrite extends Addition {
  readonly proved: ProvedFile;
}

/**
 * Adds to the existing inode, behind what others may have added since: a log that never rests gets its line. What the
 * bytes begin with has to stand there still.
 */
async function appendInPlace(
  spot: Spot,
  bytes: Uint8Array,
  { expected: { identity, sha256 }, guard, cleanup }: Addition,
): Promise<Taken | Changed | Refusal> {
  const opened = openFile(spot, openFlags.append);
  if (opened.kind === "refusal") return opened;
  const { fd, stat } = opened;
  cleanup.closes(fd);
  const barred = barredFrom(opened, spot);
  if (barred !== undefined) return barred;
  if (stat.ino !== identity.inode || stat.dev !== identity.device) return changed;
  // It may have grown between the look that told its size and the read.
  const old = bytes.subarray(0, Number(identity.size));
  if (sha256Of(old) !== sha256) return changed;
  if (!(await guard())) return lostLock(spot);
  const now = statAt(spot);
  if (now?.ino !== stat.ino || now.dev !== stat.dev) return changed;
  if (!startsWith(bytesFrom(fd, 0), old)) return changed;
  return step(spot, fd, bytes, old, bytes.subarray(old.length));
}

/**
 * Writes into the existing inode: links, owner and attributes stay, atomicity is given up. What can fail
 * for want of space is done before the first old byte is touched; after any failure the old bytes are
 * put back. What is only added goes to the end, wherever that is by then.
 */
async function writeInPlace(
  spot: Spot,
  bytes: Uint8Array,
  { expected, proved, guard, cleanup }: Overwrite,
): Promise<Taken | Changed | Refusal> {
  const size = Number(proved.stat.size);
  const old = readUpTo(proved.fd, size, size);
  if (old === undefined) return changed;
  const added = bytes.length > size && startsWith(bytes, old) ? bytes.subarray(size) : undefined;
  const opened = openFile(spot, added === undefined ? openFlags.write : openFlags.append);
  if (opened.kind === "refusal") return opened;
  const { fd } = opened;
  cleanup.closes(fd);
  if (opened.stat.ino !== proved.stat.ino || opened.stat.dev !== proved.stat.dev) return changed;
  // No file is left that could be looked at later: what the stamps do not show has to be seen now.
  if (sha256Of(old) !== expected.sha256) return changed;
  if (!(await guard())) return lostLock(spot);
  if (!provedAgain(proved, expected.sha256)) return changed;
  const last = verifyBeforeStep(spot, expected, proved, cleanup);
  if (last.kind !== "proved") return last;
  if (last.stat.ino !== opened.stat.ino) return changed;
  return step(spot, fd, bytes, old, added);
}

/** @param added what the bytes have more than the old ones, if they begin with these. */
function step(
  spot: Spot,
  fd: number,
  bytes: Uint8Array,
  old: Uint8Array,
  added?: Uint8Array,
): Taken | Refusal {
  try {
    if (added === undefined) overwrite(fd, bytes, old.length);
    else append(fd, added);
  } catch (error) {
    return takeBack(spot, fd, old, error, added);
  }
  const sync = () => {
    fsyncSync(fd);
    return undefined;
  };
  return { kind: "taken", finish: () => afterStep(spot, [sync, () => addedTo(fd, old, added)]) };
}

function overwrite(fd: number, bytes: Uint8Array, oldLength: number): void {
  if (bytes.length > oldLength) writeAll(fd, bytes.subarray(oldLength), oldLength);
  writeAll(fd, bytes.subarray(0, oldLength), 0);
  ftruncateSync(fd, bytes.length);
}

/** By one call, if the disk has room, so that no other program's bytes come between. */
function append(fd: number, added: Uint8Array): void {
  for (let at = 0; at < added.length; ) at += writeSync(fd, added, at);
}

/** What the added bytes stand behind, if that is more than the old ones: another program had added to them before. */
function addedTo(fd: number, old: Uint8Array, added?: Uint8Array): Partial<Committed> {
  if (added === undefined) return {};
  const since = bytesFrom(fd, old.length);
  const at = since.indexOf(added);
  return at > 0 ? { addedTo: Buffer.concat([old, since.subarray(0, at)]) } : {};
}

function takeBack(spot: Spot, fd: number, old: Uint8Array, cause: unknown, added?: Uint8Array): Refusal {
  try {
    // Behind the old bytes another program's may stand by now.
    if (added !== undefined && !startsWith(added, bytesFrom(fd, old.length))) throw cause;
    ftruncateSync(fd, old.length);
    if (added === undefined) writeAll(fd, old, 0);
    fsyncSync(fd);
  } catch {
    throw faultFrom(cause, spot.shown, "mixed");
  }
  return refusalOrFault(cause, spot.shown);
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, beginning.length), beginning) === 0;
}

/** All from there to the end, or what was the end a moment ago. */
function bytesFrom(fd: number, position: number): Buffer {
  const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - position));
  return bytes.subarray(0, readAt(fd, bytes, 0, bytes.length, position));
}
