import { type Dirent, lstatSync, opendirSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DirectoryEntry, DirectoryListing } from "../../files/index.js";
import type { Folder } from "./folder.js";

/** The entries of a folder in byte order of their names; memory is bounded by `limit`, not by the folder. */
export async function listFolder(folder: Folder, limit: number): Promise<DirectoryListing> {
  const { found, total } = await firstNames(folder, limit);
  const entries: (DirectoryEntry | undefined)[] = [];
  for (const { dirent } of found) {
    entries.push(describe(folder, dirent));
    if (entries.length % entriesPerTurn === 0) await nextTurn();
  }
  return { kind: "listing", entries: entries.filter((entry) => entry !== undefined), more: total > limit };
}

/** The `limit` first entries in byte order. */
async function firstNames(
  folder: Folder,
  limit: number,
): Promise<{ readonly found: readonly SortedName[]; readonly total: number }> {
  const directory = opendirSync(folder.self(), bytesOptions);
  let runs: SortedName[][] = [];
  let run: SortedName[] = [];
  let total = 0;
  try {
    for (;;) {
      const dirent = directory.readSync();
      if (dirent === null) break;
      total += 1;
      if (total % entriesPerTurn === 0) await nextTurn();
      // The compiler's table does not know that the names are bytes where the encoding says so.
      const bytes = dirent as unknown as BytesDirent;
      run.push({ dirent: bytes, key: bytes.name.toString("latin1") });
      if (run.length < entriesPerTurn) continue;
      runs.push(run.sort(byKey));
      run = [];
      if (runs.length * entriesPerTurn >= 2 * limit + entriesPerTurn) runs = [await merged(runs, limit)];
    }
  } finally {
    directory.closeSync();
  }
  return { found: await merged([...runs, run.sort(byKey)], limit), total };
}

/** An entry by its name's bytes as units of a string, which sort as the bytes do, and much quicker than those. */
interface SortedName {
  readonly dirent: BytesDirent;
  readonly key: string;
}

function byKey(one: SortedName, other: SortedName): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

/** Sorted runs as one, two by two, with turns for others in between; the first ones only. */
async function merged(runs: SortedName[][], limit: number): Promise<SortedName[]> {
  let left = runs;
  while (left.length > 1) {
    const longer: SortedName[][] = [];
    for (let at = 0; at < left.length; at += 2)
      longer.push(await mergedTwo(left[at] ?? [], left[at + 1] ?? [], limit));
    left = longer;
  }
  return (left[0] ?? []).slice(0, limit);
}

async function mergedTwo(
  one: readonly SortedName[],
  other: readonly SortedName[],
  limit: number,
): Promise<SortedName[]> {
  const both: SortedName[] = [];
  let [at, beside] = [0, 0];
  while (both.length < limit) {
    const [left, right] = [one[at], other[beside]];
    const isLeft = right === undefined || (left !== undefined && byKey(left, right) <= 0);
    const next = isLeft ? left : right;
    if (next === undefined) break;
    both.push(next);
    if (isLeft) at += 1;
    else beside += 1;
    if (both.length % namesPerTurn === 0) await nextTurn();
  }
  return both;
}

/** Merged in some milliseconds. */
const namesPerTurn = 16_384;

// Node takes "buffer" here; its types, of this version, do not.
const bytesOptions = { encoding: "buffer" as BufferEncoding, bufferSize: 512 };

type BytesDirent = Omit<Dirent, "name"> & { readonly name: Buffer };

/** About ten milliseconds of looking; then whatever else this process has to do gets its turn. */
const entriesPerTurn = 1_000;

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
