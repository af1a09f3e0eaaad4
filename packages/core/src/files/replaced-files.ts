import type { ReplacedFile, Target } from "./disk.js";
import { DiskFault } from "./disk-fault.js";
import type { WorkspacePorts } from "./ports.js";

/** How many replaced files are kept open, and how much space they may take; the oldest are closed first. */
const limitFiles = 64;
const limitBytes = 64 * 1024 * 1024;
/** What is read whole in one go at most when it is closed for want of room. */
const atOnceBytes = 8 * 1024 * 1024;
/** Calls that follow each other more quickly share one look. */
const restMs = 50;
/** After so long the replaced files are looked at even if nobody calls. */
const graceMs = 1_000;

/** Bytes that another program wrote into a file that had been replaced. */
export interface DisplacedWrite {
  readonly target: Pick<Target, "realPath" | "relativePath">;
  /** The hash of what the file held when it was replaced. */
  readonly before: string;
  readonly bytes: Uint8Array;
}

interface WatchedFile {
  readonly target: Pick<Target, "realPath" | "relativePath">;
  /** What the file held when it was replaced. */
  readonly before: string;
  readonly file: ReplacedFile;
  readonly since: number;
  sure: boolean;
  /** What was found and could not be kept yet. */
  pending?: Uint8Array | undefined;
}

/**
 * Files that were replaced and that other programs may still have open: their writes now go into a file
 * without a name. So these files are kept open and looked at again, with the next calls, after a second and
 * at the end; such a write is kept, recorded, and reported with the next answer.
 */
export class ReplacedFiles {
  private watched: WatchedFile[] = [];
  /** Found in files that were closed for want of room, for the next look. */
  private found: WatchedFile[] = [];
  private notices: string[] = [];
  private lookedAt = Number.NEGATIVE_INFINITY;
  private waits = false;

  /** @param keep keeps and records what was found. @returns the sentence that reports it. */
  constructor(
    private readonly ports: Pick<WorkspacePorts, "clock" | "later">,
    private readonly keep: (found: DisplacedWrite) => Promise<string>,
  ) {}

  /** @param before the hash of what the file held. */
  watch(target: WatchedFile["target"], before: string, file: ReplacedFile): void {
    const { realPath, relativePath } = target;
    const since = this.ports.clock.now();
    this.watched.push({ target: { realPath, relativePath }, before, file: file, since, sure: false });
    this.makeRoom();
    if (this.waits || this.ports.later === undefined) return;
    this.waits = true;
    this.ports.later(graceMs, async () => {
      this.waits = false;
      await this.look("now");
    });
  }

  /**
   * Looks whether anything was written. Must not be called by who holds a lock.
   *
   * @param when `soon` is content with a look a moment ago; `end` trusts no young time stamp.
   */
  async look(when: "soon" | "now" | "end"): Promise<void> {
    if (this.watched.length + this.found.length === 0) return;
    const now = this.ports.clock.now();
    if (when === "soon" && Math.abs(now - this.lookedAt) < restMs) return;
    this.lookedAt = now;
    for (const closed of this.found.splice(0)) {
      if (closed.pending !== undefined) await this.keepFound(closed, closed.pending);
      if (closed.pending !== undefined) this.found.push(closed);
    }
    for (const watched of [...this.watched]) {
      const isOver = when === "end" || (!watched.sure && now - watched.since >= graceMs);
      const bytes = watched.file.changed(isOver ? "sure" : undefined) ?? watched.pending;
      watched.sure ||= isOver;
      if (bytes !== undefined) await this.keepFound(watched, bytes);
    }
  }

  /** A disk that fails now may keep it at the next look; the call that looked has nothing to do with it. */
  private async keepFound(watched: WatchedFile, bytes: Uint8Array): Promise<void> {
    const { target, before } = watched;
    watched.pending = bytes;
    try {
      const words = await this.keep({ target, before, bytes });
      watched.pending = undefined;
      this.notices.push(words);
    } catch (error) {
      if (!(error instanceof DiskFault)) throw error;
    }
  }

  /** The last look; closes all files. */
  async end(): Promise<void> {
    try {
      await this.look("end");
    } finally {
      for (const { file } of this.watched.splice(0)) file.close();
    }
  }

  /** The sentences for the next answer, each given once; "" if there are none. */
  takeNotices(): string {
    return this.notices.splice(0).join("\n");
  }

  private makeRoom(): void {
    let bytes = this.watched.reduce((sum, { file }) => sum + file.bytes, 0);
    // The newest stays, whatever its size: it is the one that somebody may have open.
    while (this.watched.length > 1 && (this.watched.length > limitFiles || bytes > limitBytes)) {
      const [oldest] = this.watched.splice(0, 1);
      if (oldest === undefined) return;
      bytes -= oldest.file.bytes;
      this.closeWithLook(oldest);
    }
  }

  /** A large file is read only if its time stamp moved: this is in the middle of a call. */
  private closeWithLook(watched: WatchedFile): void {
    const { file } = watched;
    const bytes = file.changed(file.bytes <= atOnceBytes ? "sure" : undefined) ?? watched.pending;
    file.close();
    if (bytes !== undefined) this.found.push({ ...watched, pending: bytes });
  }
}
