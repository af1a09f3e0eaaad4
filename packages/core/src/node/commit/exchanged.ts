import { type BigIntStats, closeSync, fstatSync, linkSync, renameSync, unlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Changed } from "../../files/index.js";
import { defined } from "../../text/index.js";
import { nativeExtension } from "../disk/attributes.js";
import { sha256 as digest } from "../disk/digest.js";
import { codeOf, exchangesNames } from "../disk/platform.js";
import { openFile, readUpTo, type Spot, statAt } from "../disk/reading.js";
import { type ProvedFile, provedAgain } from "./proved-file.js";
import { OpenReplacedFile } from "./replaced-file.js";
import type { Cleanup, Stage } from "./stage.js";

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
