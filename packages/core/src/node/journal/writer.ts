import { fdatasync, fdatasyncSync, fstatSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { encodeRecord, PendingRecords } from "../../conversation/journal/index.js";
import {
  type Acknowledged,
  type ConversationRefusal,
  type ReplacedSession,
  refuseHeldSession,
  type TimedEvent,
} from "../../conversation/values/index.js";
import type { Lock } from "../../files/index.js";
import { refuse } from "../../files/values/index.js";
import {
  appendFlags,
  closeQuietly,
  codeOf,
  openDescriptor,
  quietly,
  syncFolder,
  withOpened,
} from "../disk/platform.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import {
  anotherProcess,
  type JournalBlobs,
  type JournalPaths,
  publishFile,
  quarantineBytes,
  readWhole,
} from "./paths.js";
import { storeRefusalFrom } from "./store-answers.js";

/** Where in a journal a writer begins. */
interface WriterStart {
  /** Opened for appending only. */
  readonly fd: number;
  /** The size of the journal: whole lines. */
  readonly bytes: number;
  readonly nextSeq: number;
  /** Whether all of that, and the name of the file, is known to be durable. */
  readonly durable: boolean;
}

/**
 * Appends to one journal under its lease. What is appended is put ahead a moment later, all of it in one
 * call; `flush` makes it durable. Whatever fails, the file is cut back to what was acknowledged, by a fresh
 * descriptor: one whose fdatasync failed says yes the next time although the bytes are lost. Until that is
 * done nothing more is written.
 */
export class JournalWriter {
  private readonly pending: PendingRecords<Uint8Array>;
  private fd: number | undefined;
  private writtenBytes: number;
  private durableBytes: number;
  private synced: boolean;
  /** Something failed, and the file may hold more than was acknowledged. */
  private unsettled = false;
  /** The half of a line is left that could not be cut off: the next one begins behind a line break. */
  private fenced = false;
  /** What every flush answers from here on. */
  private over: ConversationRefusal | undefined;
  private soon: NodeJS.Immediate | undefined;

  constructor(
    private readonly place: JournalPaths,
    private readonly lock: Lock,
    private readonly blobs: JournalBlobs,
    start: WriterStart,
  ) {
    this.fd = start.fd;
    this.writtenBytes = start.bytes;
    this.durableBytes = start.bytes;
    this.synced = start.durable;
    this.pending = new PendingRecords(start.nextSeq - 1, {
      prepare: (record) => encodeRecord(record, this.blobs.put),
      keep: async (lines) => (await this.underLease(() => this.writeLines(lines))) ?? (await this.sync()),
      keepAhead: (lines) => this.underLease(() => this.writeLines(lines)),
      dropped: () => this.blobs.drop(),
    });
  }

  /** How often a refused flush has dropped what was not acknowledged. */
  get drops(): number {
    return this.pending.drops;
  }

  append(event: TimedEvent): number {
    const seq = this.pending.append(event);
    this.soon ??= setImmediate(() => {
      this.soon = undefined;
      void this.pending.putAhead();
    });
    return seq;
  }

  async flush(): Promise<Acknowledged | ConversationRefusal> {
    flushing += 1;
    try {
      return await this.pending.flush();
    } finally {
      flushing -= 1;
    }
  }

  /**
   * Puts other lines in the place of the whole journal; what was there is kept in a file of its own. After a kill
   * at any moment the one or the other is there, whole. From then on nothing more is written here.
   */
  async replace(state: StateFolder, lines: Uint8Array): Promise<ReplacedSession | ConversationRefusal> {
    await this.pending.putAhead();
    let backup = "";
    const refusal = await this.underLease(() => {
      const old = readWhole(this.place.file);
      if (old?.length !== this.writtenBytes) return this.stop();
      backup = quarantineBytes(state, this.place, old, "damaged");
      this.blobs.write();
      // Before the step: from then on what was acknowledged here is no measure of what stands in the file.
      this.over = refuse("read_only", `Session ${this.place.id} was repaired; open it again to write.`);
      publishFile(state, this.place.file, lines);
      syncFolder(this.place.folder);
      return undefined;
    });
    return refusal ?? { kind: "replaced", backup };
  }

  async close(): Promise<void> {
    await this.pending.putAhead();
    clearImmediate(this.soon);
    // Without the lease nothing of the file is ours any more.
    if (this.unsettled && (await this.lookAtLease()) === undefined) this.settle();
    this.over ??= refuse("read_only", `Session ${this.place.id} was closed; open it again to write.`);
    // A flush may have a thread at work on the descriptor.
    await this.pending.idle();
    if (this.fd !== undefined) closeQuietly(this.fd);
    this.fd = undefined;
    await this.lock.release();
  }

  /** Does some writing, in one go, if the lease is still ours. @returns why nothing of it is kept. */
  private async underLease(
    work: () => ConversationRefusal | undefined,
  ): Promise<ConversationRefusal | undefined> {
    const refusal = await this.lookAtLease();
    if (refusal !== undefined) return refusal;
    try {
      return (this.unsettled ? this.settle() : undefined) ?? work();
    } catch (error) {
      return this.fail(error);
    }
  }

  private async lookAtLease(): Promise<ConversationRefusal | undefined> {
    if (this.over !== undefined) return this.over;
    try {
      if (!(await this.lock.held())) this.over ??= refuseHeldSession(this.place.id, anotherProcess);
      return this.over;
    } catch (error) {
      return this.fail(error, this.isUntouched());
    }
  }

  /** @param isOurs whether what stands in the file beyond what was acknowledged can only be our own. */
  private fail(error: unknown, isOurs = true): ConversationRefusal {
    const { id } = this.place;
    const what = `Nothing since the last save was kept in session ${id}`;
    const failure = storeRefusalFrom(error, what);
    this.unsettled = true;
    if (isOurs && this.over === undefined) this.settle();
    return failure;
  }

  private isUntouched(): boolean {
    try {
      return fstatSync(this.opened()).size === this.writtenBytes;
    } catch {
      return false;
    }
  }

  private writeLines(lines: readonly Uint8Array[]): ConversationRefusal | undefined {
    if (lines.length === 0) return undefined;
    const fd = this.opened();
    if (fstatSync(fd).size !== this.writtenBytes) return this.stop();
    this.blobs.write();
    const bytes = Buffer.concat(this.fenced ? [lineBreak, ...lines] : lines);
    appendAll(fd, bytes);
    this.fenced = false;
    this.writtenBytes += bytes.length;
    return undefined;
  }

  /**
   * Alone, it is done at once, so that nothing can come between the write and its acknowledgement. Several sessions
   * of a process are synced side by side, each on a thread: one after the other, each would wait for all. Nothing
   * else is written to this one meanwhile (`PendingRecords` lets one write run at a time), and nothing is
   * acknowledged under a lease that was lost meanwhile.
   */
  private async sync(): Promise<ConversationRefusal | undefined> {
    const { writtenBytes } = this;
    if (this.synced && this.durableBytes === writtenBytes) return undefined;
    const isAlone = flushing <= 1;
    try {
      if (isAlone) fdatasyncSync(this.opened());
      else await syncOnThread(this.opened());
      // Who made the session may have been killed before its name was durable.
      if (!this.synced) syncFolder(this.place.folder);
    } catch (error) {
      return this.fail(error);
    }
    this.synced = true;
    this.durableBytes = writtenBytes;
    return isAlone ? undefined : this.lookAtLease();
  }

  /** Somebody without the lease has written: what he wrote is not ours to judge. */
  private stop(): ConversationRefusal {
    this.over = refuse(
      "conflict",
      `Somebody else has written into session ${this.place.id}; open it again to see what is there now.`,
    );
    return this.over;
  }

  /** Cuts the file back to what was acknowledged. @returns why it cannot be written yet. */
  private settle(): ConversationRefusal | undefined {
    this.cutAtOnce();
    try {
      const fd = this.opened();
      const { size } = fstatSync(fd);
      if (size < this.durableBytes) return this.stop();
      if (size > this.durableBytes) this.cut(fd, size);
      fdatasyncSync(fd);
      this.writtenBytes = this.durableBytes;
      this.unsettled = false;
      return undefined;
    } catch (error) {
      const what = `What was left half written in session ${this.place.id} could not be cleared up`;
      return storeRefusalFrom(error, what);
    }
  }

  /** By the descriptor that is open still: perhaps the file cannot be opened again. */
  private cutAtOnce(): void {
    const { fd } = this;
    if (fd === undefined) return;
    this.fd = undefined;
    try {
      // A failure is answered for by a fresh writer, which tries it once more.
      quietly(() => this.isLonger(fd) && ftruncateSync(fd, this.durableBytes));
    } finally {
      closeQuietly(fd);
    }
  }

  /** Never in doubt: to cut a file that is shorter would lengthen it. */
  private isLonger(fd: number): boolean {
    try {
      return fstatSync(fd).size > this.durableBytes;
    } catch {
      return this.writtenBytes > this.durableBytes;
    }
  }

  private cut(fd: number, size: number): void {
    try {
      ftruncateSync(fd, this.durableBytes);
      this.fenced = false;
    } catch (error) {
      if (codeOf(error) === "" || !isHalfLine(this.place.file, this.durableBytes, size)) throw error;
      this.durableBytes = size;
      this.fenced = true;
    }
  }

  private opened(): number {
    this.fd ??= openDescriptor(this.place.file, appendFlags);
    return this.fd;
  }
}

const syncOnThread = promisify(fdatasync);
/** How many flushes of this process are under way. */
let flushing = 0;
const lineBreak = Buffer.from("\n");

/** `write` until everything is written: one call may write less than it was given. */
export function appendAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const count = writeOnce(fd, bytes, at);
    if (count === 0) throw Object.assign(new Error("nothing could be written"), { code: "EIO" });
    at += count;
  }
}

function writeOnce(fd: number, bytes: Uint8Array, at: number): number {
  for (;;) {
    try {
      return writeSync(fd, bytes, at);
    } catch (error) {
      if (codeOf(error) !== "EINTR") throw error;
    }
  }
}

/** Whether what stands behind the acknowledged bytes is no whole line, so that nobody takes it for a record. */
function isHalfLine(path: string, from: number, size: number): boolean {
  const bytes = Buffer.alloc(size - from);
  const read = withOpened(path, "r", (fd) => readSync(fd, bytes, 0, bytes.length, from));
  return read === bytes.length && !bytes.includes(lineBreak);
}
