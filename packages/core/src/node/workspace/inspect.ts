import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { excludedByOwner, isSecret, type ProtectedPath, protectionAt, tidyPath } from "../../files/index.js";
import { isRefusal, type Refusal } from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import { isOrphan, readRecords } from "../change-sets/record.js";
import { openDisk } from "../commit/disk-target.js";
import { nativeExtension } from "../disk/folder.js";
import { answering, canWalkByHandle } from "../disk/platform.js";
import { namesIn } from "../disk/reading.js";
import { logOf } from "../state-folder/operations.js";
import { listSecrets } from "../state-folder/secrets.js";
import { readSessions } from "../state-folder/sessions.js";
import { openStateFolder, type StateFolder } from "../state-folder/state-folder.js";
import { abandonedLocks, listBlobs } from "./gc.js";

/** Plain facts about this installation, for `doctor`. Nothing is made, removed or repaired. */
export interface Inspection {
  readonly nodeVersion: string;
  readonly platform: string;
  /** Folders are walked by their handles; else by compared paths, the weaker promise. */
  readonly walksByHandle: boolean;
  readonly nativeExtension: { readonly loaded: boolean; readonly reason?: string };
  readonly roots: readonly { readonly path: string; readonly refusal?: Refusal }[];
  readonly state: StateFacts | Refusal;
}

/** What is in a state folder, for `holdfast doctor`. */
export interface StateFacts {
  readonly kind: "state";
  readonly path: string;
  /** False where nothing was kept yet. */
  readonly exists: boolean;
  /** Octal, as `700`. */
  readonly mode: string | null;
  readonly freeBytes: number;
  readonly liveSessions: number;
  readonly staleSessions: number;
  readonly staleLocks: number;
  /** Records of writes and change sets whose process is gone; the next start clears them. */
  readonly leftIntents: number;
  readonly blobs: number;
  readonly blobBytes: number;
  readonly histories: number;
  /** States of files that may hold secrets, kept apart from the blobs. */
  readonly secrets: number;
}

/** Looks at machine, roots and state folder; changes nothing. */
export function inspectState(stateDir: string | undefined, roots: readonly string[]): Inspection {
  const native = nativeExtension();
  return {
    nodeVersion: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    walksByHandle: canWalkByHandle(),
    nativeExtension: native.kind === "loaded" ? { loaded: true } : { loaded: false, reason: native.reason },
    roots: roots.map(inspectRoot),
    state: inspectFolder(stateDir),
  };
}

/** What holds for one path, for `holdfast doctor PATH`. */
export interface PathFacts {
  readonly kind: "path";
  /** Relative to the root that holds it, links resolved. */
  readonly relativePath: string;
  /** Why writing there needs a person, and where it is written that code runs by it. */
  readonly protection?: Pick<ProtectedPath, "reason" | "source">;
  /** A `.holdfastignore` keeps it away from the tools. */
  readonly ignored?: Refusal;
  /** It looks like a secret. */
  readonly secret: boolean;
}

/**
 * Looks at one path as a write would; changes nothing.
 *
 * @param path relative to the first root, or absolute inside any.
 * @returns the facts, or the refusal that any request for the path would get.
 */
export async function inspectPath(roots: readonly string[], path: string): Promise<PathFacts | Refusal> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return tidy;
  const disk = openDisk(roots);
  if (isRefusal(disk)) return disk;
  try {
    const place = await disk.enter(tidy.path, "allow");
    if (isRefusal(place)) return place;
    try {
      const { relativePath } = place;
      const protection = await protectionAt(disk, place, tidy.path);
      const ignored = await excludedByOwner(disk, place);
      return {
        kind: "path",
        relativePath,
        secret: isSecret(relativePath),
        ...defined({ protection, ignored }),
      };
    } finally {
      await place.close();
    }
  } finally {
    disk.close();
  }
}

function inspectRoot(path: string): { path: string; refusal?: Refusal } {
  const disk = openDisk([path]);
  if (isRefusal(disk)) return { path, refusal: disk };
  disk.close();
  return { path };
}

function inspectFolder(stateDir: string | undefined): StateFacts | Refusal {
  const state = openStateFolder(stateDir);
  return isRefusal(state) ? state : answering(state.path, () => factsOf(state));
}

function factsOf(state: StateFolder): StateFacts {
  const stat = statSync(state.path, { throwIfNoEntry: false });
  const sessions = readSessions(state);
  const records = [...readRecords(state, "intents"), ...readRecords(state, "changes")];
  const files = logOf(state)
    .since(0)
    .flatMap((operation) => operation.files);
  const blobs = listBlobs(state);
  return {
    kind: "state",
    path: state.path,
    exists: stat !== undefined,
    mode: stat === undefined ? null : (stat.mode & 0o777).toString(8),
    freeBytes: freeBytes(state.path),
    liveSessions: sessions.live,
    staleSessions: sessions.overPaths.length,
    staleLocks: abandonedLocks(state).length,
    leftIntents: records.filter((record) => record.fate === "cut" || isOrphan(record)).length,
    blobs: blobs.length,
    blobBytes: blobs.reduce((sum, blob) => sum + blob.size, 0),
    histories: new Set(files.map(({ realPath }) => realPath)).size + namesIn(state.at("history")).length,
    secrets: listSecrets(state).length,
  };
}

/** Of the file system on which the folder is, or will be. */
function freeBytes(path: string): number {
  let existing = path;
  while (statSync(existing, { throwIfNoEntry: false }) === undefined && dirname(existing) !== existing) {
    existing = dirname(existing);
  }
  const { bavail, bsize } = statfsSync(existing);
  return bavail * bsize;
}
