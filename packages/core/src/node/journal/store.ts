import { lstatSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isUnchangedSince, recordsOfNext, sessionsWithin } from "../../conversation/index.js";
import {
  encodeRecord,
  firstRecords,
  isSealed,
  readJournal,
  readLine,
} from "../../conversation/journal/index.js";
import {
  type ConversationRefusal,
  isSessionId,
  type JournalRecord,
  type OpenSession,
  type RecordPage,
  type RecordQuery,
  refuseCancelled,
  refuseNewSession,
  refuseUnknownSession,
  type SessionFacts,
  type SessionQuery,
  type SessionStore,
  type TimedEvent,
} from "../../conversation/values/index.js";
import type { Lock } from "../../files/index.js";
import { isRefusal, refuse } from "../../files/values/index.js";
import { finish, type Pace, takeAtPace } from "../../text/index.js";
import { codeOf, ifPossible, quietly, syncFolder } from "../disk/platform.js";
import { namesIn, newId, readText, removeQuietly, type Slices, sha256, takeSlices } from "../disk/reading.js";
import { keyOf } from "../state-folder/locks.js";
import { openStateFolder, type StateFolder } from "../state-folder/state-folder.js";
import {
  isThere,
  JournalBlobs,
  type JournalPaths,
  journalPaths,
  journalSuffix,
  leaseHolder,
  publishFile,
  readWholeSlices,
  syncConversations,
  takeLease,
  unfinishedJournal,
} from "./paths.js";
import { clearRemains } from "./remains.js";
import { type JournalSession, openToRead, openToWrite, startSession } from "./session.js";
import { refuseLike, storeRefusalFrom } from "./store-answers.js";

/** Where journal files are kept. */
export interface JournalStoreOptions {
  /** `HOLDFAST_STATE_DIR`, the XDG state folder or its default, unless given. */
  readonly stateDir?: string | undefined;
}

/**
 * The sessions in the state folder, one file of lines a session (docs/journal.md). Nothing is made before
 * the first session is.
 */
export function openJournalStore(options: JournalStoreOptions = {}): SessionStore | ConversationRefusal {
  try {
    const state = openStateFolder(options.stateDir);
    return isRefusal(state) ? refuseLike(state) : new JournalStore(state);
  } catch (error) {
    return storeRefusalFrom(error, "The state folder could not be opened");
  }
}

class JournalStore implements SessionStore {
  private readonly opened = new Set<OpenSession>();

  constructor(private readonly state: StateFolder) {}

  async create(
    id: string,
    events: readonly TimedEvent[],
    pace: Pace = letOthersRun,
  ): Promise<OpenSession | ConversationRefusal> {
    const refused = refuseNewSession(id, events);
    if (refused !== undefined) return refused;
    const paths = journalPaths(this.state, id);
    const lock = await takeLease(this.state, paths);
    if (isRefusal(lock)) return lock.code === "busy" ? refuseSecond(id) : lock;
    const answer = await this.attempt(`Session ${id} could not be made`, () =>
      this.make(paths, { lock, pace }, events),
    );
    if (isRefusal(answer)) await lock.release();
    return this.remember(answer);
  }

  async open(id: string, mode: "write" | "read"): Promise<OpenSession | ConversationRefusal> {
    if (!isSessionId(id)) return refuseUnknownSession(id);
    const paths = journalPaths(this.state, id);
    const what = `Session ${id} could not be opened`;
    const there = await this.attempt(what, () => (isThere(paths.file) ? paths : refuseUnknownSession(id)));
    if (isRefusal(there)) return there;
    if (mode === "read") return this.remember(await this.attempt(what, () => openToRead(this.state, paths)));
    const lock = await takeLease(this.state, paths);
    if (isRefusal(lock))
      return lock.code === "busy"
        ? lock
        : this.remember(await this.attempt(what, () => openToRead(this.state, paths, lock)));
    const answer = await this.attempt(what, () => openToWrite(this.state, paths, lock));
    if (isRefusal(answer) || answer.mode === "read") await lock.release();
    return this.remember(answer);
  }

  async list(query?: SessionQuery): Promise<readonly SessionFacts[] | ConversationRefusal> {
    return this.attempt("The sessions could not be listed", async () =>
      sessionsWithin(await takeSlices(listJournals(this.state)), query),
    );
  }

  async stampOf(id: string): Promise<string | undefined | ConversationRefusal> {
    if (!isSessionId(id)) return undefined;
    return this.attempt(`Session ${id} could not be looked at`, () => {
      const { file } = journalPaths(this.state, id);
      const stat = lstatSync(file, { throwIfNoEntry: false, bigint: true });
      return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
    });
  }

  remove(id: string): Promise<{ readonly kind: "removed" } | ConversationRefusal> {
    return this.removeIf(id, () => true);
  }

  async prune(listed: Parameters<SessionStore["prune"]>[0]): ReturnType<SessionStore["prune"]> {
    const removed: string[] = [];
    for (const { id, ...before } of listed) {
      const answer = await this.removeIf(id, (paths) => {
        const now = factsOfJournal(paths);
        return now !== undefined && isUnchangedSince(now, before);
      });
      if (!isRefusal(answer)) removed.push(id);
      else if (!staying.has(answer.code)) return answer;
    }
    return { kind: "pruned", removed };
  }

  recordsHolding(query: RecordQuery): Promise<RecordPage> {
    return recordsOfNext(query, (id) => this.open(id, "read"));
  }

  /** @param isMeant asked under the lease. @returns `conflict` where it says no. */
  private async removeIf(
    id: string,
    isMeant: (paths: JournalPaths) => boolean,
  ): Promise<{ readonly kind: "removed" } | ConversationRefusal> {
    if (!isSessionId(id)) return refuseUnknownSession(id);
    const paths = journalPaths(this.state, id);
    const what = `Session ${id} could not be removed`;
    const there = await this.attempt(what, () => (isThere(paths.file) ? paths : refuseUnknownSession(id)));
    if (isRefusal(there)) return there;
    const lock = await takeLease(this.state, paths);
    if (isRefusal(lock)) return lock;
    try {
      return await this.attempt(what, () => {
        if (!isThere(paths.file)) return refuseUnknownSession(id);
        if (!isMeant(paths)) return refuse("conflict", `Session ${id} has changed since it was listed.`);
        // The journal first: without it, recovery knows that the rest may go.
        unlinkSync(paths.file);
        syncFolder(paths.folder);
        clearRemains(paths);
        return { kind: "removed" as const };
      });
    } finally {
      await lock.release();
    }
  }

  async close(): Promise<void> {
    for (const session of this.opened) await session.close();
    this.opened.clear();
  }

  private async make(
    paths: JournalPaths,
    { lock, pace }: { readonly lock: Lock; readonly pace: Pace },
    events: readonly TimedEvent[],
  ): Promise<JournalSession | ConversationRefusal> {
    if (isThere(paths.file)) return refuseSecond(paths.id);
    const isNew = !isThere(paths.folder);
    // Of a session whose removal, or whose making, was interrupted.
    if (isThere(paths.blobs)) clearRemains(paths);
    const blobs = new JournalBlobs(this.state, paths);
    const records = firstRecords(events);
    const lines: Uint8Array[] = [];
    let since = Date.now();
    for (const [at, record] of records.entries()) {
      lines.push(encodeRecord(record, blobs.put));
      if (Date.now() - since < sliceMs) continue;
      if (!(await pace({ done: at + 1, of: records.length }))) return refuseCancelled(paths.id);
      since = Date.now();
    }
    const bytes = Buffer.concat(lines);
    try {
      if ((await takeAtPace(blobs.writing(), pace)) === "interrupted") {
        clearRemains(paths);
        return refuseCancelled(paths.id);
      }
      publishFile(this.state, paths.file, bytes);
      syncConversations(this.state, isNew);
      return startSession({ state: this.state, paths, lock, blobs }, records, bytes.length);
    } catch (error) {
      removeQuietly(paths.file);
      clearRemains(paths);
      throw error;
    }
  }

  private async attempt<Answer>(
    what: string,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer | ConversationRefusal> {
    try {
      return await work();
    } catch (error) {
      return storeRefusalFrom(error, what);
    }
  }

  private remember(answer: JournalSession | ConversationRefusal): OpenSession | ConversationRefusal {
    if (!isRefusal(answer)) {
      this.opened.add(answer);
      answer.onClosed(() => this.opened.delete(answer));
    }
    return answer;
  }
}

/** What a session is that no retention takes away. */
const staying: ReadonlySet<string> = new Set(["busy", "conflict", "unknown_session"]);

/** After so long whatever else this process has to do has its turn. */
const sliceMs = 10;

const letOthersRun: Pace = async () => {
  await nextTurn();
  return true;
};

function refuseSecond(id: string): ConversationRefusal<"duplicate_id"> {
  return refuse("duplicate_id", `There is a session ${id} already.`);
}

/**
 * All sessions, the last changed first. A journal that did not change since it was listed last is not read
 * again; a large one is read in slices. Throws the system's error where the folder cannot be read.
 */
function* listJournals(state: StateFolder): Slices<readonly SessionFacts[]> {
  const index = readIndex(state);
  const locks = new Set(namesIn(state.at("locks")));
  const facts: SessionFacts[] = [];
  const next = new Map<string, IndexedFacts>();
  for (const name of namesIn(state.at("conversations"))) {
    const id = name.slice(0, -journalSuffix.length);
    if (!name.endsWith(journalSuffix) || !isSessionId(id)) continue;
    const paths = journalPaths(state, id);
    const found = yield* look(paths, index.get(id));
    if (found === undefined) continue;
    next.set(id, found);
    const heldBy = locks.has(keyOf(paths.file)) ? leaseHolder(state, paths) : undefined;
    facts.push({ id, ...found.facts, title: found.facts.title, cwd: found.facts.cwd, heldBy });
  }
  writeIndex(state, index, next);
  return facts.sort((one, other) => other.modifiedMs - one.modifiedMs || (one.id < other.id ? -1 : 1));
}

/** What a list would say of one journal now; undefined where it is gone. */
function factsOfJournal(paths: JournalPaths): IndexedFacts["facts"] | undefined {
  return finish(look(paths, undefined))?.facts;
}

/** What is known of a journal, by the index where that still fits; undefined where it is gone. */
function* look(paths: JournalPaths, indexed: IndexedFacts | undefined): Slices<IndexedFacts | undefined> {
  const stat = lstatSync(paths.file, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return undefined;
  const mtimeNs = String(stat.mtimeNs);
  const journalBytes = Number(stat.size);
  // Whatever lies beside a journal was put there before a line that names it.
  if (indexed?.mtimeNs === mtimeNs && indexed.journalBytes === journalBytes) return indexed;
  const sizeBytes = journalBytes + sizeOfBlobs(paths);
  const mtimeMs = Number(stat.mtimeMs);
  try {
    const bytes = yield* readWholeSlices(paths.file);
    return bytes && { mtimeNs, journalBytes, facts: { ...factsIn(bytes, mtimeMs), sizeBytes } };
  } catch (error) {
    const code = codeOf(error);
    if (code === "") throw error;
    const problem = `The disk answers ${code} to its file.`;
    // Not to be kept: it may be readable the next time.
    return { mtimeNs: "", journalBytes, facts: { ...unknown(mtimeMs), sizeBytes, problem } };
  }
}

function sizeOfBlobs({ blobs }: JournalPaths): number {
  let bytes = 0;
  for (const name of namesIn(blobs))
    bytes += lstatSync(join(blobs, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

type Facts = Omit<IndexedFacts["facts"], "sizeBytes">;

function unknown(mtimeMs: number): Facts {
  return { title: undefined, cwd: undefined, createdMs: mtimeMs, modifiedMs: mtimeMs };
}

/** Of a journal only its beginning, its end and its names are read; all of it where one of the ends is damaged. */
function factsIn(bytes: Uint8Array, mtimeMs: number): Facts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = recordBefore(buffer, buffer.indexOf(lineBreak));
  // None where the journal ends with something else.
  const last = recordBefore(buffer, buffer.lastIndexOf(lineBreak));
  if (first !== undefined && last !== undefined) return factsOf(buffer, first, last);
  const { records, problems } = readJournal(bytes, () => undefined);
  const [begun] = records;
  if (begun !== undefined) return factsOf(buffer, begun, records.at(-1) ?? begun);
  const newer = problems.some(({ what }) => what === "newer_version");
  const problem = newer ? "A newer release wrote it." : "Nothing in it can be read.";
  return { ...unknown(mtimeMs), problem };
}

function factsOf(buffer: Buffer, first: JournalRecord, last: JournalRecord): Facts {
  const started = first.event.type === "session_started" ? first.event : undefined;
  return {
    title: lastTitle(buffer) ?? started?.title,
    cwd: started?.cwd,
    createdMs: first.ts,
    // A session that was made of another begins now, with records of then: it was not changed before it was begun.
    modifiedMs: Math.max(first.ts, last.ts),
  };
}

const lineBreak = 0x0a;
const renamed = Buffer.from(',"type":"renamed",');

/** The record whose line ends there. */
function recordBefore(buffer: Buffer, end: number): JournalRecord | undefined {
  if (end < 0) return undefined;
  const from = end === 0 ? 0 : buffer.lastIndexOf(lineBreak, end - 1) + 1;
  if (!isSealed(buffer, from, end)) return undefined;
  const line = readLine(buffer.toString("utf8", from, end), () => undefined);
  return line.kind === "record" ? line.record : undefined;
}

/** What the session was named last, after its beginning. */
function lastTitle(buffer: Buffer): string | undefined {
  for (let at = buffer.lastIndexOf(renamed); at > 0; at = buffer.lastIndexOf(renamed, at - 1)) {
    const record = recordBefore(buffer, buffer.indexOf(lineBreak, at));
    if (record?.event.type === "renamed") return record.event.title;
  }
  return undefined;
}

/** What was found in a journal of this size when it bore this time. */
interface IndexedFacts {
  /** Nanoseconds; "" is never kept. */
  readonly mtimeNs: string;
  /** Of the journal alone. */
  readonly journalBytes: number;
  readonly facts: Omit<SessionFacts, "id" | "heldBy">;
}

/** A journal that was written so lately may be written again without another time stamp. */
const clockTickNs = 1_000_000_000n;
/** Fewer changes than this are found again more quickly than they are written down. */
const worthwhile = 20;

/**
 * What the last listing found, by session: only a cache. Whoever deletes it loses time; one that is damaged
 * or of another release counts as none.
 */
function readIndex(state: StateFolder): ReadonlyMap<string, IndexedFacts> {
  const [check, text] = splitOnce(ifPossible(() => readText(indexPath(state)), undefined) ?? "");
  if (check !== checkOf(text)) return new Map();
  // Only `writeIndex` makes such a check, and it covers the form, too.
  return new Map(JSON.parse(text) as [string, IndexedFacts][]);
}

/** Keeps what a listing found, where that saves the next one something. Failing to is no failure. */
function writeIndex(
  state: StateFolder,
  before: ReadonlyMap<string, IndexedFacts>,
  found: ReadonlyMap<string, IndexedFacts>,
): void {
  const limit = BigInt(Date.now()) * 1_000_000n - clockTickNs;
  const kept = [...found].filter(([, { mtimeNs }]) => mtimeNs !== "" && BigInt(mtimeNs) < limit);
  const changed = kept.filter(([id, facts]) => before.get(id) !== facts);
  if (changed.length < worthwhile) return;
  const unfinished = state.at("conversations", `${unfinishedJournal}${newId()}`);
  const text = JSON.stringify(kept);
  const isKept = quietly(() => {
    writeFileSync(unfinished, `${checkOf(text)}\n${text}`, { mode: 0o600, flag: "wx" });
    renameSync(unfinished, indexPath(state));
  });
  if (!isKept) removeQuietly(unfinished);
}

/** Part of the check, so that another release's index is none to this one. */
const form = "holdfast sessions 2\n";

function checkOf(text: string): string {
  return sha256(Buffer.from(form + text));
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf("\n");
  return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
}

/** No id holds a dot, so this is no session's. */
function indexPath(state: StateFolder): string {
  return state.at("conversations", "index.cache");
}
