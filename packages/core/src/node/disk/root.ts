import { statSync } from "node:fs";
import { type Refusal, refuse } from "../../files/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { codeOf } from "./platform.js";
import type { Root } from "./walk.js";

/** The device and inode of the folder at a path; undefined where there is none, or none to be seen. */
export function folderAt(path: string): string | undefined {
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat?.isDirectory() === true ? `${stat.dev}:${stat.ino}` : undefined;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** Whether the path of a root still means the folder that was opened. */
export function stands(root: Root): boolean {
  return folderAt(root.named) === root.identity;
}

/** Refuses a root whose path means no folder, or one somewhere else. */
export function rootGone(root: Root): Refusal {
  return refuse(
    "root_changed",
    `The folder ${escapeForDisplay(root.named)} was moved, replaced or deleted since it was opened; nothing was read or written. Put it back, or open the workspace again.`,
  );
}

/** The first answer after another folder was put in a root's place. */
export function rootReplaced(root: Pick<Root, "named">): Refusal {
  return refuse(
    "root_changed",
    `The folder ${escapeForDisplay(root.named)} was replaced by another one since it was opened; nothing was read or written. From now on the new folder is worked in, and what was known of the old one counts no more: read again what you need, then repeat the call.`,
  );
}
