import type { SessionKnowledge } from "../seen/session-knowledge.js";
import type { Corrector, EditApplier } from "../values/edit-models.js";
import type { Guards } from "../values/guards.js";
import type { WorkspacePorts } from "../values/ports.js";
import type { Arrivals, KeyedMutex } from "./keyed-mutex.js";
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
export interface Models {
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
