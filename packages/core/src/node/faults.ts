import { DiskFault, type FaultState, type Refusal, type RefusalCode, refuse } from "../files/index.js";
import { escapeForDisplay } from "../text/index.js";
import { codeOf } from "./platform.js";

/**
 * What a failed system call means to the caller.
 *
 * @param path as it is shown, not the path of the call.
 * @param state what stands on the disk; nothing but the old state can be a refusal.
 * @returns the refusal where the failure is an expected one.
 * @throws DiskFault for the faults of a disk, the error itself where it is no system error.
 */
export function answerFor(error: unknown, path: string, state: FaultState = "unchanged"): Refusal {
  if (error instanceof DiskFault) throw error;
  const code = codeOf(error);
  const meaning = state === "unchanged" ? meanings[code] : undefined;
  if (meaning !== undefined) return refuse(meaning[0], `${escapeForDisplay(path)}: ${meaning[1]}.`);
  if (code === "" || !(error instanceof Error) || !("syscall" in error)) {
    throw error;
  }
  throw new DiskFault(String(error.syscall), code, path, state, error);
}

/** Runs system calls and turns their expected failures into refusals. */
export function answering<T>(path: string, work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    return answerFor(error, path);
  }
}

const meanings: Readonly<Record<string, readonly [RefusalCode, string]>> = {
  ENOENT: ["file_missing", "there is no such file"],
  EACCES: ["permission_denied", "permission is denied"],
  EPERM: ["permission_denied", "the operation is not permitted"],
  EROFS: ["read_only", "the file system is mounted read-only"],
  ENOSPC: ["disk_full", "no space is left on the disk; nothing was changed"],
  EDQUOT: ["disk_full", "the disk quota is used up; nothing was changed"],
  EFBIG: ["too_large", "the file would be larger than the system allows"],
  ENAMETOOLONG: ["invalid_arguments", "the name is too long"],
  ELOOP: ["not_a_file", "a link stands there, or links lead in a circle"],
  ENOTDIR: ["not_a_file", "a part of the path is not a folder"],
  EISDIR: ["is_directory", "it is a folder"],
  ENXIO: ["not_a_file", "it is a FIFO, socket or device"],
  ENODEV: ["not_a_file", "it is a device"],
  EBUSY: ["busy", "it is in use"],
  ETXTBSY: ["busy", "it is a program that is running"],
  EMFILE: ["busy", "this process has too many files open"],
  ENFILE: ["busy", "the system has too many files open"],
};
