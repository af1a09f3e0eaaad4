import type { ReplacedFile, Target } from "../values/disk.js";
import { DiskFault } from "../values/disk-fault.js";
import type { WorkspacePorts } from "../values/ports.js";

/** How many replaced files are kept open, and how much space they may take; the oldest are closed first. */
const limitFiles = 64;
const limitBytes = 64 * 1024 * 1024;
/** What is hashed once more when it leaves, although it was when its second was over. */
const smallBytes = 1024 * 1024;
/** Calls that follow each other more quickly share one look, but for that at the newest. */
const restMs = 50;
const newest = 8;
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
  /** It was hashed after its second. */
  sure: boolean;
  /** What was found and could not be kept yet. */
  pending?: Uint8Array | undefined;
}

/**
 * Files that were replaced and that other programs may still have open: their writes now go into a file
 * without a name. So these files are kept open and looked at again, with the next calls, and by their bytes after
 * a second and at the end; such a write is kept, recorded, and reported with the next answer.
 */
export class ReplacedFiles {
  private watched: WatchedFile[] = [];
  /** For which there is no room: the next look is their last. */
  private leaving: WatchedFile[] = [];
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
   * @param when `soon` is content with a look a moment ago; `end` is the last of all.
   */
  async look(when: "soon" | "now" | "end"): Promise<void> {
    // Without a rest: many calls in a row would leave many files open.
    if (this.leaving.length > 0) await this.lookLast(this.leaving.splice(0));
    if (this.watched.length === 0) return;
    const now = this.ports.clock.now();
    const isShared = when === "soon" && Math.abs(now - this.lookedAt) < restMs;
    if (!isShared) this.lookedAt = now;
    for (const watched of this.watched.slice(isShared ? -newest : 0)) {
      const isOver = when === "end" || (!watched.sure && now - watched.since >= graceMs);
      watched.sure ||= isOver;
      await this.lookAt(watched, isOver);
    }
  }

  private async lookAt(watched: WatchedFile, byHash: boolean): Promise<void> {
    const { file } = watched;
    const bytes = (byHash ? await file.changedByHash() : file.changed()) ?? watched.pending;
    if (bytes !== undefined) await this.keepFound(watched, bytes);
  }

  private async lookLast(leaving: readonly WatchedFile[]): Promise<void> {
    try {
      for (const watched of leaving) {
        await this.lookAt(watched, !watched.sure || watched.file.bytes <= smallBytes);
        watched.file.close();
        if (watched.pending !== undefined) this.leaving.push(watched);
      }
    } finally {
      for (const { file } of leaving) file.close();
    }
  }

  /** A disk that fails now may keep it at the next look; the call that looked has nothing to do with it. */
  private async keepFound(watched: WatchedFile, bytes: Uint8Array): Promise<void> {
    const { target, before } = watched;
    // Not while it is being kept: a look of another call would tell of it, too.
    watched.pending = undefined;
    try {
      this.notices.push(await this.keep({ target, before, bytes }));
    } catch (error) {
      watched.pending = bytes;
      if (!(error instanceof DiskFault)) throw error;
    }
  }

  /** The last look; closes all files. */
  async end(): Promise<void> {
    try {
      await this.look("end");
    } finally {
      for (const { file } of [...this.leaving.splice(0), ...this.watched.splice(0)]) file.close();
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
      this.leaving.push(oldest);
    }
  }
}
