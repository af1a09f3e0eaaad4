import { dirname } from "node:path";
import { readForeignText } from "@holdfast/core/node";

/** Bytes of a settings file, at most. */
export const settingsLimitBytes = 256 * 1024;

/** Reads a file of settings. A person's own is often a link; in a project neither the file nor its folder may be one. */
export function readSettings(path: string, isOwn: boolean): ReturnType<typeof readForeignText> {
  const access = isOwn ? ({ links: "followed" } as const) : { below: dirname(dirname(path)) };
  return readForeignText(path, { limitBytes: settingsLimitBytes, ...access });
}
