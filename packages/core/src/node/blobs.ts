import { closeSync, openSync, readFileSync, renameSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import type { BlobStore } from "../files/index.js";
import { newId, sha256 } from "./digest.js";
import { removeQuietly } from "./entries.js";
import { codeOf, openFlags } from "./platform.js";
import type { Presence } from "./sessions.js";
import { writeAll } from "./stage.js";
import type { StateFolder } from "./state-folder.js";

/** Unfinished files begin with this; the garbage collection removes old ones. */
export const unfinishedPrefix = "tmp-";

/**
 * States of files, each under its SHA-256. Nothing is synced: after a power cut the newest may be gone or
 * damaged, and damaged bytes are never given out.
 */
export function openBlobs(state: StateFolder, presence: Presence): BlobStore {
  return {
    put: async (hash, bytes, care) => {
      const path = blobPath(state, hash);
      try {
        presence.show();
        // A power cut may leave a blob of the right size whose bytes were never written.
        const doubtful = care === "sure" && readBlob(path, hash) === undefined;
        if (doubtful || !touch(path, bytes.length)) create(state, path, bytes);
        return true;
      } catch (error) {
        if (codeOf(error) === "") throw error;
        return false;
      }
    },
    has: async (hash) => statSync(blobPath(state, hash), { throwIfNoEntry: false }) !== undefined,
    get: async (hash) => readBlob(blobPath(state, hash), hash),
  };
}

/** Keeps bytes for sure, for who clears up and has no session. Throws the system's error. */
export function keepBlob(state: StateFolder, hash: string, bytes: Uint8Array): void {
  const path = blobPath(state, hash);
  if (readBlob(path, hash) === undefined || !touch(path, bytes.length)) create(state, path, bytes);
}

function blobPath(state: StateFolder, hash: string): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`not a SHA-256: ${hash}`);
  return state.at("blobs", hash.slice(0, 2), hash);
}

/** Marks a blob as used now; false where it is missing or cut short. */
function touch(path: string, size: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.size !== size) return false;
  const now = Date.now() / 1_000;
  utimesSync(path, now, now);
  return true;
}

function create(state: StateFolder, path: string, bytes: Uint8Array): void {
  const folder = dirname(path);
  const unfinished = `${folder}/${unfinishedPrefix}${newId()}`;
  const fd = state.within(folder, () => openSync(unfinished, openFlags.create, 0o600));
  try {
    try {
      writeAll(fd, bytes, 0);
    } finally {
      closeSync(fd);
    }
    renameSync(unfinished, path);
  } catch (error) {
    removeQuietly(unfinished);
    throw error;
  }
}

function readBlob(path: string, hash: string): Uint8Array | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
  if (sha256(bytes) === hash) return bytes;
  // So that the next `put` does not take it for kept.
  removeQuietly(path);
  return undefined;
}
