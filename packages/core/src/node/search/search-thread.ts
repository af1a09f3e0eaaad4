import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import type { ContentJob } from "../../files/index.js";
import type { FileFindings } from "../../files/values/index.js";
import { startThread, threadFile } from "../disk/start-thread.js";
import type { FolderToScan, FoundInFile, WorkerAnswer, WorkerMessage } from "./worker-messages.js";

/** Looked for once; null where it is not there. */
let workerFile: URL | null | undefined;

function fileOfThread(): URL | null {
  workerFile ??= threadFile("./search-worker.js", import.meta.url) ?? null;
  return workerFile;
}

/** Whether the file of the threads is where it should be: a bundler that does not know of it leaves it behind. */
export function canStartThreads(): boolean {
  return fileOfThread() !== null;
}

/** How many threads search side by side: one for each processor, and few. */
export function threadCount(): number {
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
export class SearchThread {
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
