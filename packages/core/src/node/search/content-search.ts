import { availableParallelism } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { type ContentJob, type ContentSearch, type Target, unreadableFile } from "../../files/index.js";
import { type FileFindings, isRefusal } from "../../files/values/index.js";
import { folderOf, type OpenFolder } from "../commit/disk-target.js";
import { canWalkByHandle } from "../disk/platform.js";
import { startThread, threadFile } from "../disk/start-thread.js";
import { byteFilter } from "./byte-filter.js";
import { FileScanner } from "./file-scanner.js";
import type { FolderToScan, FoundInFile, WorkerAnswer, WorkerMessage } from "./worker-messages.js";

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
/**
 * So long is searched here before threads are started: a server that is warm has searched 7,000 files by then. In a process that
 * begins, two threads take 150 ms of processor time until they run as fast as this one.
 */
const aloneMs = 100;
const filesPerMessage = 48;

/** Looked for once; null where it is not there. */
let workerFile: URL | null | undefined;

function fileOfThread(): URL | null {
  workerFile ??= threadFile("./search-worker.js", import.meta.url) ?? null;
  return workerFile;
}

/** Whether the file of the threads is where it should be: a bundler that does not know of it leaves it behind. */
function canStartThreads(): boolean {
  return fileOfThread() !== null;
}

/** How many threads search side by side: one for each processor, and few. */
function threadCount(): number {
  return Math.min(availableParallelism(), mostThreads);
}

const mostThreads = 4;

interface Waiting {
  readonly files: number;
  readonly answered: (found: readonly (FileFindings | undefined)[]) => void;
  readonly failed: () => void;
}

/**
 * A thread that searches files for one search at a time. It outlives the search for a moment, since the next one
 * usually follows soon, and never keeps a process from ending that has nothing else to do.
 */
class SearchThread {
  private static readonly idle: SearchThread[] = [];
  /** Files that it was handed and has not answered for. */
  files = 0;
  private hasStarted = false;
  private hasFailed = false;
  private isWanted = true;
  private nextId = 0;
  private readonly waiting = new Map<number, Waiting>();
  private rest: NodeJS.Timeout | undefined;

  private constructor(private readonly worker: Worker) {
    this.worker.on("message", (answer: WorkerAnswer) => this.hear(answer));
    this.worker.on("error", () => this.fail());
    this.worker.on("exit", () => this.fail());
  }

  /**
   * A thread for this job: one that rests, or a new one, which is ready in a moment.
   *
   * @returns undefined where there are no more threads to be had.
   */
  static take(job: ContentJob, until: number): SearchThread | undefined {
    const thread = SearchThread.idle.pop() ?? SearchThread.start();
    if (thread === undefined) return undefined;
    clearTimeout(thread.rest);
    thread.isWanted = true;
    thread.worker.ref();
    thread.post({ kind: "begin", job, until });
    return thread;
  }

  private static start(): SearchThread | undefined {
    const file = fileOfThread();
    const worker = file === null ? undefined : startThread(file, { name: "holdfast search" });
    return worker && new SearchThread(worker);
  }

  get isReady(): boolean {
    return this.hasStarted && !this.hasFailed;
  }

  /** Exactly one of the two is called. */
  scan(folders: readonly FolderToScan[], answered: Waiting["answered"], failed: Waiting["failed"]): void {
    const id = this.nextId++;
    const files = folders.reduce((sum, { names }) => sum + names.length, 0);
    this.waiting.set(id, { files, answered, failed });
    this.files += files;
    this.post({ kind: "scan", id, folders });
  }

  /** The search needs it no more; what it was handed it answers for before it takes another. */
  letGo(): void {
    this.isWanted = false;
    this.restIfDone();
  }

  private post(message: WorkerMessage): void {
    this.worker.postMessage(message);
  }

  private hear(answer: WorkerAnswer): void {
    if (answer.kind === "ready") {
      this.hasStarted = true;
      this.restIfDone();
      return;
    }
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    this.files -= waiting?.files ?? 0;
    waiting?.answered(answer.found.map(inFull));
    this.restIfDone();
  }

  private fail(): void {
    this.hasFailed = true;
    clearTimeout(this.rest);
    const at = SearchThread.idle.indexOf(this);
    if (at >= 0) SearchThread.idle.splice(at, 1);
    const left = [...this.waiting.values()];
    this.waiting.clear();
    for (const { failed } of left) failed();
  }

  private restIfDone(): void {
    if (this.isWanted || this.hasFailed || !this.hasStarted || this.waiting.size > 0) return;
    if (SearchThread.idle.includes(this)) return;
    SearchThread.idle.push(this);
    this.worker.unref();
    this.rest = setTimeout(() => void this.worker.terminate(), idleMs).unref();
  }
}

function inFull(found: FoundInFile): FileFindings | undefined {
  return typeof found === "number" ? { matches: [], lines: 0, bytes: found, longLines: 0 } : found;
}

const idleMs = 5_000;
