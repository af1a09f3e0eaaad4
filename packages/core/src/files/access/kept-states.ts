import type { FileAccess, Target } from "../values/disk.js";
import { isSecret } from "../values/path-policy.js";
import { type Refusal, refuse } from "../values/refusal.js";
import type { CurrentFile } from "./current.js";
import type { Session } from "./session.js";

/**
 * Where the states of a file are kept and found again: the one home of that rule. States of a file that may hold
 * secrets lie apart from all others (`WorkspacePorts.secrets`), for as long as `Session.keepSecrets` says; what is
 * kept there is never shown, and is found only as a state of that very file.
 */
export type StatePlace = Pick<Target, "realPath">;

/** Whether the states of a file are kept apart, by its own name, whatever the root and the link it was reached by. */
export function isStoredAsSecret({ realPath }: StatePlace): boolean {
  return isSecret(realPath);
}

/** Under which name the states of a file that were read are recorded: apart from its writes. No path holds a NUL. */
export const readsOf = (realPath: string): string => `${realPath}\0reads`;

/** Whether states of the file are kept at all: those of secrets may not be. */
export function isKept(session: Pick<Session, "keepSecrets">, place: StatePlace): boolean {
  return session.keepSecrets !== "none" || !isStoredAsSecret(place);
}

/**
 * Whether a state of the file is kept apart: by the file's own name, or since it came from the name of a secret and
 * was not changed since. The latter is noted at the move, and known whatever is still kept.
 */
export async function isSecretState({ ports }: Session, place: StatePlace, sha256: string): Promise<boolean> {
  return isStoredAsSecret(place) || ports.secrets.belongs(place.realPath, sha256);
}

/**
 * Keeps bytes as a state of a file.
 *
 * @returns `never` for bytes of a secret where none are kept, `failed` where the state folder cannot keep them.
 */
export async function keepBytes(
  session: Session,
  place: StatePlace,
  { sha256, bytes }: Pick<CurrentFile, "sha256" | "bytes">,
  { care, other, madeFrom, before }: KeepOptions = {},
): Promise<"kept" | "failed" | "never"> {
  const { ports, keepSecrets } = session;
  const isApart =
    (await isSecretState(session, place, sha256)) ||
    (other !== undefined && (await isSecretState(session, other, sha256))) ||
    (madeFrom !== undefined && (await isSecretState(session, place, madeFrom)));
  if (isApart) {
    if (!isStoredAsSecret(place) && !(await ports.secrets.mark(place.realPath, sha256))) return "failed";
    if (keepSecrets === "none") return "never";
    const isPut = await ports.secrets.put(place.realPath, { sha256, bytes, days: keepSecrets });
    return isPut ? "kept" : "failed";
  }
  const isPut =
    before === undefined
      ? await ports.blobs.put(sha256, bytes, care)
      : await ports.blobs.putLonger(sha256, bytes, before);
  return isPut ? "kept" : "failed";
}

/** What is known of bytes that are to be kept. */
interface KeepOptions {
  /** As of `BlobStore.put`. */
  readonly care?: "sure";
  /** Of a move: the file's other name. Where either is one of a secret, the bytes are. */
  readonly other?: StatePlace | undefined;
  /** The state of the same file into which another program wrote to make these bytes: they are as secret as it is. */
  readonly madeFrom?: string | undefined;
  /** As of `BlobStore.putLonger`: of a state that was only added to. */
  readonly before?: { readonly sha256: string; readonly length: number } | undefined;
}

/** Keeps a state for later comparison. */
export async function keepState(
  session: Session,
  place: StatePlace,
  file: Pick<CurrentFile, "sha256" | "bytes">,
  options?: KeepOptions,
): Promise<void> {
  await keepBytes(session, place, file, options);
}

/**
 * Keeps a state that is about to be replaced: nothing is replaced without a way back.
 *
 * @param other as of `keepBytes`.
 * @returns whether there is a way back; false for secrets where none are kept. `disk_full` where the state
 *   folder cannot keep it.
 */
export async function keepReplaced(
  session: Session,
  place: StatePlace,
  file: CurrentFile,
  other?: StatePlace,
): Promise<{ readonly kind: "kept"; readonly wayBack: boolean } | Refusal<"disk_full">> {
  const done = await keepBytes(session, place, file, { care: "sure", other });
  if (done !== "failed") return { kind: "kept", wayBack: done === "kept" };
  return cannotKeep;
}

export const cannotKeep = refuse(
  "disk_full",
  "The state folder cannot keep the old state (is it full, or not writable? `holdfast doctor` looks), so nothing was changed.",
);

/**
 * The state that a new one only adds to, where it is kept with all others: the states of a file that only grows then
 * cost little more than the last of them.
 */
export async function sharedBefore(
  session: Session,
  place: StatePlace,
  { sha256, bytes }: CurrentFile,
): Promise<KeepOptions["before"]> {
  if (await isSecretState(session, place, sha256)) return undefined;
  return { sha256, length: bytes.length };
}

/** A state of a file as it was kept. */
export interface KeptState {
  readonly bytes: Uint8Array;
  /** It was kept apart, so that no answer shows anything of it. */
  readonly isApart: boolean;
  /** Who could use the file then; in its last known state where that is not recorded. */
  readonly access?: FileAccess | undefined;
}

/** The kept state of a file, to plan a change with; undefined where it is not kept (any more). */
export async function findState(
  session: Session,
  place: StatePlace,
  sha256: string,
): Promise<KeptState | undefined> {
  const { blobs, secrets } = session.ports;
  const isApart = await isSecretState(session, place, sha256);
  const bytes = isApart ? await secrets.get(place.realPath, sha256) : await blobs.get(sha256);
  return bytes === undefined ? undefined : { bytes, isApart };
}

/** Whether `findState` has something to find, without reading it. */
export async function isStateKept(session: Session, place: StatePlace, sha256: string): Promise<boolean> {
  const { blobs, secrets } = session.ports;
  if (await isSecretState(session, place, sha256)) return secrets.has(place.realPath, sha256);
  return blobs.has(sha256);
}

/** The bytes of a state of a file, to be shown as a part of a difference: never those that were kept apart. */
export async function findShownState(
  session: Session,
  place: StatePlace,
  sha256: string,
): Promise<Uint8Array | undefined> {
  return (await isSecretState(session, place, sha256)) ? undefined : session.ports.blobs.get(sha256);
}
