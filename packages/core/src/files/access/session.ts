import type { SessionKnowledge } from "../seen/session-knowledge.js";
import type { Corrector, EditApplier } from "../values/edit-models.js";
import type { Guards } from "../values/guards.js";
import type { WorkspacePorts } from "../values/ports.js";
import type { ReplacedFiles } from "./replaced-files.js";

/** Limits of a workspace; each can be set by the host. */
export interface Limits {
  /** A full read above this many bytes is refused with a hint to use a window; 256 KiB. */
  readonly fullReadBytes: number;
  /** What one window may hold, in bytes; 256 KiB. */
  readonly windowBytes: number;
  /** What one read of many files may hold together, in bytes; 1 MiB. */
  readonly manyReadBytes: number;
  /** The largest file that is handed on as bytes, such as an image; 16 MiB. */
  readonly mediaBytes: number;
  /** The largest file that is changed, in bytes; 64 MiB. */
  readonly changeBytes: number;
  /** The most lines of a file that is changed; 4 million. */
  readonly changeLines: number;
  /** The largest Markdown document of which a section is changed, in bytes: it is parsed as a whole; 1 MiB. */
  readonly sectionBytes: number;
  /** How long to wait for a lock, in milliseconds; 10 s. */
  readonly lockMs: number;
  /** How long a listing or a search may take, in milliseconds; 5 s. */
  readonly searchMs: number;
  /** What the lines that a search shows may hold together, in UTF-16 units; 48 Ki. */
  readonly searchUnits: number;
  /** How long the patch engine may think, in milliseconds; 5 s. */
  readonly patchMs: number;
  /** How long a change may take before its step, in milliseconds; beside it the engine has `patchMs`; 5 s. */
  readonly editMs: number;
}

/** The limits of a workspace whose host sets none. */
export const defaultLimits: Limits = {
  fullReadBytes: 256 * 1024,
  windowBytes: 256 * 1024,
  manyReadBytes: 1024 * 1024,
  mediaBytes: 16 * 1024 * 1024,
  changeBytes: 64 * 1024 * 1024,
  changeLines: 4_000_000,
  sectionBytes: 1024 * 1024,
  lockMs: 10_000,
  searchMs: 5_000,
  searchUnits: 48 * 1024,
  patchMs: 5_000,
  editMs: 5_000,
};

/** For how long states of secrets are kept: whole days, or not at all. */
export type KeepSecrets = number | "none";

/** Seven days. */
export const defaultKeepSecrets: KeepSecrets = 7;

/** What the host lets a model do within a change; nothing unless it says so. */
interface Models {
  readonly match: "exact" | "flexible";
  readonly corrector: Corrector | undefined;
  readonly applier: EditApplier | undefined;
}

/** What the parts of one workspace share. */
export interface Session {
  readonly id: string;
  readonly ports: WorkspacePorts;
  readonly limits: Limits;
  /** Of callers who bring no knowledge of their own. */
  readonly knowledge: SessionKnowledge;
  readonly versions: SessionStateService;
  /** The encodings that callers insisted on, by the hash of the state: later calls on it need not name them again. */
  readonly encodings: Map<string, string>;
  readonly mutex: KeyedMutex;
  readonly arrivals: Arrivals;
  readonly replacedFiles: ReplacedFiles;
  readonly guards: Guards;
  readonly models: Models;
  /** For how many days states of files that may hold secrets are kept, if at all. */
  readonly keepSecrets: KeepSecrets;
  /** Nothing is written by this session. */
  readonly readOnly: boolean;
  /** Whether a person has explicitly allowed writing this protected path (relative to its root). */
  readonly allowsProtected: (relativePath: string) => boolean;
}

/**
 * The session's counter of file states (seed 1, section 5.1). It only orders states for the model, "the
 * highest is the newest"; no check relies on it.
 */
export class SessionStateService {
  private versionCounter: number;

  /** @param resumedAt the last version of the session that goes on; 0 for a new one. */
  constructor(resumedAt = 0) {
    this.versionCounter = resumedAt;
  }

  /** Goes on from this version, where it has not come so far. */
  countOn(version: number): void {
    this.versionCounter = Math.max(this.versionCounter, version);
  }

  /** One step for each read or write of a file; the first value of a new session is 1. */
  getNextVersion(): number {
    this.versionCounter += 1;
    return this.versionCounter;
  }
}

/**
 * Mutual exclusion by key inside one process: first come, first served. A caller can ask for several keys at
 * once; it joins all their queues in one step, so that two callers never wait for each other. Those who
 * only look may share a key.
 */
export class KeyedMutex {
  private readonly queues = new Map<string, Waiter[]>();

  /**
   * Waits until no earlier caller holds or awaits one of the keys. The place in the queues is taken
   * before this returns.
   *
   * @returns what gives the keys back, to be called once; undefined where the signal was aborted before they
   *   were had: the caller then has left all queues.
   */
  acquire(
    keys: readonly string[],
    { shared = false, signal }: AcquireOptions = {},
  ): Promise<(() => void) | undefined> {
    if (signal?.aborted === true) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = () => {
        this.remove(waiter);
        resolve(undefined);
      };
      const waiter: Waiter = {
        keys: [...new Set(keys)],
        shared,
        isGranted: false,
        grant: () => {
          signal?.removeEventListener("abort", leave);
          resolve(() => this.remove(waiter));
        },
      };
      signal?.addEventListener("abort", leave);
      for (const key of waiter.keys) this.queues.set(key, [...(this.queues.get(key) ?? []), waiter]);
      this.grantIfFirst(waiter);
    });
  }

  /**
   * The same for one who would not wait: no signal, no timer.
   *
   * @returns what gives the keys back; undefined where somebody holds or awaits one of them.
   */
  acquireIfFree(keys: readonly string[]): (() => void) | undefined {
    if (keys.some((key) => this.queues.has(key))) return undefined;
    const waiter: Waiter = { keys: [...new Set(keys)], shared: false, isGranted: true, grant: () => {} };
    for (const key of waiter.keys) this.queues.set(key, [waiter]);
    return () => this.remove(waiter);
  }

  /** Does the work while the keys are held; undefined where the signal was aborted before. */
  async run<Result>(
    keys: readonly string[],
    work: () => Promise<Result>,
    options?: AcquireOptions,
  ): Promise<Result | undefined> {
    const release = await this.acquire(keys, options);
    if (release === undefined) return undefined;
    try {
      return await work();
    } finally {
      release();
    }
  }

  private grantIfFirst(waiter: Waiter): void {
    if (waiter.isGranted || waiter.keys.some((key) => this.isBlocked(key, waiter))) return;
    waiter.isGranted = true;
    waiter.grant();
  }

  private isBlocked(key: string, waiter: Waiter): boolean {
    for (const earlier of this.queues.get(key) ?? []) {
      if (earlier === waiter) return false;
      if (!(earlier.shared && waiter.shared)) return true;
    }
    return false;
  }

  private remove(waiter: Waiter): void {
    const next: Waiter[] = [];
    for (const key of waiter.keys) {
      const left = (this.queues.get(key) ?? []).filter((other) => other !== waiter);
      if (left.length === 0) this.queues.delete(key);
      else this.queues.set(key, left);
      next.push(...left);
    }
    for (const other of next) this.grantIfFirst(other);
  }
}

/** How a caller of `KeyedMutex` waits: alone or together with other readers, and until when. */
interface AcquireOptions {
  /** Others who share may hold the keys at the same time; false unless given. */
  readonly shared?: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly keys: readonly string[];
  readonly shared: boolean;
  isGranted: boolean;
  readonly grant: () => void;
}

/**
 * Keeps requests in the order of their arrival, although finding their targets takes each a different time: a
 * ticket is taken at once, and a request with its target waits until all earlier ones have theirs.
 */
export class Arrivals {
  private last: Promise<void> = Promise.resolve();

  /** To be taken synchronously with the request's arrival. */
  take(): Ticket {
    let done: () => void = () => {};
    const before = this.last;
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.last = Promise.all([before, mine]).then(() => {});
    return { turn: () => before, done };
  }
}

/** The place of one request in the order of arrival. */
export interface Ticket {
  /** Resolves when all earlier tickets are done. */
  turn(): Promise<void>;
  /** The request has joined all its queues, or never will. To be called in any case; twice does no harm. */
  done(): void;
}
