import type { SectionAnswer, SectionJob, Unpacking } from "../../patch/index.js";
import type { CharsetCodec } from "../../text/index.js";
import type { Disk, Target } from "./disk.js";
import type { FileFindings, SearchOutput } from "./findings.js";
import type { Refusal } from "./refusal.js";
import type { BlobStore, ChangeSets, HistoryStore, SecretStore } from "./stores.js";

/**
 * What the workspace needs from the world. `node/` implements these on a real machine, `test/memory-disk.ts` in memory for
 * tests. An implementation answers an expected failure with a `Refusal`; it throws only for bugs and broken disks.
 */
export interface WorkspacePorts {
  readonly disk: Disk;
  readonly locks: Locks;
  readonly blobs: BlobStore;
  readonly secrets: SecretStore;
  readonly history: HistoryStore;
  /** Whether another program's own tool is known to have made this state of the file with this real path. */
  readonly hostWrote?: (realPath: string, sha256: string) => boolean;
  readonly changeSets: ChangeSets;
  readonly codec: CharsetCodec;
  readonly clock: Clock;
  /** SHA-256 of the bytes, as 64 lower-case hex digits. */
  readonly digest: (bytes: Uint8Array) => string;
  /** Whether git gives this content a name that begins so; without it no name is held against bytes. */
  readonly isGitBlob?: (bytes: Uint8Array, id: string) => boolean;
  /** As `Unpacking.inflate`; without it what git packed is refused. */
  readonly inflate?: Unpacking["inflate"];
  /** A fresh unguessable id of at least 16 characters from [a-z0-9]. */
  readonly newId: () => string;
  /**
   * Resolves once whatever else the process has to do had its turn; work on large files waits for it every 10 ms.
   * Without it such work is done at once.
   */
  readonly nextTurn?: () => Promise<void>;
  /**
   * Makes sure that a part of the program is there that is loaded when it is first needed. Without it the part is loaded
   * as it is needed.
   *
   * @returns `busy` where it cannot be loaded now, for want of descriptors.
   */
  readonly load?: (part: LatePart) => Promise<Refusal | undefined>;
  /**
   * Opens a search of the content of many files, which may have threads of its own; without it, files are searched
   * one after the other.
   */
  readonly searchContent?: (job: ContentJob) => Promise<ContentSearch>;
  /** Parses large Markdown documents beside this thread; here, at once, without it. */
  readonly sections?: SectionWorker;
  /** Does something once, later, unless the process ends before: it is never waited for. */
  readonly later?: (delayMs: number, work: () => Promise<void>) => void;
}

/** What is loaded when it is first needed: it is larger than all that others need. */
export type LatePart = "search" | "globs" | "sections";

/** What the content of files is searched for: plain values, that another thread can be handed. */
export interface ContentJob {
  /** As `SearchRequest` has them; accepted by `compilePattern`. */
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
  readonly context: number;
  readonly output: SearchOutput;
  readonly limit: number;
  readonly units: number;
  /** How long it may take from now on, in milliseconds. */
  readonly limitMs: number;
}

/** A search of the content of many files. */
export interface ContentSearch {
  /**
   * Searches files of one folder, links not followed. What is not begun waits for more to come, until `flush`.
   *
   * @returns for each name what was found, in their order; undefined where the time was up before.
   */
  search(folder: Target, names: readonly string[]): Promise<readonly (FileFindings | undefined)[]>;
  flush(): void;
  /** Nothing more is asked, and nothing that is still searched is wanted. */
  close(): void;
}

/** Carries the work on sections out where it holds up nobody else. */
export interface SectionWorker {
  /** @returns `late` where it was not done within so many milliseconds, and ended; `busy` where it cannot begin now. */
  ask(job: SectionJob, limitMs: number): Promise<SectionAnswer | "late" | Refusal>;
}

/** The time of day, for records and time limits only. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * One lock a key, in this process and between the processes of one user and state folder. A key is a real
 * path, or names a file by its device and inode.
 */
export interface Locks {
  /** Waits at most `limitMs`, then refuses with `busy`, naming the holder where it is known. */
  acquire(realPath: string, limitMs: number): Promise<Lock | Refusal>;
}

/**
 * A lock that was got. A holder that was stopped for long can lose it, so it is asked once more before the step.
 */
export interface Lock {
  readonly kind: "lock";
  /** Whether the lock is still ours; asked right before the rename. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}
