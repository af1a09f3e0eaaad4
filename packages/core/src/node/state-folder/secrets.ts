import { lstatSync, readFileSync, rmdirSync, utimesSync } from "node:fs";
import type { Clock, SecretStore } from "../../files/index.js";
import { ifPossible, quietly, withDescriptor } from "../disk/platform.js";
import { sha256 as digest, namesIn, removeQuietly } from "../disk/reading.js";
import { keyOf } from "./locks.js";
import type { Presence } from "./sessions.js";
import { placeWhole, type StateFolder } from "./state-folder.js";

/**
 * States of files that may hold secrets, apart from all others: a folder for each file, in it each state whole, named
 * by its hash and its days, or without its bytes as a mark: that state of that file belongs here. Files are 0600, folders 0700. A file's time of change says when the state was kept last;
 * after its days it is not given out any more, and the next start, write or garbage collection removes it.
 */
export function openSecrets(state: StateFolder, presence: Presence, clock: Clock): SecretStore {
  let sweptMs = clock.now();
  const sweep = () => {
    if (Math.abs(clock.now() - sweptMs) < sweepMs) return;
    sweptMs = clock.now();
    removeSecrets(state, { now: sweptMs });
  };
  return {
    put: async (realPath, kept) =>
      quietly(() => {
        presence.show();
        sweep();
        keepSecret(state, realPath, kept, clock.now());
      }),
    has: async (realPath, hash) => inForce(state, realPath, hash, clock.now()).length > 0,
    get: async (realPath, hash) => {
      const kept = inForce(state, realPath, hash, clock.now());
      return kept.map((one) => readSecret(one, hash)).find((bytes) => bytes !== undefined);
    },
    mark: async (realPath, hash) => quietly(() => markSecret(state, realPath, hash, clock.now())),
    belongs: async (realPath, hash) => belongsToSecrets(state, realPath, hash, clock.now()),
  };
}

/** What the disk does not give back is as good as gone. */
function inForce(state: StateFolder, realPath: string, hash: string, nowMs: number): readonly StoredSecret[] {
  return ifPossible(() => statesOf(state, realPath, hash), []).filter((kept) => !isOver(kept, nowMs));
}

/** What is kept of one file: its bytes, and for how many days from now. */
interface SecretState {
  readonly sha256: string;
  readonly bytes: Uint8Array;
  readonly days: number;
}

/** Keeps a state, also for recovery, which has no session. Throws the system's error; nothing is left then. */
export function keepSecret(
  state: StateFolder,
  realPath: string,
  { sha256, bytes, days }: SecretState,
  nowMs: number,
): void {
  const name = `${sha256}-${days}`;
  const path = state.at("secrets", keyOf(realPath), name);
  const before = statesOf(state, realPath, sha256);
  const isThere = before.some((kept) => kept.path === path && readSecret(kept, sha256) !== undefined);
  if (!isThere) placeWhole(state, path, bytes, { prefix: unfinishedPrefix, isDurable: true });
  utimesSync(path, nowMs / 1_000, nowMs / 1_000);
  // The days of whoever kept it last hold.
  for (const kept of before) if (kept.path !== path) removeQuietly(kept.path);
}

/**
 * Marks a state as one that belongs here, as `SecretStore.mark`; a mark says when the state was met last. Throws the
 * system's error.
 */
export function markSecret(state: StateFolder, realPath: string, sha256: string, nowMs: number): void {
  const path = state.at("secrets", keyOf(realPath), `${sha256}${markSuffix}`);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    placeWhole(state, path, new Uint8Array(), { prefix: unfinishedPrefix, isDurable: true });
  utimesSync(path, nowMs / 1_000, nowMs / 1_000);
}

/** Whether a state of this file is kept here or marked; where that cannot be looked up, it is taken for one. */
export function belongsToSecrets(
  state: StateFolder,
  realPath: string,
  sha256: string,
  nowMs = Date.now(),
): boolean {
  const names = ifPossible(() => namesIn(state.at("secrets", keyOf(realPath))), undefined);
  if (names === undefined) return true;
  if (names.length === 0) return false;
  return names.includes(`${sha256}${markSuffix}`) || inForce(state, realPath, sha256, nowMs).length > 0;
}

/** One kept state of a file that may hold secrets. */
interface StoredSecret {
  readonly path: string;
  readonly sizeBytes: number;
  /** When it was kept last, in milliseconds since the epoch. */
  readonly keptMs: number;
  /** For so many days from then; an unfinished one has no days. */
  readonly days: number;
}

/** All of them, and what a kill left unfinished; marks are none. */
export function listSecrets(state: StateFolder): readonly StoredSecret[] {
  return allOf(state, (name) => !name.endsWith(markSuffix));
}

function allOf(state: StateFolder, isWanted: (name: string) => boolean): readonly StoredSecret[] {
  return namesIn(state.at("secrets")).flatMap((key) => statesIn(state, key, isWanted));
}

/** Which states go. */
interface SecretsOver {
  /** Milliseconds since the epoch; `all` takes each state, however young. */
  readonly now: number | "all";
  /** States that were kept for longer go after so many days, too. */
  readonly mostDays?: number | undefined;
  /** Counts only. */
  readonly dryRun?: boolean;
}

/** How many states went and stayed, with their sizes in bytes. */
export interface RemovedSecrets {
  readonly removed: number;
  readonly removedBytes: number;
  readonly kept: number;
  readonly keptBytes: number;
}

/** Removes the states whose days are over, or all. */
export function removeSecrets(
  state: StateFolder,
  { now, mostDays = Number.POSITIVE_INFINITY, dryRun = false }: SecretsOver,
): RemovedSecrets {
  const all = listSecrets(state);
  const over = all.filter(
    (one) => now === "all" || isOver({ ...one, days: Math.min(one.days, mostDays) }, now),
  );
  if (!dryRun) {
    const gone = now === "all" ? over : [...over, ...marksOver(state, now)];
    for (const { path } of gone) removeQuietly(path);
    for (const key of gone.length === 0 ? [] : namesIn(state.at("secrets")))
      quietly(() => rmdirSync(state.at("secrets", key)));
  }
  const bytes = (states: readonly StoredSecret[]) =>
    states.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    removed: over.length,
    removedBytes: bytes(over),
    kept: all.length - over.length,
    keptBytes: bytes(all) - bytes(over),
  };
}

function marksOver(state: StateFolder, nowMs: number): readonly StoredSecret[] {
  const marks = allOf(state, (name) => name.endsWith(markSuffix));
  return marks.filter((mark) => isOver({ ...mark, days: markDays }, nowMs));
}

const dayMs = 24 * 60 * 60 * 1_000;
const sweepMs = 60 * 60 * 1_000;
const unfinishedPrefix = "tmp-";
const markSuffix = "-moved";
/** A mark takes no space to speak of; one whose state nobody met for so long is over. */
const markDays = 365;
/** What was not finished after an hour is left of a kill. */
const unfinishedDays = 1 / 24;

function isOver({ keptMs, days }: Pick<StoredSecret, "keptMs" | "days">, nowMs: number): boolean {
  return nowMs - keptMs >= days * dayMs;
}

function statesOf(state: StateFolder, realPath: string, hash: string): readonly StoredSecret[] {
  return statesIn(
    state,
    keyOf(realPath),
    (name) => name.startsWith(`${hash}-`) && !name.endsWith(markSuffix),
  );
}

function statesIn(
  state: StateFolder,
  key: string,
  isWanted: (name: string) => boolean,
): readonly StoredSecret[] {
  const found: StoredSecret[] = [];
  for (const name of namesIn(state.at("secrets", key)).filter(isWanted)) {
    const path = state.at("secrets", key, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const [, days] = /^[0-9a-f]{64}-([1-9]\d{0,8})$/.exec(name) ?? [];
    found.push({
      path,
      sizeBytes: stat.size,
      keptMs: stat.mtimeMs,
      days: days === undefined ? unfinishedDays : Number(days),
    });
  }
  return found;
}

/** Damaged bytes are never given out. */
function readSecret({ path }: StoredSecret, hash: string): Uint8Array | undefined {
  const bytes = ifPossible(() => withDescriptor(() => readFileSync(path)), undefined);
  return bytes !== undefined && digest(bytes) === hash ? bytes : undefined;
}
