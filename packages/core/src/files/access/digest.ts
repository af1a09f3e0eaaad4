import type { WorkspacePorts } from "../values/ports.js";
import { largeSize } from "../values/time-budget.js";

/**
 * The SHA-256 of bytes, as 64 lower-case hex digits. That of large bytes is remembered for as long as somebody holds
 * them: a change asks for it again and again.
 */
export function digestOf({ digest }: Pick<WorkspacePorts, "digest">, bytes: Uint8Array): string {
  if (bytes.length <= largeSize) return digest(bytes);
  const sha256 = knownDigests.get(bytes) ?? digest(bytes);
  knownDigests.set(bytes, sha256);
  return sha256;
}

/** Nobody changes bytes that were read or planned; those of a caller are known under a view of their own. */
const knownDigests = new WeakMap<Uint8Array, string>();
