import {
  type BigIntStats,
  fdatasyncSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import type { BlobStore } from "../../files/index.js";
import { sha256 } from "../disk/digest.js";
import { readLink, removeQuietly } from "../disk/entries.js";
import { closeQuietly, codeOf } from "../disk/platform.js";
import type { Presence } from "./sessions.js";
import type { StateFolder } from "./state-folder.js";
import { placeWhole } from "./whole-file.js";

/** Unfinished files begin with this; the garbage collection removes old ones. */
export const unfinishedPrefix = "tmp-";

/** What ends the name of a state that is kept as the beginning of a longer one. */
const beginningSuffix = ".begins";

/**
 * States of files, each under its SHA-256. A state that was only added to afterwards is a link that names
 * the longer state and a length, so that a log's thousand states cost little more than the last one; a state
 * that is met again is kept in full again. Nothing is synced: after a power cut the newest may be gone or
 * damaged, and damaged bytes are never given out.
 */
export function openBlobs(state: StateFolder, presence: Presence): BlobStore {
  const proved = new ProvedBlobs();
  return {
    put: async (hash, bytes, care) => {
      const path = blobPath(state, hash);
      try {
        presence.show();
        if (proved.isAsItWas(path)) return true;
        // After a power cut a blob of the right size may lack its bytes.
        const isSure = care === "sure" && readBlob(path, hash) !== undefined;
        const isDoubtful = care === "sure" && !isSure;
        const isCreated = isDoubtful || !touch(path, bytes.length);
        if (isCreated) create(state, path, bytes);
        if (isCreated || isSure) proved.note(path);
        return true;
      } catch (error) {
        if (codeOf(error) === "") throw error;
        return false;
      }
    },
    has: async (hash) => whereReadable(() => inFull(state, hash)) !== undefined,
    get: async (hash) => whereReadable(() => readState(state, hash)),
    keepAsBeginning: async (hash, length, of) => {
      try {
        const isProved = proved.isAsItWas(blobPath(state, of));
        keepAsBeginning(state, { hash, length }, { hash: of, isProved });
      } catch (error) {
        // The state stays as it is kept.
        if (codeOf(error) === "") throw error;
      }
    },
  };
}

/** The bytes of this SHA-256, if they are kept; reads only. */
export function keptBytes(state: StateFolder, hash: string): Uint8Array | undefined {
  return whereReadable(() => readState(state, hash));
}

/** Keeps bytes durably, for recovery, which has no session. Throws the system's error. */
export function keepBlob(state: StateFolder, hash: string, bytes: Uint8Array): void {
  const path = blobPath(state, hash);
  if (readBlob(path, hash) === undefined || !touch(path, bytes.length)) create(state, path, bytes);
}

/**
 * First the link, then the bytes go: at every moment one of them is there. The longer state is proved and
 * made durable before: from then on all the states before it hang on it.
 */
function keepAsBeginning(
  state: StateFolder,
  beginning: { readonly hash: string; readonly length: number },
  longer: { readonly hash: string; readonly isProved: boolean },
): void {
  const path = blobPath(state, beginning.hash);
  const of = blobPath(state, longer.hash);
  const size = longer.isProved ? statSync(of).size : readBlob(of, longer.hash)?.length;
  if (beginning.hash === longer.hash || size === undefined || size <= beginning.length) return;
  syncBlob(of);
  // Short enough for an inode: the link takes no block.
  const text = `${beginning.length}-${Buffer.from(longer.hash, "hex").toString("base64url")}`;
  putLink(text, path + beginningSuffix);
  removeQuietly(path);
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

function syncBlob(path: string): void {
  const fd = openSync(path, "r");
  try {
    fdatasyncSync(fd);
  } finally {
    closeQuietly(fd);
  }
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

/** What the disk does not give back is as good as gone. */
function whereReadable<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

function readState(state: StateFolder, hash: string): Uint8Array | undefined {
  const kept = inFull(state, hash);
  if (kept === undefined || kept.hash === hash) return readBlob(blobPath(state, hash), hash);
  const whole = readBlob(kept.path, kept.hash);
  const [, length] = /^(\d+)-/.exec(readLink(blobPath(state, hash) + beginningSuffix) ?? "") ?? [];
  const bytes = length === undefined ? undefined : whole?.subarray(0, Number(length));
  return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
}

function blobPath(state: StateFolder, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`not a SHA-256: ${hash}`);
  return state.at("blobs", hash.slice(0, 2), hash);
}

/**
 * Blobs that this process wrote or proved itself, and what the system said of them then: as long as it says the
 * same, they are neither read nor hashed again.
 */
class ProvedBlobs {
  private readonly signatures = new Map<string, string>();

  /** Whether nobody changed it since, and it is marked as used not long ago. */
  isAsItWas(path: string): boolean {
    const known = this.signatures.get(path);
    if (known === undefined) return false;
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat !== undefined && signatureOf(stat) === known && Date.now() - Number(stat.mtimeMs) < markMs;
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

/** Who writes into a file moves its time of change, which nobody can set. */
function signatureOf({ ino, size, ctimeNs }: BigIntStats): string {
  return `${ino} ${size} ${ctimeNs}`;
}

/** A mark of use is renewed after this time; the garbage collection counts in days. */
const markMs = 60_000;
const mostProved = 256;

/** Marks a blob as used now; false where it is missing or cut short. */
function touch(path: string, size: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.size !== size) return false;
  const now = Date.now() / 1_000;
  utimesSync(path, now, now);
  return true;
}

function create(state: StateFolder, path: string, bytes: Uint8Array): void {
  placeWhole(state, path, bytes, { prefix: unfinishedPrefix, isDurable: false });
}

function readBlob(path: string, hash: string): Uint8Array | undefined {
  const bytes = whereReadable(() => readFileSync(path));
  if (bytes === undefined || sha256(bytes) === hash) return bytes;
  // So that the next `put` does not take it for kept.
  removeQuietly(path);
  return undefined;
}
