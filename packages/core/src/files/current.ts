import { digestInTurns } from "./digest.js";
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
