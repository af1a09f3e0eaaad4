import { type BigIntStats, statSync } from "node:fs";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { ifPossible } from "./platform.js";
import type { Root } from "./walk.js";

/** The device and inode of the folder at a path; undefined where there is none, or none to be seen. */
export function folderAt(path: string): string | undefined {
  const stat = lookAt(path);
  return stat === undefined ? undefined : placeOf(stat);
}

function lookAt(path: string): BigIntStats | undefined {
  const stat = ifPossible(() => statSync(path, { bigint: true, throwIfNoEntry: false }), undefined);
  return stat?.isDirectory() === true ? stat : undefined;
}

function placeOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`;
}

/** Which folder one is, also when it is looked at later, by another process. */
export interface FolderMark {
  /** Its device and inode, which may be another folder's after it is gone. */
  readonly place: string;
  /** When it was made, in nanoseconds, as the system says. */
  readonly born: string;
  /** That is no time of a change: some systems give that in its place, which would call every folder a new one. */
  readonly isBornSure: boolean;
}

/** The mark of the folder at a path; undefined where there is none to be seen. */
export function markOf(path: string): FolderMark | undefined {
  const stat = lookAt(path);
  if (stat === undefined) return undefined;
  const { birthtimeNs, ctimeNs } = stat;
  return {
    place: placeOf(stat),
    born: `${birthtimeNs}`,
    isBornSure: birthtimeNs > 0n && birthtimeNs !== ctimeNs,
  };
}

/** Whether the folder of the first mark may be that of the second. A system that was sure once is so again. */
export function isSameMark(before: FolderMark, now: FolderMark): boolean {
  return before.place === now.place && (!before.isBornSure || before.born === now.born);
}

/** Whether the path of a root still means the folder that was opened. One look that fails says nothing. */
export function isUnreplaced(root: Root): boolean {
  return (folderAt(root.named) ?? folderAt(root.named)) === root.identity;
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

/** Whether a real path is that of a folder, or of something in it. */
export function isBelow(folder: string, realPath: string): boolean {
  return realPath === folder || realPath.startsWith(folder === "/" ? "/" : `${folder}/`);
}
