import { type BigIntStats, fdatasyncSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import type { BlobStore } from "../../files/index.js";
import { finish } from "../../text/index.js";
import { closeQuietly, codeOf, ifPossible, ifThere, openDescriptor, syncFolder } from "../disk/platform.js";
import {
  readLink,
  readSlices,
  removeQuietly,
  type Slices,
  sha256,
  sliceBytes,
  syncBeside,
  takeSlices,
} from "../disk/reading.js";
import { type Continued, hashFileSlices } from "./blob-proof.js";
import type { Presence } from "./sessions.js";
import { placeSlices, placeWhole, type StateFolder } from "./state-folder.js";
import { continued, formatTail, readTail, type StateLength, type Tail, tailSuffix } from "./tails.js";

/** Unfinished files begin with this; the garbage collection removes old ones. */
export const unfinishedPrefix = "tmp-";

/** What ends the name of a state that is kept as the beginning of a longer one. */
const beginningSuffix = ".begins";

/**
 * States of files, each under its SHA-256. A state that only adds to another one is kept as what it adds (`Tail`); after
 * some of these one is kept in full again, and those before it become links that name it and a length: so a log's
 * thousand states cost little more than the last one. A state that is met again is kept in full again. Nothing is
 * synced but what is about to be written over in place (`syncState`): after a power cut the newest may be gone or damaged,
 * and damaged bytes are never given out.
 */
export function openBlobs(state: StateFolder, presence: Presence): BlobStore {
  const blobs = new Blobs(state);
  const kept = async (work: () => Slices<boolean>): Promise<boolean> => {
    try {
      presence.show();
      return await takeSlices(work());
    } catch (error) {
      if (codeOf(error) === "") throw error;
      return false;
    }
  };
  return {
    put: async (hash, bytes, care) => kept(() => blobs.put(hash, bytes, care === "sure")),
    putLonger: async (hash, bytes, before) => kept(() => blobs.putLonger(hash, bytes, before)),
    has: async (hash) => ifPossible(() => isThere(state, hash), false),
    get: (hash) => takeSlices(readState(state, hash)),
  };
}

/** The writing half, with what this process knows of what it wrote. */
class Blobs {
  private readonly proved = new ProvedBlobs();
  /** The tails that this process made or read, by the state that each one keeps. */
  private readonly tails = new Map<string, Tail>();

  constructor(private readonly state: StateFolder) {}

  *put(hash: string, bytes: Uint8Array, isCareful: boolean): Slices<boolean> {
    const path = blobPath(this.state, hash);
    if (this.proved.isAsItWas(path) || (yield* this.isTail(hash, isCareful))) return true;
    // After a power cut a blob of the right size may lack its bytes.
    const isSure = isCareful && (yield* proveBlob(path, hash));
    const isDoubtful = isCareful && !isSure;
    const isCreated = isDoubtful || !touch(path, bytes.length);
    if (isCreated) yield* create(this.state, path, bytes);
    if (isCreated || isSure) this.proved.note(path);
    return true;
  }

  *putLonger(hash: string, bytes: Uint8Array, before: StateLength): Slices<boolean> {
    if (before.length === 0 || before.length >= bytes.length) return yield* this.put(hash, bytes, false);
    const last = this.tailOf(before.sha256);
    const tail = continued(last, before, bytes);
    if (tail === undefined) return yield* this.putAndFold(hash, bytes, [...beginningsOf(last), before]);
    if (!(yield* this.put(tail.root, bytes.subarray(0, tail.rootLength), true))) return false;
    const path = tailPath(this.state, hash);
    placeWhole(this.state, path, formatTail(tail, bytes), { prefix: unfinishedPrefix, isDurable: false });
    this.proved.note(path);
    this.remember(hash, tail);
    return true;
  }

  /**
   * Keeps a state in full, and those that it begins with as its beginnings. First the link, then the bytes go: at every
   * moment one of them is there. The longer state is made durable before: from then on they hang on it.
   */
  private *putAndFold(hash: string, bytes: Uint8Array, beginnings: readonly StateLength[]): Slices<boolean> {
    if (!(yield* this.put(hash, bytes, true))) return false;
    yield* syncBlob(blobPath(this.state, hash), bytes.length);
    for (const { sha256: beginning, length } of beginnings) {
      const path = blobPath(this.state, beginning);
      // Short enough for an inode: the link takes no block.
      putLink(`${length}-${Buffer.from(hash, "hex").toString("base64url")}`, path + beginningSuffix);
      removeQuietly(path);
      removeQuietly(path + tailSuffix);
      this.tails.delete(beginning);
    }
    return true;
  }

  /** Whether the state is kept as a tail, by what this process knows; a careful one reads and proves it. */
  private *isTail(hash: string, isCareful: boolean): Slices<boolean> {
    const path = tailPath(this.state, hash);
    const known = this.tails.get(hash);
    const root = known && blobPath(this.state, known.root);
    if (root !== undefined && this.proved.isAsItWas(path) && this.proved.isAsItWas(root)) return true;
    const tail = isCareful ? readTail(path) : undefined;
    if (tail === undefined) return false;
    const begin = blobPath(this.state, tail.root);
    if (!(yield* proveBlob(begin, tail.root))) return false;
    if ((yield* hashIfThere(begin, { length: tail.rootLength, bytes: tail.bytes })) !== hash) return false;
    for (const used of [path, begin]) {
      if (!markUsed(used)) return false;
      this.proved.note(used);
    }
    this.remember(hash, tail);
    return true;
  }

  /** The tail that keeps a state, if none keeps it in full. */
  private tailOf(hash: string): Tail | undefined {
    const known = this.tails.get(hash);
    if (known !== undefined) return known;
    if (this.proved.isAsItWas(blobPath(this.state, hash))) return undefined;
    return readTail(tailPath(this.state, hash));
  }

  private remember(hash: string, { root, rootLength, between }: Tail): void {
    this.tails.delete(hash);
    this.tails.set(hash, { root, rootLength, between });
    const [oldest] = this.tails.keys();
    if (this.tails.size > mostRemembered && oldest !== undefined) this.tails.delete(oldest);
  }
}

const mostRemembered = 256;

/** The states that a tail adds to, the shortest first. */
function beginningsOf(tail: Tail | undefined): readonly StateLength[] {
  return tail === undefined ? [] : [{ sha256: tail.root, length: tail.rootLength }, ...tail.between];
}

/** The bytes of this SHA-256, if they are kept; reads only. */
export function keptBytes(state: StateFolder, hash: string): Uint8Array | undefined {
  return finish(readState(state, hash));
}

/** Keeps bytes durably, for recovery, which has no session. Throws the system's error. */
export function keepBlob(state: StateFolder, hash: string, bytes: Uint8Array): void {
  const path = blobPath(state, hash);
  if (!finish(proveBlob(path, hash)) || !touch(path, bytes.length)) finish(create(state, path, bytes));
}

/** In place of one that is there; there rarely is. */
function putLink(text: string, path: string): void {
  try {
    symlinkSync(text, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    removeQuietly(path);
    symlinkSync(text, path);
  }
}

function* syncBlob(path: string, size: number): Slices<void> {
  const fd = openDescriptor(path, "r");
  try {
    if (size > sliceBytes) yield syncBeside.data(fd);
    else fdatasyncSync(fd);
  } finally {
    closeQuietly(fd);
  }
}

/**
 * Makes durable what keeps a state whose file is about to be written over in place: nothing else has its bytes then. States
 * of secrets are durable in any case, and elsewhere.
 */
export function syncState(state: StateFolder, hash: string): void {
  const tail = tailPath(state, hash);
  for (const path of [tail, blobPath(state, readTail(tail)?.root ?? hash)])
    ifThere(() => {
      finish(syncBlob(path, 0));
      syncFolder(dirname(path));
    });
}

/** Follows the links, each to a longer state, down to one that is kept in full. */
function inFull(
  state: StateFolder,
  hash: string,
): { readonly path: string; readonly hash: string } | undefined {
  let at = hash;
  let length = -1;
  for (;;) {
    const path = blobPath(state, at);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) return { path, hash: at };
    const [, size, of] = /^(\d+)-([\w-]{43})$/.exec(readLink(path + beginningSuffix) ?? "") ?? [];
    // A longer one each time, so that damaged links cannot lead in a circle.
    if (of === undefined || Number(size) <= length) return undefined;
    at = Buffer.from(of, "base64url").toString("hex");
    length = Number(size);
  }
}

function isThere(state: StateFolder, hash: string): boolean {
  if (inFull(state, hash) !== undefined) return true;
  const tail = readTail(tailPath(state, hash));
  return tail !== undefined && inFull(state, tail.root) !== undefined;
}

/** What the disk does not give back is as good as gone. */
function* readState(state: StateFolder, hash: string): Slices<Uint8Array | undefined> {
  try {
    const whole = yield* readBlob(blobPath(state, hash), hash);
    return whole ?? (yield* readBeginning(state, hash)) ?? (yield* readFromTail(state, hash));
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** A state that is kept as the beginning of a longer one. */
function* readBeginning(state: StateFolder, hash: string): Slices<Uint8Array | undefined> {
  const kept = inFull(state, hash);
  if (kept === undefined || kept.hash === hash) return undefined;
  const whole = yield* readBlob(kept.path, kept.hash);
  const [, length] = /^(\d+)-/.exec(readLink(blobPath(state, hash) + beginningSuffix) ?? "") ?? [];
  const bytes = length === undefined ? undefined : whole?.subarray(0, Number(length));
  return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
}

function* readFromTail(state: StateFolder, hash: string): Slices<Uint8Array | undefined> {
  const tail = readTail(tailPath(state, hash));
  if (tail === undefined) return undefined;
  // Its beginning is never a tail itself, so that damaged ones cannot lead in a circle.
  const { root, rootLength } = tail;
  const begin = (yield* readBlob(blobPath(state, root), root)) ?? (yield* readBeginning(state, root));
  const bytes = begin && Buffer.concat([begin.subarray(0, rootLength), tail.bytes]);
  return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
}

function tailPath(state: StateFolder, hash: string): string {
  return blobPath(state, hash) + tailSuffix;
}

function blobPath(state: StateFolder, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`not a SHA-256: ${hash}`);
  return state.at("blobs", hash.slice(0, 2), hash);
}

/** Marks a blob as used now; false where it is missing or cut short. */
function touch(path: string, size: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.size === size && markUsed(path);
}

function* create(state: StateFolder, path: string, bytes: Uint8Array): Slices<void> {
  yield* placeSlices(state, path, bytes, { prefix: unfinishedPrefix, isDurable: false });
}

/** Whether these bytes are kept there; where others are, they go. */
function* proveBlob(path: string, hash: string): Slices<boolean> {
  const found = yield* hashIfThere(path);
  if (found === undefined || found === hash) return found === hash;
  // So that the next `put` does not take it for kept.
  removeQuietly(path);
  return false;
}

/** What the disk does not give back is as good as gone. */
function* hashIfThere(path: string, continued?: Continued): Slices<string | undefined> {
  try {
    return yield* hashFileSlices(path, continued);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

function* readBlob(path: string, hash: string): Slices<Uint8Array | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = yield* readSlices(path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
  if (sha256(bytes) === hash) return bytes;
  // So that the next `put` does not take it for kept.
  removeQuietly(path);
  return undefined;
}

/**
 * Files of the state folder that this process wrote or proved itself, and what the system said of them then: as long
 * as it says the same, they are neither read nor hashed again.
 */
class ProvedBlobs {
  private readonly signatures = new Map<string, string>();

  /** Whether nobody changed it since; it is marked as used then, if its mark is old. */
  isAsItWas(path: string): boolean {
    const known = this.signatures.get(path);
    if (known === undefined) return false;
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined || signatureOf(stat) !== known) return false;
    if (Date.now() - Number(stat.mtimeMs) >= markMs) {
      if (!markUsed(path)) return false;
      this.note(path);
    }
    return true;
  }

  note(path: string): void {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return;
    this.signatures.delete(path);
    this.signatures.set(path, signatureOf(stat));
    const [oldest] = this.signatures.keys();
    if (this.signatures.size > mostProved && oldest !== undefined) this.signatures.delete(oldest);
  }
}

/**
 * For the garbage collection, which counts in days. Throws the system's error.
 *
 * @returns false where it was collected meanwhile: it is to be kept anew.
 */
function markUsed(path: string): boolean {
  const now = Date.now() / 1_000;
  return ifThere(() => utimesSync(path, now, now) ?? true) === true;
}

/** Who writes into a file moves its time of change, which nobody can set. */
function signatureOf({ ino, size, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${ctimeNs}`;
}

/** A mark of use is renewed after this time. */
const markMs = 60_000;
const mostProved = 256;
