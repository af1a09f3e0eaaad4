import { DiskFault, type FaultState } from "../../files/index.js";
import type { RefusalCode } from "../../files/values/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { codeOf } from "./platform.js";

/**
 * What a failed system call that changed nothing means to the caller. Throws nothing.
 *
 * @param path as it is shown, not the path of the call.
 * @returns undefined where the failure is no expected one; the caller then throws `faultFrom`.
 */
export function refusalFrom(error: unknown, path: string): Refusal | undefined {
  if (error instanceof DiskFault) return undefined;
  const meaning = meanings[codeOf(error)];
  return meaning && refuse(meaning[0], `${escapeForDisplay(path)}: ${meaning[1]}.`);
}

/**
 * What to throw for a failure that is no refusal. Throws nothing itself.
 *
 * @param state what is on the disk now.
 * @returns a `DiskFault` for an error of the system; the error itself where it is one already, or a bug.
 */
export function faultFrom(error: unknown, path: string, state: FaultState = "unchanged"): unknown {
  if (error instanceof DiskFault) return error;
  const code = codeOf(error);
  if (code === "" || !(error instanceof Error) || !("syscall" in error)) return error;
  return new DiskFault(String(error.syscall), code, path, state, error);
}

/** Runs system calls and turns their expected failures into refusals; throws the others. */
export function answering<T>(path: string, work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    return refusalOrFault(error, path);
  }
}

/** The refusal that an error is. Throws what it is else, as `faultFrom` has it. */
export function refusalOrFault(error: unknown, path: string): Refusal {
  const refusal = refusalFrom(error, path);
  if (refusal === undefined) throw faultFrom(error, path);
  return refusal;
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
