import { digestInTurns } from "./digest.js";
import { isSecret } from "./path-policy.js";
import type { FileIdentity, Target } from "./ports.js";
import { isRefusal, type Refusal, refuse } from "./refusal.js";
import type { Session } from "./session.js";

/** The state of a target now: one read, one hash; decoded only by those who need the text. */
export type Current = CurrentFile | { readonly kind: "absent" };

/** The bytes of a regular file as one read found them. */
export interface CurrentFile {
  readonly kind: "file";
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly identity: FileIdentity;
}

/** Reads the state of a target, or says why it is nothing that can be served. */
export async function readCurrent(
  target: Target,
  session: Session,
  limitBytes: number,
): Promise<Current | Refusal> {
  const entry = await target.look();
  switch (entry.kind) {
    case "refusal":
      return entry;
    case "missing":
      return { kind: "absent" };
    case "directory":
      return refuse("is_directory", "This is a folder, not a file.");
    case "other":
      return refuse("not_a_file", `This is ${entry.what}, not a file.`);
    case "file": {
      const read = await target.read(limitBytes);
      if (isRefusal(read)) return read;
      return {
        kind: "file",
        bytes: read.bytes,
        sha256: await digestInTurns(session.ports, read.bytes),
        identity: read.identity,
      };
    }
  }
}

/** Keeps a state for later comparison; secrets are never copied. */
export async function keepState(session: Session, target: Target, file: CurrentFile): Promise<void> {
  if (!isSecret(target.relativePath)) await session.ports.blobs.put(file.sha256, file.bytes);
}

/**
 * Keeps a state that is about to be replaced: nothing is replaced without a way back.
 *
 * @returns whether there is a way back; false for secrets, which are never copied. `disk_full` where the
 *   state folder cannot keep it.
 */
export async function keepReplaced(
  session: Session,
  target: Target,
  file: CurrentFile,
): Promise<{ readonly kind: "kept"; readonly wayBack: boolean } | Refusal<"disk_full">> {
  if (isSecret(target.relativePath)) return { kind: "kept", wayBack: false };
  if (await session.ports.blobs.put(file.sha256, file.bytes, "sure")) return { kind: "kept", wayBack: true };
  return refuse(
    "disk_full",
    "The state folder cannot keep the old state (is it full, or not writable? `holdfast doctor` looks), so nothing was changed.",
  );
}

/**
 * Keeps a state as the beginning of the one that follows it, which is kept in full: the states of a file
 * that only grows cost no more than the last of them.
 */
export async function keepAsBeginning(
  session: Session,
  target: Target,
  before: CurrentFile,
  after: CurrentFile,
): Promise<void> {
  if (isSecret(target.relativePath) || before.bytes.length === 0) return;
  await session.ports.blobs.keepAsBeginning(before.sha256, before.bytes.length, after.sha256);
}
