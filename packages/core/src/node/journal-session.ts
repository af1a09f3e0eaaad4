import { fdatasyncSync, fstatSync, ftruncateSync, openSync, statSync } from "node:fs";
import {
  type Acknowledged,
  type ConversationRefusal,
  type JournalProblem,
  type JournalRecord,
  type OpenSession,
  type ReadJournal,
  readJournal,
  refuseTurn,
  refuseUnknownSession,
  type TimedEvent,
} from "../conversation/index.js";
import type { Lock } from "../files/index.js";
import { JournalBlobs } from "./journal-blobs.js";
import { leaseHolder } from "./journal-lease.js";
import { type JournalPlace, keepAside, readWhole } from "./journal-place.js";
import { appendAll, JournalWriter } from "./journal-writer.js";
import { appendFlags, closeQuietly } from "./platform.js";
import type { StateFolder } from "./state-folder.js";
import { refuseStore } from "./store-answers.js";

/** Opens a journal without touching anything. @param because why it is not opened to be written, as was asked. */
export function openToRead(
  state: StateFolder,
  place: JournalPlace,
  because?: ConversationRefusal,
): JournalSession | ConversationRefusal {
  const blobs = new JournalBlobs(state, place);
  const found = findJournal(place, blobs);
  if (!("journal" in found)) return found;
  const { journal, bytes } = found;
  const tail = bytes.length > journal.wholeBytes || !journal.terminated;
  // Of a writer that is at it, half a line is no damage.
  const torn = tail && leaseHolder(state, place) === undefined && stillEnds(place, bytes.length);
  const problems = torn
    ? [...journal.problems, tornTail(journal, bytes, "it was left where it is")]
    : journal.problems;
  return new JournalSession({ place, journal, problems }, undefined, because);
}

/**
 * Opens a journal under its lease and cuts a torn tail off, which is kept beside it.
 *
 * @returns a session to be read where it cannot be written; the lease is then not used.
 */
export function openToWrite(
  state: StateFolder,
  place: JournalPlace,
  lock: Lock,
): JournalSession | ConversationRefusal {
  const blobs = new JournalBlobs(state, place);
  const found = findJournal(place, blobs);
  if (!("journal" in found)) return found;
  const { journal } = found;
  const newer = newerThanUs(place.id, journal);
  if (newer !== undefined) return openToRead(state, place, newer);
  let fd: number | undefined;
  try {
    fd = openSync(place.file, appendFlags);
    const problems = [...journal.problems, ...repair(state, place, fd, found)];
    const start = { fd, bytes: fstatSync(fd).size, nextSeq: journal.nextSeq, durable: false };
    const writer = new JournalWriter(place, lock, blobs, start);
    return new JournalSession({ place, journal, problems }, writer);
  } catch (error) {
    if (fd !== undefined) closeQuietly(fd);
    return openToRead(state, place, refuseStore(error, `Session ${place.id} cannot be written`));
  }
}

/** A session that was just made. */
export function startSession(
  place: JournalPlace,
  lock: Lock,
  blobs: JournalBlobs,
  records: readonly JournalRecord[],
  bytes: number,
): JournalSession {
  const start = { fd: openSync(place.file, appendFlags), bytes, nextSeq: records.length + 1, durable: true };
  const writer = new JournalWriter(place, lock, blobs, start);
  return new JournalSession({ place, journal: { records }, problems: [] }, writer);
}

export class JournalSession implements OpenSession {
  readonly kind = "session";
  readonly id: string;
  readonly mode: "write" | "read";
  readonly records: readonly JournalRecord[];
  readonly problems: readonly JournalProblem[];
  declare readonly readOnlyBecause?: ConversationRefusal;
  private appended = 0;
  private closed = () => {};

  constructor(
    { place, journal, problems }: Opened,
    private readonly writer: JournalWriter | undefined,
    because?: ConversationRefusal,
  ) {
    this.id = place.id;
    this.mode = writer === undefined ? "read" : "write";
    this.records = journal.records;
    this.problems = problems;
    if (because !== undefined) this.readOnlyBecause = because;
  }

  get drops(): number {
    return this.writer?.drops ?? 0;
  }

  append(event: TimedEvent): number {
    if (this.writer !== undefined) return this.writer.append(event);
    this.appended += 1;
    return (this.records.at(-1)?.seq ?? 0) + this.appended;
  }

  async flush(): Promise<Acknowledged | ConversationRefusal> {
    if (this.writer !== undefined) return this.writer.flush();
    this.appended = 0;
    return refuseTurn("read_only", `Session ${this.id} was opened to be read; open it to be written.`);
  }

  async close(): Promise<void> {
    this.closed();
    await this.writer?.close();
  }

  onClosed(told: () => void): void {
    this.closed = told;
  }
}

interface Opened {
  readonly place: JournalPlace;
  readonly journal: Pick<ReadJournal, "records">;
  readonly problems: readonly JournalProblem[];
}

interface Found {
  readonly journal: ReadJournal;
  readonly bytes: Uint8Array;
}

function findJournal(place: JournalPlace, blobs: JournalBlobs): Found | ConversationRefusal {
  const bytes = readWhole(place.file);
  if (bytes === undefined) return refuseUnknownSession(place.id);
  const journal = readJournal(bytes, blobs.read);
  const first = journal.records[0]?.event;
  if (first === undefined && newerThanUs(place.id, journal) === undefined)
    return refuseTurn(
      "not_a_session",
      `Nothing in ${place.id}.jsonl can be read; the file is left as it is.`,
    );
  if (first?.type === "session_started" && first.sessionId !== place.id)
    return refuseTurn(
      "not_a_session",
      `The file ${place.id}.jsonl holds session ${first.sessionId}; give it its name back.`,
    );
  return { journal, bytes };
}

function newerThanUs(id: string, { problems }: ReadJournal): ConversationRefusal | undefined {
  const newer = problems.find(({ what }) => what === "newer_version" || what === "unknown_event");
  return (
    newer &&
    refuseTurn(
      "newer_version",
      `Session ${id} was written by a newer release: ${newer.message} Update to write it.`,
    )
  );
}

/** Whether the journal is as long as it was when it was read. */
function stillEnds(place: JournalPlace, size: number): boolean {
  return statSync(place.file, { throwIfNoEntry: false })?.size === size;
}

/** Throws the system's error; the journal is then as it was, or already repaired. */
function repair(
  state: StateFolder,
  place: JournalPlace,
  fd: number,
  { journal, bytes }: Found,
): readonly JournalProblem[] {
  const { wholeBytes, terminated } = journal;
  if (bytes.length === wholeBytes && terminated) return [];
  let fate = "nothing was lost";
  if (bytes.length > wholeBytes) {
    const path = keepAside(state, place, bytes.subarray(wholeBytes));
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
