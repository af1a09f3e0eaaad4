import { setImmediate as nextTurn } from "node:timers/promises";
import { type ContentJob, type ContentSearch, type Target, unreadableFile } from "../../files/index.js";
import { type FileFindings, isRefusal } from "../../files/values/index.js";
import { folderOf, type OpenFolder } from "../commit/disk-target.js";
import { canWalkByHandle } from "../disk/platform.js";
import { byteFilter } from "./byte-filter.js";
import { FileScanner } from "./file-scanner.js";
import { canStartThreads, SearchThread, threadCount } from "./search-thread.js";

/**
 * Searches the content of files: the first of them here, in slices, and where it takes longer in threads beside
 * this one, so that a small search does not pay for their start.
 */
export function searchContent(job: ContentJob): ContentSearch {
  return new ContentScan(job);
}

/** Files of one folder that wait for their turn. */
interface SearchBatch {
  readonly folder: OpenFolder;
  readonly names: readonly string[];
  readonly resolve: (found: readonly (FileFindings | undefined)[]) => void;
  readonly reject: (error: unknown) => void;
}

class ContentScan implements ContentSearch {
  private readonly until: number;
  private readonly scanner: FileScanner;
  /** What is searched here, one batch after the other. */
  private here: Promise<void> = Promise.resolve();
  private spentMs = 0;
  private rested = performance.now();
  private threads: readonly SearchThread[] | undefined;
  /** For the threads, not yet sent. */
  private waiting: SearchBatch[] = [];
  private waitingFiles = 0;
  private isFlushed = false;
  private isClosed = false;

  constructor(private readonly job: ContentJob) {
    this.until = Date.now() + job.limitMs;
    this.scanner = new FileScanner(job, byteFilter(job), this.until);
  }

  search(folder: Target, names: readonly string[]): Promise<readonly (FileFindings | undefined)[]> {
    // At once, since the target may be closed once this has returned.
    const opened = folderOf(folder);
    if (isRefusal(opened)) return Promise.resolve(names.map(() => unreadableFile));
    return new Promise((resolve, reject) => {
      const batch: SearchBatch = { folder: opened, names, resolve, reject };
      this.here = this.here.then(() => this.begin(batch));
    });
  }

  flush(): void {
    this.isFlushed = true;
    this.send();
  }

  close(): void {
    this.isClosed = true;
    for (const batch of this.waiting.splice(0)) finish(batch, []);
    for (const thread of this.threads ?? []) thread.letGo();
  }

  private async begin(batch: SearchBatch): Promise<void> {
    if (this.isClosed) return finish(batch, []);
    if (!this.threads?.some(({ isReady }) => isReady)) return this.scanHere(batch);
    this.waiting.push(batch);
    this.waitingFiles += batch.names.length;
    if (this.isFlushed || this.waitingFiles >= filesPerMessage) this.send();
  }

  private async scanHere(batch: SearchBatch): Promise<void> {
    const found: (FileFindings | undefined)[] = [];
    try {
      for (const name of batch.names)
        found.push(this.isClosed ? undefined : await this.scanInTurns(batch.folder.folder.at(name)));
    } catch (error) {
      batch.folder.close();
      batch.reject(error);
      return;
    }
    finish(batch, found);
    if (this.spentMs >= aloneMs && !this.isClosed) this.startThreads();
  }

  private async scanInTurns(path: string): Promise<FileFindings | undefined> {
    const steps = this.scanner.steps(path);
    for (;;) {
      const begun = performance.now();
      const step = steps.next();
      const now = performance.now();
      this.spentMs += now - begun;
      if (now - this.rested >= sliceMs) {
        await nextTurn();
        this.rested = performance.now();
      }
      if (step.done === true) return step.value;
    }
  }

  private startThreads(): void {
    if (this.threads !== undefined) return;
    const isPossible = canWalkByHandle() && canStartThreads();
    const wanted = isPossible ? threadCount() : 0;
    // With fewer, or none, the rest is searched here.
    this.threads = Array.from({ length: wanted }, () => SearchThread.take(this.job, this.until)).filter(
      (thread) => thread !== undefined,
    );
  }

  /** To the thread with the least to do; where it fails, the files are searched here. */
  private send(): void {
    const batches = this.waiting.splice(0);
    this.waitingFiles = 0;
    if (batches.length === 0) return;
    const [thread] = (this.threads ?? [])
      .filter(({ isReady }) => isReady)
      .sort((one, other) => one.files - other.files);
    const folders = batches.map(({ folder, names }) => ({ path: folder.folder.at(""), names }));
    const answered = (found: readonly (FileFindings | undefined)[]) => {
      let from = 0;
      for (const batch of batches) {
        finish(batch, found.slice(from, from + batch.names.length));
        from += batch.names.length;
      }
    };
    const failed = () => {
      for (const batch of batches) this.here = this.here.then(() => this.begin(batch));
    };
    if (thread === undefined) failed();
    else thread.scan(folders, answered, failed);
  }
}

function finish(batch: SearchBatch, found: readonly (FileFindings | undefined)[]): void {
  batch.folder.close();
  batch.resolve(found);
}

/** As long as others may wait for their turn. */
const sliceMs = 10;
/** So long is searched here before threads are started: about what their start takes. */
const aloneMs = 40;
const filesPerMessage = 48;
