import { fstatSync, openSync } from "node:fs";
import {
  type ContentJob,
  compilePattern,
  FileScan,
  type ScanJob,
  unreadableFile,
} from "../../files/index.js";
import { type FileFindings, isRefusal } from "../../files/values/index.js";
import { openCharsets } from "../disk/charsets.js";
import { closeQuietly, codeOf, openFlags, readAt } from "../disk/platform.js";

/** Scans files one after the other: at once in a thread of its own, or in steps between which others have their turn. */
export class FileScanner {
  private readonly job: ScanJob;
  private readonly buffer = Buffer.allocUnsafeSlow(pieceBytes);

  /** @param until when the time is up, in milliseconds since the epoch. */
  constructor(
    job: ContentJob,
    mayHold: ((bytes: Uint8Array) => boolean) | undefined,
    private readonly until: number,
  ) {
    const pattern = compilePattern(job.pattern, job);
    if (isRefusal(pattern)) throw new Error(`the pattern was accepted before: ${pattern.message}`);
    const isGoingOn = () => Date.now() <= until;
    this.job = { ...job, pattern, mayHold, codec: openCharsets(), isGoingOn };
  }

  /** All steps at once. */
  scan(path: string): FileFindings | undefined {
    const steps = this.steps(path);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** A step for each piece of a file. @returns undefined where the time was up before the first. */
  *steps(path: string): ScanSteps<FileFindings | undefined> {
    if (Date.now() > this.until) return undefined;
    try {
      const fd = openSync(path, openFlags.read);
      try {
        return yield* this.opened(fd);
      } finally {
        closeQuietly(fd);
      }
    } catch (error) {
      if (codeOf(error) === "") throw error;
      return unreadableFile;
    }
  }

  private *opened(fd: number): ScanSteps<FileFindings> {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return unreadableFile;
    const scan = new FileScan(this.job);
    // Files of /proc say that they are empty and are not. It stops at the size that the file has now.
    const endBytes = stat.size === 0 ? pieceBytes : stat.size;
    for (let at = 0; at < endBytes; ) {
      const count = readAt(fd, this.buffer, 0, Math.min(pieceBytes, endBytes - at), at);
      if (count === 0) break;
      at += count;
      if (!scan.take(this.buffer.subarray(0, count), endBytes <= pieceBytes)) break;
      if (at < endBytes) yield;
    }
    return scan.end();
  }
}

type ScanSteps<Result> = Generator<undefined, Result, undefined>;

const pieceBytes = 1024 * 1024;
