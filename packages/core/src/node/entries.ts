import { readdirSync, readlinkSync, unlinkSync } from "node:fs";
import { codeOf } from "./platform.js";

/** The text of a symbolic link; undefined where there is nothing, "" for what is no link. */
export function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) === "EINVAL") return "";
    throw error;
  }
}

/** The names in a folder, none where it is missing or no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
    throw error;
  }
}

/** Deletes an entry of the state folder that may be gone already. */
export function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (codeOf(error) === "") throw error;
  }
}
