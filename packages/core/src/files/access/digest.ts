import type { Steps } from "../../text/index.js";
import type { WorkspacePorts } from "../values/ports.js";
import { largeSize } from "../values/time-budget.js";

/** What hashes bytes, at once or piece by piece. */
type Digests = Pick<WorkspacePorts, "digest" | "startDigest">;

/**
 * The SHA-256 of bytes of any number, in steps: 64 MB take a third of a second. Of large bytes it is remembered for as
 * long as somebody holds them, so that `digestOf` has it at once.
 *
 * @returns 64 lower-case hex digits.
 */
export function* digestInSteps({ digest, startDigest }: Digests, bytes: Uint8Array): Steps<string> {
  const known = knownDigests.get(bytes);
  if (known !== undefined) return known;
  if (bytes.length <= largeSize || startDigest === undefined) return digest(bytes);
  const running = startDigest();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    running.update(bytes.subarray(at, at + pieceBytes));
    yield;
  }
  const sha256 = running.digest();
  knownDigests.set(bytes, sha256);
  return sha256;
}

/** The SHA-256 of bytes, at once: of large ones those are passed that `digestInSteps` was asked for. */
export function digestOf({ digest }: Pick<Digests, "digest">, bytes: Uint8Array): string {
  return (bytes.length <= largeSize ? undefined : knownDigests.get(bytes)) ?? digest(bytes);
}

/** Nobody changes bytes that were read or planned; those of a caller are known under a view of their own. */
const knownDigests = new WeakMap<Uint8Array, string>();

/** Hashed in about ten milliseconds by a machine that computes SHA-256 without help of its processor. */
const pieceBytes = 2 * 1024 * 1024;
