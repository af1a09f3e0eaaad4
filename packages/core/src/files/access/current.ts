import type { TextFormat } from "../../text/index.js";
import type { FileAccess, FileIdentity, Target } from "../values/disk.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { largeSize, TimeBudget } from "../values/time-budget.js";
import { digestOf } from "./digest.js";
import { decodeFile, type FileText } from "./file-text.js";
import type { Session } from "./session.js";

/** The state of a target now: one read, one hash; decoded only by those who need the text. */
export type Current = CurrentFile | AbsentFile;

/** No file, and how the text of one that is made there is written. */
export interface AbsentFile {
  readonly kind: "absent";
  /** What the project says of the text that is made there, where the call says nothing. */
  readonly format?: TextFormat;
  /** The lines that are made there end with CR and LF. */
  readonly isCrlf?: true;
}

/** The bytes of a regular file as one read found them; or those of a link's text, where the link itself is meant. */
export interface CurrentFile {
  readonly kind: "file";
  readonly isLink?: true;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly identity: FileIdentity;
  readonly access?: FileAccess | undefined;
}

/** The state that a step left: nobody has looked at it yet. */
export type LeftState = Omit<CurrentFile, "identity"> | AbsentFile;

/** The text of a link as it is shown. */
export function linkText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Whether a state is large enough to be decoded once and remembered. */
export function isLarge<State extends LeftState>(
  current: State,
): current is Extract<State, { kind: "file" }> {
  return current.kind === "file" && current.bytes.length > largeSize;
}

/**
 * Decodes a large file between two pauses: whoever asks for its text then has it at once.
 *
 * @param budget without one it takes as long as it takes.
 */
export async function learnState(
  { ports, encodings }: Session,
  { bytes, sha256 }: Pick<CurrentFile, "bytes" | "sha256">,
  encoding = encodings.get(sha256),
  budget = new TimeBudget(ports),
): Promise<Refusal<"timeout"> | undefined> {
  const late = await budget.pause(bytes.length);
  if (late !== undefined) return late;
  decodeFile(bytes, ports.codec, encoding);
  return budget.pause();
}

/** The text of a state, in the encoding that the caller insists on, or else in the one that was insisted on before. */
export function textOfState(
  { ports, encodings }: Pick<Session, "ports" | "encodings">,
  { bytes, sha256 }: Pick<CurrentFile, "bytes" | "sha256">,
  encoding?: string,
): FileText | Refusal {
  const text = decodeFile(bytes, ports.codec, encoding ?? encodings.get(sha256));
  if (encoding !== undefined && !isRefusal(text)) encodings.set(sha256, encoding);
  return text;
}

/**
 * Reads the state of a target, or says why it is nothing that can be served.
 *
 * @param budget without one it takes as long as it takes.
 */
export async function readCurrent(
  target: Target,
  session: Session,
  limitBytes: number,
  budget = new TimeBudget(session.ports),
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
      return refuse("not_a_file", `This is a ${entry.what}, not a file.`);
    case "link":
    case "file": {
      const read = await target.read(limitBytes);
      if (isRefusal(read)) return read;
      const late = await budget.pause(read.bytes.length);
      if (late !== undefined) return late;
      const sha256 = digestOf(session.ports, read.bytes);
      return { ...read, kind: "file", sha256, ...(entry.kind === "link" ? { isLink: true } : {}) };
    }
  }
}
