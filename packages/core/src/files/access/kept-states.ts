import type { TextFormat } from "../../text/index.js";
import { below, deniedByHost, join, rootOf } from "../ignore/ignore-rules.js";
import type { Disk, FileAccess, FileIdentity, Target } from "../values/disk.js";
import { isSecret } from "../values/path-policy.js";
import type { WorkspacePorts } from "../values/ports.js";
import { foldName, type ProtectedPath, protectionOf } from "../values/protected-paths.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { largeSize, TimeBudget } from "../values/time-budget.js";
import { decodeFile, type FileText } from "./file-text.js";
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

/**
 * Refuses a target that is not written in without a person's approval: as it was asked for, and as what the
 * walk arrived at. What a rule of the host denies, no approval allows.
 *
 * @param asked the tidied path of the request.
 * @returns `protected_path` with the reason.
 */
export async function refuseProtected(
  session: Session,
  target: Target,
  asked: string,
): Promise<Refusal | undefined> {
  const denied = deniedByHost(session.ports.disk, target.realPath, "writing");
  if (denied !== undefined) return denied;
  const row = await protectionAt(session.ports.disk, target, asked);
  if (row === undefined || session.allowsProtected(target.relativePath)) return undefined;
  return refuseIn(
    "protected_path",
    "Writing here needs a person's explicit approval[ ({approval})]: this is $reason. Reading is allowed.",
    { reason: row.reason },
  );
}

/**
 * What protects a target: a row of the table, for its name in any root that holds it, or a repository around it.
 *
 * @param asked the tidied path by which it was reached.
 */
export async function protectionAt(
  disk: Disk,
  target: Target,
  asked: string,
): Promise<Pick<ProtectedPath, "reason" | "source"> | undefined> {
  const named = asked.startsWith("/") ? asked : join(disk.roots[0] ?? "", asked);
  const names = [
    ...disk.realRoots.map((root) => [root, below(root, target.realPath)] as const),
    ...disk.roots.map((root) => [root, below(root, named)] as const),
  ];
  for (const [root, path] of names) {
    const row = path === undefined ? undefined : protectionOf(await inCheckout(disk, root, path));
    if (row !== undefined) return row;
  }
  return (await isInRepository(disk, target)) ? repository : undefined;
}

/** The path inside a checkout, where an agent keeps one below its configuration: a `.git` file marks it. */
async function inCheckout(disk: Disk, root: string, path: string): Promise<string> {
  const [, checkout, inside] = /^((?:.*?\/)?\.claude\/worktrees\/[^/]+)\/(.+)$/.exec(path) ?? [];
  if (checkout === undefined || inside === undefined) return path;
  return (await kindAt(disk, join(root, `${checkout}/.git`))) === "file" ? inside : path;
}

const repository = {
  reason: "the inside of a repository without a .git folder; git runs what its configuration and hooks name",
  source: "gitrepository-layout(5); git-config(1): safe.bareRepository, core.fsmonitor",
};

/** What git runs by, or looks up the rest by, in a folder that it takes for a repository. */
const telling: ReadonlySet<string> = new Set([
  "config",
  "config.worktree",
  "commondir",
  "hooks",
  "worktrees",
]);

/**
 * Whether git would take a folder above the target for a repository, or will do so by this very file. It asks for
 * `HEAD` in each: so a new `HEAD` is always refused, and beside one that is there all that git runs by.
 */
async function isInRepository(disk: Disk, target: Target): Promise<boolean> {
  const parts = target.relativePath.split("/");
  if (foldName(parts.at(-1) ?? "") === "head") return true;
  for (const [at, part] of parts.entries()) {
    if (!telling.has(foldName(part))) continue;
    const head = join(rootOf(target), [...parts.slice(0, at), "HEAD"].join("/"));
    if (!(await kindAt(disk, head)).endsWith("missing")) return true;
  }
  return false;
}

/** What an absolute path is, or the code of the refusal to say it: `missing` and `file_missing` where there is nothing. */
async function kindAt(disk: Disk, path: string): Promise<string> {
  const target = await disk.enter(path, "refuse");
  if (isRefusal(target)) return target.code;
  try {
    return (await target.look()).kind;
  } finally {
    await target.close();
  }
}
