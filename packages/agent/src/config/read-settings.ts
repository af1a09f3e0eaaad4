import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { dirname } from "node:path";

/** Bytes of a settings file, at most. */
export const settingsLimitBytes = 256 * 1024;

/** The text of a settings file; undefined where there is none; or why it is not read. */
export type ReadSettings =
  | { readonly kind: "text"; readonly text: string; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly why: string };

/**
 * Reads a settings file. A pipe is not waited for, and what is huge, binary or not UTF-8 is refused.
 *
 * @param followLinks for a person's own file, which is often a link to where they keep such files; in a project neither
 *   the file nor its folder may be one.
 */
export async function readSettings(path: string, followLinks: boolean): Promise<ReadSettings> {
  try {
    if (!followLinks && !(await lstat(dirname(path))).isDirectory())
      return { kind: "unreadable", why: "its folder is no real folder (links are not followed)" };
    const noFollow = followLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
    const file = await open(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return { kind: "unreadable", why: "it is no regular file" };
      if (facts.size > settingsLimitBytes)
        return { kind: "unreadable", why: `it has ${facts.size} bytes; ${settingsLimitBytes} are allowed` };
      const bytes = await file.readFile();
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return text.includes("\0")
        ? { kind: "unreadable", why: "it is binary" }
        : { kind: "text", text, bytes };
    } finally {
      await file.close();
    }
  } catch (error) {
    return unread(error);
  }
}

function unread(error: unknown): ReadSettings {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return { kind: "absent" };
    case "ELOOP":
    case "EMLINK":
      return { kind: "unreadable", why: "it is a link that is not followed" };
    case "ENXIO":
      return { kind: "unreadable", why: "it is no regular file" };
    case "ERR_ENCODING_INVALID_ENCODED_DATA":
      return { kind: "unreadable", why: "it is not valid UTF-8" };
    default:
      return { kind: "unreadable", why: String(error) };
  }
}
