import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isSecret } from "@holdfast/core/files";
import { openDisk } from "@holdfast/core/node";

/** A file as it stands now. */
export interface GuardedFile {
  /** Links resolved: one file has one memory, whatever it is called. */
  readonly path: string;
  /** `null` where there is no file. */
  readonly sha256: string | null;
  readonly bytes: Uint8Array | undefined;
  /** The text, where it may be shown: it lies in the host's folder, is UTF-8 text, and no secret by name. */
  readonly text: string | undefined;
}

/**
 * Looks at a file, by the walk that no link leads astray. What lies outside the host's folder is hashed only.
 *
 * @returns what could not be read, in a sentence.
 */
export async function lookAt(path: string, cwd: string): Promise<GuardedFile | string> {
  const real = realPath(path);
  // A folder that is gone says nothing about a file that may be elsewhere.
  const inside = await readBelow(cwd, path, "outside");
  if (inside === "outside") {
    const bytes = await readBelow(dirname(real), real, {});
    return typeof bytes === "string" ? unreadable(bytes) : fileOf(real, bytes.bytes, false);
  }
  if (typeof inside === "string") return unreadable(inside);
  // A link to a secret is one, too.
  return fileOf(real, inside.bytes, !isSecret(path) && !isSecret(real));
}

/** The bytes, if there is a file; else why it cannot be looked at. */
type Found = { readonly bytes?: Uint8Array } | string;

async function readBelow(root: string, path: string, withoutRoot: Found): Promise<Found> {
  const disk = openDisk([root]);
  if (disk.kind === "refusal") return disk.code === "file_missing" ? withoutRoot : disk.message;
  try {
    const place = await disk.enter(path, "allow");
    if (place.kind === "refusal") return place.code === "outside_workspace" ? "outside" : place.message;
    try {
      const read = await place.read(limitBytes);
      if (read.kind !== "refusal") return { bytes: read.bytes };
      return read.code === "file_missing" ? {} : read.message;
    } finally {
      await place.close();
    }
  } finally {
    disk.close();
  }
}

const limitBytes = 64 * 1024 * 1024;

function unreadable(message: string): string {
  return `the file cannot be looked at (${message})`;
}

function fileOf(path: string, bytes: Uint8Array | undefined, mayShow: boolean): GuardedFile {
  if (bytes === undefined) return { path, sha256: null, bytes, text: undefined };
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { path, sha256, bytes, text: mayShow ? textOf(bytes) : undefined };
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The path with its links resolved, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
