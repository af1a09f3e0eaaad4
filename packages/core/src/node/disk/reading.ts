import { createHash, hash, randomBytes } from "node:crypto";
import {
  type BigIntStats,
  closeSync,
  fdatasync,
  fstatSync,
  fsync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";
import type { Entry, FileBytes, FileIdentity, Streamed } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay, finish } from "../../text/index.js";
import { accessOf, type Folder } from "./folder.js";
import {
  closeQuietly,
  codeOf,
  ifPossible,
  openDescriptor,
  openFlags,
  quietly,
  readAt,
  withDescriptor,
  withOpened,
  writeAll,
} from "./platform.js";

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

/** SHA-256 of the bytes, or of a text as UTF-8, as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  return hash("sha256", bytes, "hex");
}

/** The same over parts that come one after the other. */
export function sha256Stream(): { update(bytes: Uint8Array): void; digest(): string } {
  const state = createHash("sha256");
  return {
    update: (bytes) => {
      state.update(bytes);
    },
    digest: () => state.digest("hex"),
  };
}

/** Whether git's name of a content begins so. Git may keep a text with other line endings than the disk, or the diff. */
export function isGitBlob(bytes: Uint8Array, id: string): boolean {
  const plain = Buffer.from(bytes).toString("latin1").replaceAll("\r\n", "\n");
  const others = [plain, plain.replaceAll("\n", "\r\n")].map((text) => Buffer.from(text, "latin1"));
  const isNamed = (content: Uint8Array, by: string) =>
    createHash(by).update(`blob ${content.length}\0`).update(content).digest("hex").startsWith(id);
  return [bytes, ...others].some((content) => isNamed(content, "sha1") || isNamed(content, "sha256"));
}

/** Undoes zlib's packing; undefined of damaged bytes, and of those that come to more than `size`. */
export function inflate(bytes: Uint8Array, size: number): Uint8Array | undefined {
  return ifPossible(() => inflateSync(bytes, { maxOutputLength: Math.max(1, size) }), undefined);
}

/** 128 random bits as 26 characters from [a-z2-7]: unguessable, and safe in any file name. */
export function newId(): string {
  if (poolAt + idBytes > pool.length) {
    pool = randomBytes(64 * idBytes);
    poolAt = 0;
  }
  const bits = pool.subarray(poolAt, poolAt + idBytes);
  poolAt += idBytes;
  let id = "";
  for (let at = 0; at < 26; at++) {
    const bit = at * 5;
    const pair = ((bits[bit >> 3] ?? 0) << 8) | (bits[(bit >> 3) + 1] ?? 0);
    id += alphabet[(pair >> (11 - (bit & 7))) & 31];
  }
  return id;
}

const idBytes = 17;
/** Asking the system for bytes costs more than making ten ids of them. */
let pool: Uint8Array = new Uint8Array();
let poolAt = 0;

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Bytes as base64, for doors that hand media on. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The text of a symbolic link; undefined if nothing is there, "" for anything but a link. */
export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EINVAL") return "";
    throw error;
  }
}

/**
 * The text of a file, undefined where it is longer than any record of ours. Throws the system's error. (Node's own
 * way ends the process where such a file cannot be closed, and gives up where a signal came in between.)
 */
export function readText(path: string): string | undefined {
  return withOpened(path, "r", (fd) => {
    const { size } = fstatSync(fd);
    const bytes = size > mostRecordBytes ? undefined : readUpTo(fd, size, mostRecordBytes);
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  });
}

/** The record of a change set of a hundred thousand files is shorter. */
export const mostRecordBytes = 128 * 1024 * 1024;

/** The names in a folder, none where it is missing or no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    // To be told that there is none costs a tenth of the error that says so, and that is the usual answer.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return withDescriptor(() => readdirSync(folder));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Deletes an entry of the state folder that may be gone already. */
export function removeQuietly(path: string): void {
  quietly(() => unlinkSync(path));
}

/**
 * What the disk gives and takes of large files, in slices of some milliseconds: a disk may be slow. Between two of them
 * whatever else this process has to do has its turn. A promise that is yielded is waited for, such as that of a sync,
 * which the system does meanwhile.
 */
export type Slices<Result> = Generator<Promise<unknown> | undefined, Result, void>;

/** Takes all slices; `finish` does so at once, where they wait for nothing. What is small has none. */
export async function takeSlices<Result>(slices: Slices<Result>): Promise<Result> {
  for (;;) {
    const slice = slices.next();
    if (slice.done === true) return slice.value;
    await (slice.value ?? nextTurn());
  }
}

/** In bytes: read or written in one to ten milliseconds. What is no larger is done at once. */
export const sliceBytes = 1024 * 1024;

/** `writeAll` in slices. */
export function* writeSlices(fd: number, bytes: Uint8Array): Slices<void> {
  for (let at = 0; at < bytes.length; at += sliceBytes) {
    if (at > 0) yield;
    writeAll(fd, bytes.subarray(at, at + sliceBytes), at);
  }
}

/** The whole of a file; throws the system's error. */
export function* readSlices(path: string): Slices<Uint8Array> {
  const fd = openDescriptor(path, "r");
  try {
    const { size } = fstatSync(fd);
    return size <= sliceBytes ? readFileSync(fd) : yield* readOpenedSlices(fd, size);
  } finally {
    closeSync(fd);
  }
}

/** So many bytes of an open file, or all where it has fewer. */
function* readOpenedSlices(fd: number, size: number): Slices<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(size);
  let at = 0;
  while (at < size) {
    const count = readAt(fd, buffer, at, Math.min(sliceBytes, size - at), at);
    if (count === 0) break;
    at += count;
    yield;
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, at);
}

/** Hands an open file to a running hash, so many bytes at most, without holding more than a piece of them. */
export function* hashSlices(
  hash: { update(bytes: Uint8Array): void },
  fd: number,
  end: number,
): Slices<void> {
  const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, end));
  for (let at = 0; at < end; ) {
    const count = readAt(fd, buffer, 0, Math.min(buffer.length, end - at), at);
    if (count === 0) return;
    hash.update(buffer.subarray(0, count));
    at += count;
    if (count === chunkBytes) yield;
  }
}

/** In bytes: read piece by piece, none of which is kept. */
export const chunkBytes = 256 * 1024;

/** Waits for a sync while others have their turns. An fsync that fails is a failed write. */
export const syncBeside = { all: promisify(fsync), data: promisify(fdatasync) };
