import type { CurrentFile } from "./current.js";
import { isSecret } from "./path-policy.js";
import type { Target } from "./ports.js";
import { type Refusal, refuse } from "./refusal.js";
import type { Session } from "./session.js";

/**
 * Where the states of a file are kept and found again: the one home of that rule. States of a file that may hold
 * secrets lie apart from all others (`WorkspacePorts.secrets`), for as long as `Session.keepSecrets` says; what is
 * kept there is never shown, and is found only as a state of that very file.
 */
export type StatePlace = Pick<Target, "realPath">;

/** Whether the states of a file are kept apart, by its own name, whatever the root and the link it was reached by. */
export function isKeptApart({ realPath }: StatePlace): boolean {
  return isSecret(realPath);
}

/** Whether states of the file are kept at all: those of secrets may not be. */
export function isKept(session: Pick<Session, "keepSecrets">, place: StatePlace): boolean {
  return session.keepSecrets !== "none" || !isKeptApart(place);
}

/**
 * Keeps bytes as a state of a file.
 *
 * @returns whether they are kept.
 */
export async function keepBytes(
  { ports, keepSecrets }: Session,
  place: StatePlace,
  { sha256, bytes }: Pick<CurrentFile, "sha256" | "bytes">,
  { care, other, before }: KeepOptions = {},
): Promise<boolean> {
  const isApart =
    isKeptApart(place) ||
    (other !== undefined && isKeptApart(other)) ||
    // What came here from the name of a secret, and was not changed since.
    (await ports.secrets.has(place.realPath, sha256));
  if (!isApart && before !== undefined) return ports.blobs.putLonger(sha256, bytes, before);
  if (!isApart) return ports.blobs.put(sha256, bytes, care);
  return keepSecrets !== "none" && ports.secrets.put(place.realPath, { sha256, bytes, days: keepSecrets });
}

/** What is known of bytes that are to be kept. */
export interface KeepOptions {
  /** As of `BlobStore.put`. */
  readonly care?: "sure";
  /** Of a move: the file's other name. Where either is one of a secret, the bytes are. */
  readonly other?: StatePlace | undefined;
  /** As of `BlobStore.putLonger`: of a state that was only added to. */
  readonly before?: { readonly sha256: string; readonly length: number } | undefined;
}

/** Keeps a state for later comparison. */
export async function keepState(
  session: Session,
  place: StatePlace,
  file: CurrentFile,
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
  if (await keepBytes(session, place, file, { care: "sure", other })) return { kind: "kept", wayBack: true };
  if (!isKept(session, place) || (other !== undefined && !isKept(session, other)))
    return { kind: "kept", wayBack: false };
  return refuse(
    "disk_full",
    "The state folder cannot keep the old state (is it full, or not writable? `holdfast doctor` looks), so nothing was changed.",
  );
}

/**
 * The state that a new one only adds to, where it is kept with all others: the states of a file that only grows then
 * cost little more than the last of them.
 */
export async function sharedBefore(
  { ports }: Session,
  place: StatePlace,
  { sha256, bytes }: CurrentFile,
): Promise<KeepOptions["before"]> {
  if (await ports.secrets.has(place.realPath, sha256)) return undefined;
  return { sha256, length: bytes.length };
}

/** A state of a file as it was kept. */
export interface KeptState {
  readonly bytes: Uint8Array;
  /** It was kept apart, so that no answer shows anything of it. */
  readonly isApart: boolean;
}

/** The kept state of a file, to plan a change with; undefined where it is not kept (any more). */
export async function findState(
  { ports }: Session,
  place: StatePlace,
  sha256: string,
): Promise<KeptState | undefined> {
  const shared = isKeptApart(place) ? undefined : await ports.blobs.get(sha256);
  if (shared !== undefined) return { bytes: shared, isApart: false };
  const bytes = await ports.secrets.get(place.realPath, sha256);
  return bytes === undefined ? undefined : { bytes, isApart: true };
}

/** Whether `findState` has something to find, without reading it. */
export async function isStateKept({ ports }: Session, place: StatePlace, sha256: string): Promise<boolean> {
  if (!isKeptApart(place) && (await ports.blobs.has(sha256))) return true;
  return ports.secrets.has(place.realPath, sha256);
}

/** The bytes of a state of a file, to be shown as a part of a difference: never those that were kept apart. */
export async function findShownState(
  { ports }: Session,
  place: StatePlace,
  sha256: string,
): Promise<Uint8Array | undefined> {
  return isKeptApart(place) ? undefined : ports.blobs.get(sha256);
}
