import { constants, type Dirent } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Why a file of another program was not read. */
export interface NotRead {
  readonly kind: "not_read";
  readonly isMissing: boolean;
  /** For a person, behind the file's name. */
  readonly why: string;
}

/**
 * The text of a small file of another program. Only regular files are read, and no link is followed: a pipe would
 * keep the command waiting for good, and a link leads out of that program's folder.
 */
export async function readRegular(path: string, mostBytes: number): Promise<string | NotRead> {
  try {
    const file = await open(path, safeReadFlags);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return notRead("it is no regular file");
      if (facts.size > mostBytes) return notRead(`it has ${facts.size} bytes`);
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    return reasonOf(error);
  }
}

/** Never waits for the other end of a pipe, and follows no link. Windows has neither flag. */
const safeReadFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * What lies in a folder, by name; nothing where there is none. Links are told from what they lead to.
 *
 * @param problems gets a sentence where the folder cannot be listed.
 */
export async function entriesIn(folder: string, problems: string[]): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const { isMissing, why } = reasonOf(error);
    if (!isMissing) problems.push(complaint(folder, why));
    return [];
  }
}

/** Files below a folder, not deeper than so many levels. Links are not followed: they may lead anywhere. */
export async function filesBelow(
  folder: string,
  depth: number,
  name: RegExp,
  problems: string[],
): Promise<readonly string[]> {
  const entries = await entriesIn(folder, problems);
  const below = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 1) return filesBelow(path, depth - 1, name, problems);
      return entry.isFile() && name.test(entry.name) ? [path] : [];
    }),
  );
  return below.flat();
}

/** The beginning of a file, as `readRegular` reads it; in UTF-16 where its mark says so. */
export async function readHead(path: string, mostBytes: number): Promise<string | NotRead> {
  try {
    const file = await open(path, safeReadFlags);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
      const head = buffer.subarray(0, bytesRead);
      const mark = head.length < 2 ? 0 : head.readUInt16BE(0);
      const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
      return new TextDecoder(encoding).decode(head);
    } finally {
      await file.close();
    }
  } catch (error) {
    return reasonOf(error);
  }
}

/** The sentence that tells of it. */
export function complaint(path: string, why: string): string {
  return `${path} was not read: ${why}.`;
}

function notRead(why: string, isMissing = false): NotRead {
  return { kind: "not_read", why, isMissing };
}

function reasonOf(error: unknown): NotRead {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return notRead("it is not there", true);
    case "ELOOP":
    case "EMLINK":
      return notRead("it is a link, and none is followed");
    case "EISDIR":
    case "ENXIO":
      return notRead("it is no regular file");
    case "EACCES":
    case "EPERM":
      return notRead("it may not be read");
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return notRead("it is not valid UTF-8");
    default:
      return notRead(String(error));
  }
}
