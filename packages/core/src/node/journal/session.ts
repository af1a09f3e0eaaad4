import { fdatasyncSync, fstatSync, ftruncateSync, statSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  encodeRecord,
  firstRecords,
  type ReadJournal,
  readJournalInSteps,
} from "../../conversation/journal/index.js";
import {
  type Acknowledged,
  type ConversationRefusal,
  type JournalProblem,
  type JournalRecord,
  type OpenSession,
  type ReplacedSession,
  refuseHeldSession,
  refuseNewerSession,
  refuseUnknownSession,
  type TimedEvent,
} from "../../conversation/values/index.js";
import type { Lock } from "../../files/index.js";
import { refuse } from "../../files/values/index.js";
import { type Advancing, takeAtPace } from "../../text/index.js";
import { appendFlags, closeQuietly, openDescriptor } from "../disk/platform.js";
import { takeSlices } from "../disk/reading.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import {
  anotherProcess,
  JournalBlobs,
  type JournalPaths,
  leaseHolder,
  quarantineBytes,
  readWholeSlices,
} from "./paths.js";
import { storeRefusalFrom } from "./store-answers.js";
import { appendAll, JournalWriter } from "./writer.js";

/** Opens a journal without touching anything. @param because why it is not opened to be written, as was asked. */
export async function openToRead(
  state: StateFolder,
  paths: JournalPaths,
  because?: ConversationRefusal,
): Promise<JournalSession | ConversationRefusal> {
  const blobs = new JournalBlobs(state, paths);
  const found = await findJournal(paths, blobs);
  if (!("journal" in found)) return found;
  const { journal, bytes } = found;
  const tail = bytes.length > journal.wholeBytes || !journal.terminated;
  // Of a writer that is at it, half a line is no damage.
  const torn = tail && leaseHolder(state, paths) === undefined && stillEnds(paths, bytes.length);
  const problems = torn
    ? [...journal.problems, tornTail(journal, bytes, "it was left where it is")]
    : journal.problems;
  return new JournalSession({ paths, journal, problems, blobs, state }, undefined, because);
}

/**
 * Opens a journal under its lease and cuts a torn tail off, which is kept beside it.
 *
 * @returns a session to be read where it cannot be written; the lease is then not used.
 */
export async function openToWrite(
  state: StateFolder,
  paths: JournalPaths,
  lock: Lock,
): Promise<JournalSession | ConversationRefusal> {
  const blobs = new JournalBlobs(state, paths);
  const found = await findJournal(paths, blobs);
  if (!("journal" in found)) return found;
  const { journal } = found;
  const newer = refuseNewerSession(paths.id, journal.problems);
  if (newer !== undefined) return openToRead(state, paths, newer);
  let fd: number | undefined;
  try {
    fd = openDescriptor(paths.file, appendFlags);
    const moved = await refuseMoved(paths, lock, fd, found);
    if (moved !== undefined) {
      closeQuietly(fd);
      return moved;
    }
    const problems = [...journal.problems, ...repair(state, paths, fd, found)];
    const start = { fd, bytes: fstatSync(fd).size, nextSeq: journal.nextSeq, durable: false };
    const writer = new JournalWriter(paths, lock, blobs, start);
    return new JournalSession({ paths, journal, problems, blobs, state }, writer);
  } catch (error) {
    if (fd !== undefined) closeQuietly(fd);
    const because = storeRefusalFrom(error, `Session ${paths.id} cannot be written`);
    return openToRead(state, paths, because);
  }
}

/**
 * Whoever was stopped while it read may have lost the lease, and what another has acknowledged since stands where the
 * torn tail stood: nothing is cut off that was not read.
 */
async function refuseMoved(
  { id }: JournalPaths,
  lock: Lock,
  fd: number,
  { bytes }: Found,
): Promise<ConversationRefusal | undefined> {
  if (!(await lock.held())) return refuseHeldSession(id, anotherProcess);
  if (fstatSync(fd).size === bytes.length) return undefined;
  return refuse(
    "conflict",
    `Somebody else wrote into session ${id} while it was read; open it again to see what is there now.`,
  );
}

/** A session that was just made. @param bytes the size of its journal. */
export function startSession(
  { state, paths, lock, blobs }: StartedJournal,
  records: readonly JournalRecord[],
  bytes: number,
): JournalSession {
  const start = {
    fd: openDescriptor(paths.file, appendFlags),
    bytes,
    nextSeq: records.length + 1,
    durable: true,
  };
  const writer = new JournalWriter(paths, lock, blobs, start);
  const journal = { records, nextSeq: start.nextSeq };
  return new JournalSession({ paths, journal, problems: [], blobs, state }, writer);
}

interface StartedJournal {
  readonly state: StateFolder;
  readonly paths: JournalPaths;
  readonly lock: Lock;
  readonly blobs: JournalBlobs;
}

/** A session in a journal file. A writer holds its lease until `close`; readers hold nothing. */
export class JournalSession implements OpenSession {
  readonly kind = "session";
  readonly id: string;
  readonly mode: "write" | "read";
  private read: readonly JournalRecord[];
  readonly problems: readonly JournalProblem[];
  readonly lastSeq: number;
  declare readonly readOnlyBecause?: ConversationRefusal;
  private readonly blobs: JournalBlobs;
  private readonly state: StateFolder;
  private appended = 0;
  private closed = () => {};

  constructor(
    opened: Opened,
    private readonly writer: JournalWriter | undefined,
    because?: ConversationRefusal,
  ) {
    const { paths, journal, problems, blobs, state } = opened;
    this.state = state;
    this.id = paths.id;
    this.lastSeq = journal.nextSeq - 1;
    this.mode = writer === undefined ? "read" : "write";
    this.read = journal.records;
    this.problems = problems;
    this.blobs = blobs;
    if (because !== undefined) this.readOnlyBecause = because;
  }

  get records(): readonly JournalRecord[] {
    return this.read;
  }

  letGo(): void {
    this.read = [];
  }

  readonly readBlob = async (sha256: string) => this.blobs.read(sha256);

  get drops(): number {
    return this.writer?.drops ?? 0;
  }

  append(event: TimedEvent): number {
    if (this.writer !== undefined) return this.writer.append(event);
    this.appended += 1;
    return this.lastSeq + this.appended;
  }

  async flush(): Promise<Acknowledged | ConversationRefusal> {
    if (this.writer !== undefined) return this.writer.flush();
    this.appended = 0;
    return this.refuseWriting();
  }

  /** The journal takes its new lines in one step; the old one is kept beside it under another name. */
  async replace(events: readonly TimedEvent[]): Promise<ReplacedSession | ConversationRefusal> {
    if (this.writer === undefined) return this.refuseWriting();
    const lines = firstRecords(events).map((record) => encodeRecord(record, this.blobs.put));
    return this.writer.replace(this.state, Buffer.concat(lines));
  }

  async close(): Promise<void> {
    this.closed();
    await this.writer?.close();
  }

  private refuseWriting(): ConversationRefusal {
    return refuse("read_only", `Session ${this.id} was opened to be read; open it to be written.`);
  }

  onClosed(listener: () => void): void {
    this.closed = listener;
  }
}

interface Opened {
  readonly paths: JournalPaths;
  readonly state: StateFolder;
  readonly journal: Pick<ReadJournal, "records" | "nextSeq">;
  readonly problems: readonly JournalProblem[];
  readonly blobs: JournalBlobs;
}

interface Found {
  readonly journal: ReadJournal;
  readonly bytes: Uint8Array;
}

/** Reads a large journal in turns with the rest of the process. */
async function findJournal(paths: JournalPaths, blobs: JournalBlobs): Promise<Found | ConversationRefusal> {
  const bytes = await takeSlices(readWholeSlices(paths.file));
  if (bytes === undefined) return refuseUnknownSession(paths.id);
  const journal = await inTurns(readJournalInSteps(bytes, blobs.read, paths.id));
  const first = journal.records[0]?.event;
  if (first === undefined && refuseNewerSession(paths.id, journal.problems) === undefined)
    return refuse("not_a_session", `Nothing in ${paths.id}.jsonl can be read; the file is left as it is.`);
  if (first?.type === "session_started" && first.sessionId !== paths.id)
    return refuse(
      "not_a_session",
      `The file ${paths.id}.jsonl holds session ${first.sessionId}; give it its name back.`,
    );
  return { journal, bytes };
}

async function inTurns(reading: Advancing<ReadJournal>): Promise<ReadJournal> {
  const read = await takeAtPace(reading, async ({ done, of }) => {
    if (done < of) await nextTurn();
    return true;
  });
  if (read === "interrupted") throw new Error("the reading of a journal was ended, and nobody can");
  return read;
}

/** Whether the journal is as long as it was when it was read. */
function stillEnds(paths: JournalPaths, size: number): boolean {
  return statSync(paths.file, { throwIfNoEntry: false })?.size === size;
}

/** Throws the system's error; the journal is then as it was, or already repaired. */
function repair(
  state: StateFolder,
  paths: JournalPaths,
  fd: number,
  { journal, bytes }: Found,
): readonly JournalProblem[] {
  const { wholeBytes, terminated } = journal;
  if (bytes.length === wholeBytes && terminated) return [];
  let fate = "nothing was lost";
  if (bytes.length > wholeBytes) {
    const path = quarantineBytes(state, paths, bytes.subarray(wholeBytes));
    ftruncateSync(fd, wholeBytes);
    fate = `they were cut off and are kept in ${path}`;
  }
  if (!terminated) appendAll(fd, new Uint8Array([0x0a]));
  fdatasyncSync(fd);
  return [tornTail(journal, bytes, fate)];
}

function tornTail(
  { wholeBytes, lines, terminated }: ReadJournal,
  bytes: Uint8Array,
  fate: string,
): JournalProblem {
  const count = bytes.length - wholeBytes;
  const line = terminated ? lines + 1 : lines;
  const found = count === 0 ? "the line break is missing" : `${count} bytes are the half of a line`;
  return {
    line,
    what: "torn_tail",
    message: `Line ${line}: ${found}, as a kill or a power cut leaves them; ${fate}.`,
  };
}
