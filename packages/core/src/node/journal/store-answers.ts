import type { ConversationRefusal } from "../../conversation/values/index.js";
import { DiskFault } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { codeOf } from "../disk/platform.js";

/**
 * The refusal for a failed system call of a session store. Throws an error that is none of the system: a bug.
 *
 * @param what was not done, as a sentence: "Nothing since the last save was kept".
 */
export function storeRefusalFrom(error: unknown, what: string): ConversationRefusal {
  const code = error instanceof DiskFault ? error.code : codeOf(error);
  if (code === "" || !(error instanceof Error)) throw error;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return refuse("disk_full", `${what}: the disk is full. Make some room and try again.`);
    case "EACCES":
    case "EPERM":
      return refuse("permission_denied", `${what}: permission is denied (${error.message}).`);
    case "EROFS":
      return refuse("read_only", `${what}: the file system is mounted read-only.`);
    default:
      return refuse("store_failed", `${what}: the disk answered ${code} (${error.message}).`);
  }
}

/** The answer of a room below, in the words of this one. */
export function refuseLike({ code, message }: Refusal): ConversationRefusal {
  const known = code === "disk_full" || code === "permission_denied" || code === "read_only";
  return refuse(known ? code : "store_failed", message);
}
