import { DiskFault } from "./disk-fault.js";
import type { Held, Place, WorkspacePorts } from "./ports.js";

/** So many replaced files are held open, and so much space they may take; the oldest are let go first. */
const limitFiles = 64;
const limitBytes = 64 * 1024 * 1024;
/** Calls that follow each other more quickly share one look. */
const restMs = 50;
/** After so long the replaced files are looked at even if nobody calls. */
const graceMs = 1_000;

/** What somebody wrote into a file that had been replaced. */
export interface DisplacedWrite {
  readonly place: Pick<Place, "realPath" | "relativePath">;
  /** The hash of what the file held when it was replaced. */
  readonly before: string;
  readonly bytes: Uint8Array;
}

interface Watched {
  readonly place: Pick<Place, "realPath" | "relativePath">;
  /** What the file held when it was replaced. */
  readonly before: string;
  readonly held: Held;
  readonly since: number;
  sure: boolean;
  /** What was found and could not be kept yet. */
  pending?: Uint8Array | undefined;
}

/**
 * Files that were replaced and that other programs may still have open: what they write now goes into a
 * file without a name. So these files are held and looked at again, at the next calls, after a second and
 * at the end; what is found is kept, recorded, and said with the next answer.
 */
export class HeldFiles {
  private watched: Watched[] = [];
  private found: string[] = [];
  private lookedAt = Number.NEGATIVE_INFINITY;
  private waits = false;

  /** @param keep keeps and records what was found; gives the sentence that tells of it. */
  constructor(
    private readonly ports: Pick<WorkspacePorts, "clock" | "later">,
    private readonly keep: (found: DisplacedWrite) => Promise<string>,
  ) {}

  /** @param before the hash of what the file held. */
  hold(place: Watched["place"], before: string, held: Held): void {
    const { realPath, relativePath } = place;
    const since = this.ports.clock.now();
    this.watched.push({ place: { realPath, relativePath }, before, held, since, sure: false });
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
    if (this.watched.length === 0) return;
    const now = this.ports.clock.now();
    if (when === "soon" && Math.abs(now - this.lookedAt) < restMs) return;
    this.lookedAt = now;
    for (const watched of [...this.watched]) {
      const isOver = when === "end" || (!watched.sure && now - watched.since >= graceMs);
      const bytes = watched.held.changed(isOver ? "sure" : undefined) ?? watched.pending;
      watched.sure ||= isOver;
      if (bytes !== undefined) await this.keepFound(watched, bytes);
    }
  }

  /** A disk that fails now may keep it at the next look; the call that looked has nothing to do with it. */
  private async keepFound(watched: Watched, bytes: Uint8Array): Promise<void> {
    const { place, before } = watched;
    watched.pending = bytes;
    try {
      const words = await this.keep({ place, before, bytes });
      watched.pending = undefined;
      this.found.push(words);
    } catch (error) {
      if (!(error instanceof DiskFault)) throw error;
    }
  }

  /** The last look; nothing is held after it. */
  async end(): Promise<void> {
    try {
      await this.look("end");
    } finally {
      for (const { held } of this.watched.splice(0)) held.close();
    }
  }

  /** What is to be said with the next answer, once; "" where there is nothing. */
  takeWords(): string {
    return this.found.splice(0).join("\n");
  }

  private makeRoom(): void {
    let bytes = this.watched.reduce((sum, { held }) => sum + held.bytes, 0);
    // The newest stays, whatever its size: it is the one that somebody may have open.
    while (this.watched.length > 1 && (this.watched.length > limitFiles || bytes > limitBytes)) {
      const [oldest] = this.watched.splice(0, 1);
      bytes -= oldest?.held.bytes ?? 0;
      oldest?.held.close();
    }
  }
}
