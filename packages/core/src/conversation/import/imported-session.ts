import type { Digest } from "../values/file-content.js";
import type { IdSource } from "../values/ids.js";
import type { TimedEvent } from "../values/store.js";
import type { FoldedLines } from "./folded-lines.js";
import type { ImportProblem } from "./lines.js";

/** How a foreign session becomes one of ours. */
export interface ImportOptions {
  /** What it was read from, for `origin`. */
  readonly from: string;
  readonly newId: IdSource;
  /** Milliseconds since the epoch, for what bears no time. */
  readonly now: number;
  /** The id under which a session of another program is imported, so that it is known again; a new one unless given. */
  readonly idOf?: (source: SourceSession) => string;
  /** The folder in which it worked, where the file does not say. */
  readonly cwd?: string;
  /** Proves the texts of whole files; without one, no text of a file is believed. */
  readonly digest?: Digest;
  /** Files that belong to the session, such as those of its subagents. */
  readonly beside?: readonly BesideFile[];
  /** Lines that the caller did not read, because they were too long. */
  readonly unread?: readonly UnreadLine[];
  /** Changes nothing any more: what is damaged is kept and told without it. */
  readonly repair?: boolean;
}

/** Which session of which program something is. */
export interface SourceSession {
  /** The name of the program, as its importer has it. */
  readonly format: string;
  /** Its id there. */
  readonly sourceId: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

/** A file that belongs to a session. */
export interface BesideFile {
  /** Its name, for messages and for what it says of its content. */
  readonly name: string;
  readonly text: string;
}

/** A line in whose place the text has an empty one. */
export interface UnreadLine {
  /** 1-based. */
  readonly line: number;
  readonly bytes: number;
}

/** A session that was read from a file; nothing is stored yet. */
export interface ImportedSession {
  readonly kind: "imported";
  /** `holdfast`, or the name of another program. */
  readonly format: string;
  readonly sessionId: string;
  readonly title: string | undefined;
  /** What to create the session with: the first one is `session_started`. */
  readonly events: readonly TimedEvent[];
  readonly nodes: number;
  /** Lines that are no turns and not in the tree, by kind. */
  readonly folded: readonly FoldedLines[];
  /** Everything that is not as it was in the file, by line. */
  readonly problems: readonly ImportProblem[];
}
