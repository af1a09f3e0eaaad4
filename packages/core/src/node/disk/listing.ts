import { type Dirent, lstatSync, opendirSync, readlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DirectoryEntry, DirectoryListing } from "../../files/index.js";
import { defined } from "../../text/index.js";
import type { Folder } from "./folder.js";
import { ifPossible, withDescriptor } from "./platform.js";

/**
 * The entries of a folder in byte order of their names; memory is bounded by `limit`, not by the folder. Names are
 * read as text; only where one may be no text, or sorts otherwise as text than as bytes, are they read as bytes.
 */
export async function listFolder(
  folder: Folder,
  limit: number,
  sizes?: "none" | number,
): Promise<DirectoryListing> {
  const plain = await firstNames<Dirent>(folder, limit, textNames);
  const { found, total } = plain ?? (await firstNames<BytesDirent>(folder, limit, byteNames)) ?? none;
  const entries: (DirectoryEntry | undefined)[] = [];
  let wanted = sizes === "none" ? 0 : (sizes ?? Number.POSITIVE_INFINITY);
  for (const dirent of found) {
    const entry = describe(folder, dirent, { openable: wanted > 0, others: sizes !== "none" });
    if (entry?.kind === "file") wanted -= 1;
    entries.push(entry);
    if (entries.length % entriesPerTurn === 0) await nextTurn();
  }
  return { kind: "listing", entries: entries.filter((entry) => entry !== undefined), more: total > limit };
}

/** How names are read, which of them are not to be read so, and their order. */
interface NameForm<Entry> {
  readonly encoding: BufferEncoding;
  refuses(entry: Entry): boolean;
  compare(one: Entry, other: Entry): number;
}

const textNames: NameForm<Dirent> = {
  encoding: "utf8",
  refuses: ({ name }) => notPlain.test(name),
  compare: (one, other) => (one.name < other.name ? -1 : 1),
};

/** What is no valid UTF-8 was read as U+FFFD; what lies behind the surrogates sorts before them as text. */
const notPlain = /[\ud800-\udfff\ue000-\uffff]/;

const byteNames: NameForm<BytesDirent> = {
  // Node takes "buffer" here; its types, of this version, do not.
  encoding: "buffer" as BufferEncoding,
  refuses: () => false,
  compare: (one, other) => Buffer.compare(one.name, other.name),
};

const none = { found: [], total: 0 };

/** The `limit` first entries; undefined where a name is to be read otherwise. */
async function firstNames<Entry extends Dirent | BytesDirent>(
  folder: Folder,
  limit: number,
  form: NameForm<Entry>,
): Promise<{ found: readonly Entry[]; total: number } | undefined> {
  const directory = withDescriptor(() =>
    opendirSync(folder.self(), { encoding: form.encoding, bufferSize: 512 }),
  );
  let runs: Entry[][] = [];
  let run: Entry[] = [];
  let total = 0;
  try {
    for (;;) {
      // The compiler's table knows of names as texts alone.
      const dirent = directory.readSync() as unknown as Entry | null;
      if (dirent === null) break;
      if (form.refuses(dirent)) return undefined;
      total += 1;
      if (total % entriesPerTurn === 0) await nextTurn();
      run.push(dirent);
      if (run.length < entriesPerTurn) continue;
      runs.push(run.sort(form.compare));
      run = [];
      if (runs.length * entriesPerTurn >= 2 * limit + entriesPerTurn)
        runs = [await merged(runs, limit, form.compare)];
    }
  } finally {
    directory.closeSync();
  }
  return { found: await merged([...runs, run.sort(form.compare)], limit, form.compare), total };
}

type Compare<Entry> = (one: Entry, other: Entry) => number;

/** Sorted runs as one, two by two, with turns for others in between; the first ones only. */
async function merged<Entry>(runs: Entry[][], limit: number, compare: Compare<Entry>): Promise<Entry[]> {
  let left = runs;
  while (left.length > 1) {
    const longer: Entry[][] = [];
    for (let at = 0; at < left.length; at += 2)
      longer.push(await mergedTwo(left[at] ?? [], left[at + 1] ?? [], limit, compare));
    left = longer;
  }
  return (left[0] ?? []).slice(0, limit);
}

async function mergedTwo<Entry>(
  one: readonly Entry[],
  other: readonly Entry[],
  limit: number,
  compare: Compare<Entry>,
): Promise<Entry[]> {
  const both: Entry[] = [];
  let [at, beside] = [0, 0];
  while (both.length < limit) {
    const [left, right] = [one[at], other[beside]];
    const isLeft = right === undefined || (left !== undefined && compare(left, right) <= 0);
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

type BytesDirent = Omit<Dirent, "name"> & { readonly name: Buffer };

/** About ten milliseconds of looking; then whatever else this process has to do gets its turn. */
const entriesPerTurn = 1_000;

function describe(
  folder: Folder,
  dirent: Dirent | BytesDirent,
  isSized: { readonly openable: boolean; readonly others: boolean },
): DirectoryEntry | undefined {
  const bytes = typeof dirent.name === "string" ? undefined : dirent.name;
  const name = typeof dirent.name === "string" ? dirent.name : decodeName(dirent.name);
  const openable = name !== undefined;
  const shown = name ?? displayName(bytes ?? Buffer.of());
  if (dirent.isDirectory()) return { name: shown, kind: "directory", openable };
  const path = openable ? folder.at(name) : Buffer.concat([Buffer.from(folder.at("")), bytes ?? Buffer.of()]);
  if (dirent.isSymbolicLink()) {
    // Undefined where the link is gone since it was listed.
    const leadsTo = ifPossible(() => readlinkSync(path), undefined);
    return { name: shown, kind: "link", openable, ...defined({ leadsTo }) };
  }
  if (!dirent.isFile()) return { name: shown, kind: "other", openable };
  // What cannot be opened by its name cannot be looked at later.
  if (!(openable ? isSized.openable : isSized.others)) return { name: shown, kind: "file", openable };
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
