import { type Dirent, fstatSync, lstatSync, opendirSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";
import { escapeForDisplay } from "../../text/index.js";
import { type Folder, openRoot } from "./folder.js";
import {
  closeQuietly,
  codeOf,
  hasOwners,
  openDescriptor,
  openFlags,
  readAt,
  withDescriptor,
} from "./platform.js";

/**
 * How a path is reached whose content somebody else may have written: a repository, another program, another user. Only
 * regular files are opened, never a FIFO, a device or a file of `/proc`, so that no read waits for anybody.
 */
export interface ForeignAccess {
  /** The path may lead over links, as people set them for files of their own. Unless given, the last name is no link. */
  readonly links?: "followed";
  /** A folder that the path may not leave. Unless links are followed, no folder between it and the file is one. */
  readonly below?: string;
  /** The file, and the folders from `below` on, belong to this user, and nobody else may write them. */
  readonly isOwn?: boolean;
}

/** How much of a file is read. */
export interface ForeignBounds extends ForeignAccess {
  readonly limitBytes: number;
  /** A longer file is cut at the limit. Unless given, it is not read at all. */
  readonly isHead?: boolean;
}

/** The content of a file. */
export interface ForeignBytes {
  readonly kind: "read";
  readonly bytes: Buffer;
}

/** What lies in a folder, in the order of names. A link is a link, whatever it leads to. */
export interface ForeignListing {
  readonly kind: "listed";
  readonly entries: readonly Dirent[];
}

/** Why nothing was read. */
export type NotRead =
  | { readonly kind: "absent" }
  /** `why` follows the name of the file: "it is no regular file". */
  | { readonly kind: "unreadable"; readonly why: string };

/** Reads a file that somebody else may have written. This and all that follow throw for bugs only. */
export function readForeign(path: string, bounds: ForeignBounds): ForeignBytes | NotRead {
  const { limitBytes, isHead = false } = bounds;
  const opened = openForeign(path, bounds);
  if (opened.kind !== "opened") return opened;
  const { fd, sizeBytes } = opened;
  try {
    if (sizeBytes > limitBytes && !isHead)
      return unreadable(`it has ${sizeBytes} bytes; ${limitBytes} are allowed`);
    const bytes = Buffer.allocUnsafeSlow(Math.min(sizeBytes, limitBytes));
    let filled = 0;
    for (let count = 1; count > 0 && filled < bytes.length; filled += count)
      count = readAt(fd, bytes, filled, bytes.length - filled, filled);
    return { kind: "read", bytes: bytes.subarray(0, filled) };
  } catch (error) {
    return reasonOf(error);
  } finally {
    closeQuietly(fd);
  }
}

/** The same as text, without the mark of its encoding. What is not UTF-8, or holds a NUL, is not read. */
export function readForeignText(
  path: string,
  bounds: ForeignBounds,
): (ForeignBytes & { readonly text: string }) | NotRead {
  const read = readForeign(path, bounds);
  if (read.kind !== "read") return read;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
    return text.includes("\0") ? unreadable("it is binary") : { ...read, text };
  } catch {
    return unreadable("it is not valid UTF-8");
  }
}

/** Lists a folder. One with more entries is not listed at all. */
export function listForeign(
  path: string,
  { limitEntries, ...access }: ForeignAccess & { readonly limitEntries: number },
): ForeignListing | NotRead {
  return quietly(() => {
    const reached = reach(path, access, "folder");
    if (reached.kind !== "reached") return reached;
    try {
      return entriesOf(reached.folder, limitEntries);
    } finally {
      reached.folder.close();
    }
  });
}

/** The files in a tree of folders that fit, and what of it could not be listed. */
export interface ForeignFiles {
  /** Paths, the folder's own before them, in order. */
  readonly files: readonly string[];
  readonly problems: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Finds files in a folder and in those below it; no link in them is followed.
 *
 * @param depth levels of folders: 1 for the folder alone. @param limitEntries of all folders together.
 * @param fits gets the path within the folder, with slashes, of what is no folder.
 */
export function foreignFilesIn(
  top: string,
  {
    depth,
    limitEntries,
    ...access
  }: ForeignAccess & { readonly depth: number; readonly limitEntries: number },
  fits: (path: string, entry: Dirent) => boolean,
): ForeignFiles {
  const [files, problems]: [string[], { path: string; why: string }[]] = [[], []];
  let left = limitEntries;
  const folders = [{ path: "", level: 1 }];
  for (const { path, level } of folders) {
    const listed = listForeign(join(top, path), { limitEntries: left, ...(level === 1 ? access : {}) });
    if (listed.kind === "unreadable") problems.push({ path: join(top, path), why: listed.why });
    for (const entry of listed.kind === "listed" ? listed.entries : []) {
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      left -= 1;
      if (entry.isDirectory() && level < depth) folders.push({ path: inner, level: level + 1 });
      else if (!entry.isDirectory() && fits(inner, entry)) files.push(join(top, inner));
    }
  }
  return { files: files.sort(), problems };
}

function entriesOf(folder: Folder, limitEntries: number): ForeignListing | NotRead {
  const directory = withDescriptor(() => opendirSync(folder.self(), { bufferSize: 512 }));
  try {
    const entries: Dirent[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
      if (entries.push(entry) > limitEntries) return unreadable(`it has more than ${limitEntries} entries`);
    return { kind: "listed", entries: entries.sort((one, other) => (one.name < other.name ? -1 : 1)) };
  } finally {
    directory.closeSync();
  }
}

/** A file, open; the descriptor is for the opener to close. */
export interface OpenedForeign {
  readonly kind: "opened";
  readonly fd: number;
  readonly sizeBytes: number;
}

/** Opens such a file, of any size. */
export function openForeign(path: string, access: ForeignAccess): OpenedForeign | NotRead {
  return quietly(() => {
    const reached = reach(path, access, "file");
    if (reached.kind !== "reached") return reached;
    try {
      const entry = reached.folder.at(reached.name);
      // First a look: some devices do something as soon as they are opened.
      const flaw = flawOf(lstatSync(entry), access);
      if (flaw !== undefined) return unreadable(flaw);
      const fd = openDescriptor(entry, openFlags.read);
      const stat = fstatSync(fd);
      const swapped = flawOf(stat, access);
      if (swapped === undefined) return { kind: "opened", fd, sizeBytes: stat.size };
      closeQuietly(fd);
      return unreadable(swapped);
    } finally {
      reached.folder.close();
    }
  });
}

function flawOf(stat: Stats, access: ForeignAccess): string | undefined {
  if (stat.isSymbolicLink()) return aLink;
  return stat.isFile() ? ownerFlaw(stat, access) : aSpecialFile;
}

function ownerFlaw({ uid, mode }: Stats, { isOwn = false }: ForeignAccess): string | undefined {
  if (!isOwn || !hasOwners) return undefined;
  if (uid !== process.geteuid?.()) return "it belongs to another user";
  return (mode & 0o022) === 0 ? undefined : "others can write it";
}

interface ReachedForeign {
  readonly kind: "reached";
  /** The folder itself, or the one that holds the file `name`. */
  readonly folder: Folder;
  readonly name: string;
}

/** Walks from `below`, or from the file's folder, through the handles of folders and over no link. */
function reach(path: string, access: ForeignAccess, what: "file" | "folder"): ReachedForeign | NotRead {
  const { links, below } = access;
  // A link of `/proc`, such as `/dev/stdin`, leads to something that no path names.
  const led = links === "followed" ? statSync(path) : undefined;
  if (led?.isFile() === false && !led.isDirectory()) return unreadable(aSpecialFile);
  const realOf = (place: string) => (links === undefined ? resolve(place) : realpathSync.native(place));
  const real = realOf(path);
  const top = below === undefined ? (links === undefined ? dirname(real) : parse(real).root) : realOf(below);
  const way = relative(top, real);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way))
    return unreadable(`it leads out of ${escapeForDisplay(top)}`);
  const names = way.split(sep).filter((part) => part !== "");
  const name = what === "file" ? (names.pop() ?? ".") : ".";
  const root = openRoot(top);
  let { folder } = root;
  let isReached = false;
  try {
    if (ofTheSystem.test(join(root.realPath, ...names, name))) return unreadable(aSpecialFile);
    for (const part of [".", ...names]) {
      if (lstatSync(folder.at(part)).isSymbolicLink()) return unreadable(aLinkedFolder);
      const entered = part === "." ? folder : folder.enter(part);
      if (entered !== folder) folder.close();
      folder = entered;
      const flaw = ownerFlaw(statSync(folder.self()), access);
      if (flaw !== undefined) return unreadable(flaw);
    }
    isReached = true;
    return { kind: "reached", folder, name };
  } finally {
    if (!isReached) folder.close();
  }
}

/** On Linux: what is read there is made in the moment, and may be waited for. */
const ofTheSystem = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;
const aLink = "it is a link that is not followed";
const aLinkedFolder = "a folder in its path is a link that is not followed";
const aSpecialFile = "it is no regular file";

function unreadable(why: string): NotRead {
  return { kind: "unreadable", why };
}

/** What the system's refusals mean; a bug is thrown on. */
function quietly<Result>(work: () => Result): Result | NotRead {
  try {
    return work();
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): NotRead {
  const code = codeOf(error);
  if (code === "") throw error;
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
  return unreadable(reasons[code] ?? `it cannot be read (${code})`);
}

const reasons: Readonly<Record<string, string>> = {
  ELOOP: aLink,
  EMLINK: aLink,
  EISDIR: aSpecialFile,
  ENXIO: aSpecialFile,
  EACCES: "it may not be read",
  EPERM: "it may not be read",
};
