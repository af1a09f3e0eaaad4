import { type Dirent, lstatSync, opendirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DirectoryEntry, DirectoryListing } from "../../files/index.js";
import { withDescriptor } from "./descriptors.js";
import type { Folder } from "./folder.js";

/** The entries of a folder in byte order of their names; memory is bounded by `limit`, not by the folder. */
export async function listFolder(folder: Folder, limit: number): Promise<DirectoryListing> {
  const { found, total } = await firstNames(folder, limit);
  const entries: (DirectoryEntry | undefined)[] = [];
  for (const dirent of found) {
    entries.push(describe(folder, dirent));
    if (entries.length % entriesPerTurn === 0) await nextTurn();
  }
  return { kind: "listing", entries: entries.filter((entry) => entry !== undefined), more: total > limit };
}

/** The `limit` first entries in byte order. */
async function firstNames(folder: Folder, limit: number): Promise<{ found: BytesDirent[]; total: number }> {
  const directory = withDescriptor(() => opendirSync(folder.self(), bytesOptions));
  let found: BytesDirent[] = [];
  let total = 0;
  try {
    for (;;) {
      const dirent = directory.readSync();
      if (dirent === null) break;
      total += 1;
      if (total % entriesPerTurn === 0) await nextTurn();
      // The compiler's table does not know that the names are bytes where the encoding says so.
      found.push(dirent as unknown as BytesDirent);
      if (found.length >= 2 * limit + 1_000) found = firstOf(found, limit);
    }
  } finally {
    directory.closeSync();
  }
  return { found: firstOf(found, limit), total };
}

// Node takes "buffer" here; its types, of this version, do not.
const bytesOptions = { encoding: "buffer" as BufferEncoding, bufferSize: 512 };

type BytesDirent = Omit<Dirent, "name"> & { readonly name: Buffer };

/** About ten milliseconds of looking; then whatever else this process has to do gets its turn. */
const entriesPerTurn = 1_000;

function firstOf(found: BytesDirent[], limit: number): BytesDirent[] {
  return found.sort((one, other) => Buffer.compare(one.name, other.name)).slice(0, limit);
}

function describe(folder: Folder, dirent: BytesDirent): DirectoryEntry | undefined {
  const name = decodeName(dirent.name);
  const openable = name !== undefined;
  const shown = name ?? displayName(dirent.name);
  if (dirent.isDirectory()) return { name: shown, kind: "directory", openable };
  if (dirent.isSymbolicLink()) return { name: shown, kind: "link", openable };
  if (!dirent.isFile()) return { name: shown, kind: "other", openable };
  const path = Buffer.concat([Buffer.from(folder.at("")), dirent.name]);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // Gone since it was listed.
  if (stat === undefined) return undefined;
  return { name: shown, kind: "file", sizeBytes: stat.size, openable };
}

function decodeName(name: Buffer): string | undefined {
  try {
    return utf8.decode(name);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A name that is not valid UTF-8: its valid parts as they are, the other bytes as `\xNN`. */
function displayName(name: Buffer): string {
  let shown = "";
  for (let at = 0; at < name.length; ) {
    const length = [1, 2, 3, 4].find((count) => decodeName(name.subarray(at, at + count)) !== undefined);
    shown +=
      length === undefined
        ? `\\x${(name[at] ?? 0).toString(16).padStart(2, "0")}`
        : name.toString("utf8", at, at + length);
    at += length ?? 1;
  }
  return shown;
}
