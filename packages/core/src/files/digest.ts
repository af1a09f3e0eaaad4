import type { WorkspacePorts } from "./ports.js";

/**
 * The SHA-256 of bytes of any number, in turns with the rest of the process: 64 MB take a third of a second.
 *
 * @returns 64 lower-case hex digits.
 */
export async function digestInTurns(
  { digest, startDigest, nextTurn }: Pick<WorkspacePorts, "digest" | "startDigest" | "nextTurn">,
  bytes: Uint8Array,
): Promise<string> {
  if (bytes.length <= pieceBytes || startDigest === undefined) return digest(bytes);
  const running = startDigest();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    running.update(bytes.subarray(at, at + pieceBytes));
    await nextTurn?.();
  }
  return running.digest();
}

/** Hashed in about ten milliseconds by a machine that computes SHA-256 without help of its processor. */
const pieceBytes = 2 * 1024 * 1024;
