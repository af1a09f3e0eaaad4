import { fstatSync, readdirSync, readlinkSync, statSync, unlinkSync } from "node:fs";
import { codeOf, quietly, withDescriptor, withOpened } from "./platform.js";
import { readUpTo } from "./reading.js";

/** The text of a symbolic link; undefined if nothing is there, "" for anything but a link. */
export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EINVAL") return "";
    throw error;
  }
}

/**
 * The text of a file, undefined where it is longer than any record of ours. Throws the system's error. (Node's own
 * way ends the process where such a file cannot be closed, and gives up where a signal came in between.)
 */
export function readText(path: string): string | undefined {
  return withOpened(path, "r", (fd) => {
    const { size } = fstatSync(fd);
    const bytes = size > mostRecordBytes ? undefined : readUpTo(fd, size, mostRecordBytes);
    return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
  });
}

/**
 * The lines of bytes as text. One that is longer than any of ours is left out, and no text is made of it.
 *
 * @param bytes of which nothing is copied before.
 */
export function* shortLines(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, from);
    const end = found < 0 ? bytes.length : found;
    if (end - from <= longestLineBytes) yield bytes.toString("utf8", from, end);
    from = end + 1;
  }
}

const lineFeed = 0x0a;
/** Some names, hashes and numbers of lines. */
export const longestLineBytes = 4 * 1024 * 1024;

/** The record of a change set of a hundred thousand files is shorter. */
const mostRecordBytes = 128 * 1024 * 1024;

/** The names in a folder, none where it is missing or no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    // To be told that there is none costs a tenth of the error that says so, and that is the usual answer.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return withDescriptor(() => readdirSync(folder));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Deletes an entry of the state folder that may be gone already. */
export function removeQuietly(path: string): void {
  quietly(() => unlinkSync(path));
}
