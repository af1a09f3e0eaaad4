import { type BigIntStats, fchmodSync, fchownSync, fstatSync } from "node:fs";
import { type Refusal, refuseIn } from "../../files/values/index.js";
import { codeOf, hasAttributes, hasOwners, loadLibrary } from "./platform.js";

/** The part of `fs-native-extensions` that is used. ACLs live in extended attributes, too. */
interface NativeFunctions {
  listAttrsSync(fd: number): string[];
  getAttrSync(fd: number, name: string): Buffer | null;
  setAttrSync(fd: number, name: string, value: Buffer): void;
  removeAttrSync(fd: number, name: string): void;
  swapSync(from: string, to: string): void;
}

/** The optional native module for extended attributes, or why it could not be loaded. */
type NativeExtension =
  | { readonly kind: "loaded"; readonly functions: NativeFunctions }
  | { readonly kind: "missing"; readonly reason: string };

let native: NativeExtension | undefined;

/**
 * The optional extension, loaded at the first replacement of a file (some 10 ms, once a process).
 * Without it extended attributes and ACLs can neither be seen nor kept, and names cannot be exchanged:
 * the weaker promise.
 */
export function nativeExtension(): NativeExtension {
  native ??= loadNative();
  return native;
}

function loadNative(): NativeExtension {
  if (!hasAttributes) return { kind: "missing", reason: "not used on this system" };
  try {
    // The types are ours: the package has none.
    const functions = loadLibrary("fs-native-extensions") as NativeFunctions;
    return { kind: "loaded", functions: asSystemCalls(functions) };
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { kind: "missing", reason: line ?? "unknown" };
  }
}

/** The extension's errors do not say which call failed, and it gives up where a signal came in between. */
function asSystemCalls(extension: NativeFunctions): NativeFunctions {
  return {
    listAttrsSync: (fd) => calling("flistxattr", () => extension.listAttrsSync(fd)),
    getAttrSync: (fd, name) => calling("fgetxattr", () => extension.getAttrSync(fd, name)),
    setAttrSync: (fd, name, value) => calling("fsetxattr", () => extension.setAttrSync(fd, name, value)),
    removeAttrSync: (fd, name) => calling("fremovexattr", () => extension.removeAttrSync(fd, name)),
    swapSync: (from, to) => calling("renameat2", () => extension.swapSync(from, to)),
  };
}

function calling<T>(syscall: string, call: () => T): T {
  for (;;) {
    try {
      return call();
    } catch (error) {
      if (codeOf(error) === "EINTR") continue;
      if (error instanceof Error && codeOf(error) !== "") Object.assign(error, { syscall });
      throw error;
    }
  }
}

/**
 * Gives the stage what the target has: owner, mode, extended attributes. The owner goes first, because
 * changing it clears setuid.
 *
 * @returns `cannot_preserve` where the system does not allow one of them.
 */
export function keepAttributes(
  from: { fd: number; stat: BigIntStats },
  stageFd: number,
): Refusal | undefined {
  if (!hasOwners) return undefined;
  const stage = fstatSync(stageFd, { bigint: true });
  try {
    if (stage.uid !== from.stat.uid || stage.gid !== from.stat.gid) {
      fchownSync(stageFd, Number(from.stat.uid), Number(from.stat.gid));
    }
    keepExtended(from.fd, stageFd);
    // Last: an ACL that is written sets bits of the mode.
    fchmodSync(stageFd, modeOf(from.stat));
  } catch (error) {
    if (!forbidden.has(codeOf(error))) throw error;
    return cannotPreserve("its owner, mode or extended attributes cannot be given to the new file");
  }
  const dressed = fstatSync(stageFd, { bigint: true });
  // The kernel drops setgid silently where the group is not one of ours.
  if (modeOf(dressed) === modeOf(from.stat)) return undefined;
  return cannotPreserve("its mode cannot be given to the new file");
}

/** The permission bits, with set-user-id, set-group-id and sticky. */
export function modeOf(stat: BigIntStats): number {
  return Number(stat.mode & 0o7777n);
}

/** Refuses with `cannot_preserve`. @param why a clause that completes the sentence. */
export function cannotPreserve(why: string): Refusal {
  return refuseIn("cannot_preserve", wouldLose + inPlaceHint, { why });
}

/** By this such a refusal is known: the file can be written, and not replaced (`Guards.inPlace`). */
export const inPlaceHint = "[ Insist with {inPlace}.]";

const wouldLose = "Replacing the file would lose something: $why.";

const forbidden: ReadonlySet<string> = new Set([
  "EPERM",
  "EACCES",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EINVAL",
  "E2BIG",
]);

function keepExtended(fromFd: number, stageFd: number): void {
  const extension = nativeExtension();
  if (extension.kind === "missing") return;
  const { functions: attributes } = extension;
  const wanted = listed(attributes, fromFd);
  const present = listed(attributes, stageFd);
  for (const name of wanted) {
    const value = attributes.getAttrSync(fromFd, name);
    if (value === null) continue;
    const already = present.includes(name) ? attributes.getAttrSync(stageFd, name) : null;
    if (already === null || Buffer.compare(already, value) !== 0)
      attributes.setAttrSync(stageFd, name, value);
  }
  // A folder's default ACL gives every new file one.
  for (const name of present) if (!wanted.includes(name)) attributes.removeAttrSync(stageFd, name);
}

/** The names of a file's extended attributes, as far as they can be seen here; an ACL is one. */
export function attributeNames(fd: number): readonly string[] {
  const extension = nativeExtension();
  return extension.kind === "missing" ? [] : listed(extension.functions, fd);
}

/** Takes an extended attribute away. Throws the system's error. */
export function removeAttribute(fd: number, name: string): void {
  const extension = nativeExtension();
  if (extension.kind === "loaded") extension.functions.removeAttrSync(fd, name);
}

function listed(attributes: NativeFunctions, fd: number): readonly string[] {
  try {
    return attributes.listAttrsSync(fd);
  } catch (error) {
    // A file system without attributes has none to lose.
    if (codeOf(error) === "ENOTSUP" || codeOf(error) === "EOPNOTSUPP") return [];
    throw error;
  }
}
