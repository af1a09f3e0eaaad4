import type { Dirent } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ForeignAccess,
  listForeign,
  type NotRead,
  readForeign,
  readForeignText,
} from "@holdfast/core/node";

/** The text of a file of another program, or why there is none. Others have their turn before it. */
export async function readRegular(path: string, limitBytes: number): Promise<string | NotRead> {
  await nextTurn();
  const read = readForeignText(path, { limitBytes });
  return read.kind === "read" ? read.text : read;
}

/** The beginning of such a file; in UTF-16 where its mark says so. */
export async function readHead(path: string, limitBytes: number): Promise<string | NotRead> {
  await nextTurn();
  const read = readForeign(path, { limitBytes, isHead: true });
  if (read.kind !== "read") return read;
  const mark = read.bytes.length < 2 ? 0 : read.bytes.readUInt16BE(0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(read.bytes);
}

/**
 * What lies in a folder, by name; nothing where there is none.
 *
 * @param problems gets a sentence where the folder cannot be listed.
 */
export function entriesIn(folder: string, problems: string[], access: ForeignAccess = {}): readonly Dirent[] {
  const listed = listForeign(folder, { limitEntries: mostEntries, ...access });
  if (listed.kind === "unreadable") problems.push(complaint(folder, listed.why));
  return listed.kind === "listed" ? listed.entries : [];
}

/** Of one folder, or of a tree of them. */
export const mostEntries = 200_000;

/** The sentence that tells of it. */
export function complaint(path: string, why: string): string {
  return `${path} was not read: ${why}.`;
}
