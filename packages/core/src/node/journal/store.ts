import { lstatSync, unlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isUnchangedSince, recordsOfNext, sessionsWithin } from "../../conversation/index.js";
import { encodeRecord, firstRecords } from "../../conversation/journal/index.js";
import {
  type ConversationRefusal,
  isSessionId,
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
import { type Pace, takeAtPace } from "../../text/index.js";
import { removeQuietly } from "../disk/entries.js";
import { syncFolder } from "../disk/platform.js";
import { takeSlices } from "../disk/slices.js";
import { openStateFolder, type StateFolder } from "../state-folder/state-folder.js";
import { JournalBlobs } from "./blobs.js";
import { takeLease } from "./lease.js";
import { factsOfJournal, listJournals } from "./listing.js";
import { isThere, type JournalPaths, journalPaths, publishFile, syncConversations } from "./paths.js";
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
