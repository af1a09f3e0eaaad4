import { type ConversationRefusal, refuseTurn } from "../conversation/index.js";
import { DiskFault, type Refusal } from "../files/index.js";
import { codeOf } from "./platform.js";

/**
 * What a failed system call means to who keeps a session.
 *
 * @param what was not done, as a sentence: "Nothing since the last acknowledgement was kept".
 * @throws the error itself where it is no system error.
 */
export function refuseStore(error: unknown, what: string): ConversationRefusal {
  const code = error instanceof DiskFault ? error.code : codeOf(error);
  if (code === "" || !(error instanceof Error)) throw error;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return refuseTurn("disk_full", `${what}: the disk is full. Make some room and try again.`);
    case "EACCES":
    case "EPERM":
      return refuseTurn("permission_denied", `${what}: permission is denied (${error.message}).`);
    case "EROFS":
      return refuseTurn("read_only", `${what}: the file system is mounted read-only.`);
    default:
      return refuseTurn("store_failed", `${what}: the disk answered ${code} (${error.message}).`);
  }
}

/** The answer of a room below, in the words of this one. */
export function refuseLike({ code, message }: Refusal): ConversationRefusal {
  const known = code === "disk_full" || code === "permission_denied" || code === "read_only";
  return refuseTurn(known ? code : "store_failed", message);
}
