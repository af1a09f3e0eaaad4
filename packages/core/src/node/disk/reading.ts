import { type BigIntStats, closeSync, fstatSync, lstatSync, readlinkSync } from "node:fs";
import type { Entry, FileBytes, FileIdentity, Streamed } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay, finish } from "../../text/index.js";
import { accessOf } from "./access.js";
import { sha256Stream } from "./digest.js";
import type { Folder } from "./folder.js";
import { closeQuietly, openDescriptor, openFlags, readAt } from "./platform.js";
import { hashSlices, readOpenedSlices, type Slices, sliceBytes, takeSlices } from "./slices.js";

/** One entry of an open folder, with the path under which messages speak of it. */
export interface Spot {
  readonly folder: Folder;
  readonly name: string;
  readonly shown: string;
  /** Whether a replacement may exchange names; see `exchange`. */
  readonly exchanges?: boolean;
}

/** A regular file held open; its descriptor is the opener's to close. */
export interface OpenedFile {
  readonly kind: "opened";
  readonly fd: number;
  readonly stat: BigIntStats;
}

/** The identity by which an unchanged file is recognised; taken before its bytes are, for `isFirm`. */
export function identityOf(stat: BigIntStats): FileIdentity {
  return {
    device: stat.dev,
    inode: stat.ino,
    size: stat.size,
    mtimeNs: stat.mtimeNs,
    ctimeNs: stat.ctimeNs,
    isFirm: !isYoung(stat.ctimeNs),
  };
}

/** Whether both looks saw the same file in the same state. */
export function sameIdentity(one: FileIdentity, other: FileIdentity): boolean {
  return (
    one.device === other.device &&
    one.inode === other.inode &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

/** The kind of an entry, links not followed. Throws the system's error. */
export function lookAt(spot: Spot): Entry {
  const stat = statAt(spot);
  if (stat === undefined) return { kind: "missing" };
  if (stat.isDirectory()) return { kind: "directory" };
  if (stat.isSymbolicLink()) return { kind: "link" };
  if (!stat.isFile()) return { kind: "other", what: kindOf(stat) };
  return { kind: "file", size: Number(stat.size), links: Number(stat.nlink), identity: identityOf(stat) };
}

/** `lstat` of the entry; undefined where there is none. */
export function statAt(spot: Spot): BigIntStats | undefined {
  return lstatSync(spot.folder.at(spot.name), { bigint: true, throwIfNoEntry: false });
}

/**
 * Opens a regular file and nothing else: what is no regular file is not opened at all, and one that is
 * swapped in at the last moment is neither followed nor waited for.
 */
export function openFile(spot: Spot, flags: number = openFlags.read): OpenedFile | Refusal {
  const seen = statAt(spot);
  if (seen === undefined)
    return refuse("file_missing", `${escapeForDisplay(spot.shown)}: there is no such file.`);
  if (!seen.isFile()) return wrongKind(spot, seen);
  const fd = openDescriptor(spot.folder.at(spot.name), flags);
  const stat = fstatSync(fd, { bigint: true });
  if (stat.isFile()) return { kind: "opened", fd, stat };
  closeSync(fd);
  return wrongKind(spot, stat);
}

/** The bytes of a link's text; undefined where no link is there. Throws the system's error. */
export function readLinkAt(spot: Spot): FileBytes | undefined {
  const stat = statAt(spot);
  if (stat?.isSymbolicLink() !== true) return undefined;
  const bytes = readlinkSync(spot.folder.at(spot.name), { encoding: "buffer" });
  return { kind: "bytes", bytes, identity: identityOf(stat) };
}

/**
 * The whole content, at most `limitBytes`; a file that grows meanwhile is followed up to the limit.
 *
 * @returns a large file open, for `readLarge`.
 */
export function readWhole(spot: Spot, limitBytes: number): FileBytes | OpenedFile | Refusal {
  const link = readLinkAt(spot);
  if (link !== undefined) return link;
  const opened = openFile(spot);
  if (opened.kind === "refusal") return opened;
  let isLarge = false;
  try {
    if (opened.stat.size > BigInt(limitBytes)) return tooLarge(spot, opened.stat.size, limitBytes);
    isLarge = opened.stat.size > sliceBytes;
    if (isLarge) return opened;
    // Of before the read: by its end a stamp that was young may be old, and two writes of one tick have the same.
    const identity = identityOf(opened.stat);
    const bytes = readUpTo(opened.fd, Number(opened.stat.size), limitBytes);
    if (bytes === undefined) return tooLarge(spot, undefined, limitBytes);
    return { kind: "bytes", bytes, identity, access: accessOf(opened.fd, opened.stat) };
  } finally {
    if (!isLarge) closeQuietly(opened.fd);
  }
}

/** Two files of this size are felt; what is smaller is not worth going through the heap. */
const feltBytes = 8 * 1024 * 1024;

/**
 * The same of a large file, in slices; it is closed then. A program, or this one, that writes into the file meanwhile
 * would leave a mixture: then, or where its time stamps are too young to tell, it is read at once.
 */
export async function readLarge(
  shown: string,
  { fd, stat }: OpenedFile,
  limitBytes: number,
): Promise<FileBytes | Refusal> {
  try {
    // Where the process lets it be collected: else what was made of the file before may be held beside this one.
    if (stat.size >= feltBytes) globalThis.gc?.();
    const identity = identityOf(stat);
    const bytes = identity.isFirm ? await takeSlices(readOpenedSlices(fd, Number(stat.size))) : undefined;
    const now = fstatSync(fd, { bigint: true });
    const identityNow = identityOf(now);
    const isSame = sameIdentity(identityNow, identity);
    const whole = (isSame ? bytes : undefined) ?? readUpTo(fd, Number(now.size), limitBytes);
    if (whole === undefined) return tooLarge({ shown }, undefined, limitBytes);
    return { kind: "bytes", bytes: whole, identity: identityNow, access: accessOf(fd, now) };
  } finally {
    closeQuietly(fd);
  }
}

/** SHA-256 of an open file, in bounded memory; it stops at the size that the file had when it was opened. */
export function hashOpened(fd: number, size: number): string {
  return finish(hashOpenedSlices(fd, size));
}

/** The same in slices. */
export function* hashOpenedSlices(fd: number, size: number): Slices<string> {
  const state = sha256Stream();
  // One byte beyond the size shows that the file grew; the hash then differs, as it should.
  yield* hashSlices(state, fd, size + 1);
  return state.digest();
}

/**
 * Hands a file over piece by piece; one that fits a piece comes as a whole. It stops at the size that the
 * file had when it was opened, so that a log that grows meanwhile comes to an end.
 */
export async function streamFile(
  spot: Spot,
  take: (piece: Uint8Array, whole: boolean) => boolean,
): Promise<Streamed | Refusal> {
  const opened = openFile(spot);
  if (opened.kind === "refusal") return opened;
  try {
    const size = Number(opened.stat.size);
    // Files of /proc say that they are empty and are not.
    const endBytes = size === 0 ? pieceBytes : size;
    const buffer = Buffer.allocUnsafe(Math.min(endBytes, pieceBytes));
    for (let at = 0; at < endBytes; ) {
      await restIfDue();
      const count = readAt(opened.fd, buffer, 0, Math.min(buffer.length, endBytes - at), at);
      if (count === 0) break;
      at += count;
      if (!take(buffer.subarray(0, count), endBytes <= pieceBytes)) break;
    }
    return { kind: "streamed" };
  } finally {
    closeSync(opened.fd);
  }
}

const pieceBytes = 1024 * 1024;

/** Gives way to whatever else this process has to do, every few milliseconds. */
async function restIfDue(): Promise<void> {
  const now = Date.now();
  if (now - rested < 10) return;
  await new Promise((resolve) => setImmediate(resolve));
  rested = Date.now();
}

let rested = 0;

/** Everything up to the end, or undefined where that lies beyond the limit. */
export function readUpTo(fd: number, expectedBytes: number, limitBytes: number): Uint8Array | undefined {
  // Files of /proc say that they are empty and are not: they are asked for as any growing file.
  let buffer = Buffer.allocUnsafeSlow(expectedBytes + 1);
  let filled = 0;
  for (;;) {
    const count = readAt(fd, buffer, filled, buffer.length - filled, filled);
    if (count === 0) return new Uint8Array(buffer.buffer, buffer.byteOffset, filled);
    filled += count;
    if (filled > limitBytes) return undefined;
    if (filled < buffer.length) continue;
    const room = Math.min(Math.max(buffer.length * 2, 4096), limitBytes + 1);
    const larger = Buffer.allocUnsafeSlow(room);
    buffer.copy(larger, 0, 0, filled);
    buffer = larger;
  }
}

function kindOf(stat: BigIntStats): string {
  if (stat.isFIFO()) return "FIFO";
  if (stat.isSocket()) return "socket";
  if (stat.isCharacterDevice()) return "character device";
  if (stat.isBlockDevice()) return "block device";
  if (stat.isSymbolicLink()) return "symbolic link";
  return "special file";
}

function wrongKind(spot: Spot, stat: BigIntStats): Refusal {
  const shown = escapeForDisplay(spot.shown);
  if (stat.isDirectory()) return refuse("is_directory", `${shown} is a folder.`);
  return refuse("not_a_file", `${shown} is not a regular file but a ${kindOf(stat)}.`);
}

/**
 * Refuses with `too_large`. @param size in bytes; undefined where the file grew beyond the limit while it
 * was read.
 */
export function tooLarge(spot: Pick<Spot, "shown">, size: bigint | undefined, limitBytes: number): Refusal {
  const found = size === undefined ? "grows while it is read" : `has ${size} bytes`;
  const shown = escapeForDisplay(spot.shown);
  return refuse("too_large", `${shown} ${found}; the limit is ${limitBytes} bytes. Read a part of it.`);
}

/**
 * Whether a time stamp is so young that a second write may hide within the same tick of the clock that gave it: nothing
 * is proved by one that is the same.
 */
export function isYoung(stampNs: bigint): boolean {
  const ageNs = BigInt(Date.now()) * 1_000_000n - stampNs;
  return ageNs <= (stampNs % secondNs === 0n ? coarseTickNs : tickNs);
}

const secondNs = 1_000_000_000n;
/** Of the kernel's clock, amply. */
export const clockTickMs = 100;
const tickNs = BigInt(clockTickMs) * 1_000_000n;
/** FAT counts in two seconds, ext with short inodes in whole ones; elsewhere hardly a stamp is a whole second. */
const coarseTickNs = 2n * secondNs + tickNs;
