import type { Pace } from "../../text/index.js";
import type { ConversationEvent, JournalRecord } from "./event.js";
import type { ConversationContext } from "./node.js";
import type { ConversationRefusal } from "./refusal.js";

/**
 * Where sessions live. Three implementations pass one conformance suite: memory, journal files,
 * PostgreSQL. What an implementation keeps is records; what they mean is the fold's.
 */
export interface SessionStore {
  /**
   * Makes a session of these first events (the first is `session_started`) and opens it for writing. On
   * return it is durable.
   *
   * @param pace is told between two steps how many events are taken down, and may end it: `cancelled`, and there is no
   *   such session. It is not asked any more once the session is about to be there.
   * @returns `duplicate_id` where there is one of this id, `disk_full`, `permission_denied`, `store_failed`.
   */
  create(id: string, events: readonly TimedEvent[], pace?: Pace): Promise<OpenSession | ConversationRefusal>;
  /**
   * @param mode `write` takes the lease: one writer at a time.
   * @param reading `state`: the caller needs what the session comes to, not how it came about. A store that keeps
   *   snapshots then gives one (`begun`) and the records behind it; any other gives all records.
   * @returns `unknown_session`; `busy` where another holds the lease, naming it; `not_a_session` where
   *   nothing can be read at all; `too_large` where it holds what this store cannot read back. A journal of a newer
   *   version opens read-only and says why.
   */
  open(
    id: string,
    mode: "write" | "read",
    reading?: "records" | "state",
  ): Promise<OpenSession | ConversationRefusal>;
  /** The last changed first, all of them or a page. Nothing is left out silently: what cannot be read is listed. */
  list(query?: SessionQuery): Promise<readonly SessionFacts[] | ConversationRefusal>;
  /**
   * A word that is another one as soon as the session has changed, found without reading it; undefined where there is no
   * such session. Not there where a list says it as cheaply: `modifiedMs` and `sizeBytes`.
   */
  stampOf?(id: string): Promise<string | undefined | ConversationRefusal>;
  /** Deletes a session for good. `unknown_session`, `busy`. */
  remove(id: string): Promise<{ readonly kind: "removed" } | ConversationRefusal>;
  /**
   * Deletes for good those of these sessions that nobody holds and that still stand as they were listed. The
   * others stay, and are no refusal.
   */
  prune(
    listed: readonly Pick<SessionFacts, "id" | "modifiedMs" | "sizeBytes">[],
  ): Promise<{ readonly kind: "pruned"; readonly removed: readonly string[] } | ConversationRefusal>;
  /** Records of several sessions in which a text may stand, a page at a time. */
  recordsHolding(query: RecordQuery): Promise<RecordPage | ConversationRefusal>;
  close(): Promise<void>;
}

/** An event and when it happened, in milliseconds since the epoch. */
export interface TimedEvent {
  readonly ts: number;
  readonly event: ConversationEvent;
}

/** Which sessions a list shows; all where nothing is said. */
export interface SessionQuery {
  /** So many at the most. */
  readonly limit?: number;
  /** Only those behind this one, the last of the page before. */
  readonly after?: Pick<SessionFacts, "modifiedMs" | "id">;
  /** Only those last changed before this moment; milliseconds since the epoch. */
  readonly changedBefore?: number;
  /** Only those last changed at this moment or later. */
  readonly changedSince?: number;
  /** Only those whose title holds this, in upper or lower case. */
  readonly title?: string;
  readonly idPrefix?: string;
}

/** Which records are sought: those that bring nodes. More may come than hold a text, never fewer. */
export interface RecordQuery {
  /** In the order in which their records come. */
  readonly sessions: readonly string[];
  /** Texts of printable ASCII of which one has to stand in a record; all records where not said. */
  readonly anyOf?: readonly string[];
  readonly ignoreCase?: boolean;
  /** Only what is behind the page before. */
  readonly after?: RecordPlace;
  /** About so many records a page. */
  readonly limit: number;
}

/** A record of one of several sessions. */
export interface RecordPlace {
  readonly sessionId: string;
  readonly seq: number;
}

/** Some of the records that are sought. */
export interface RecordPage {
  readonly kind: "page";
  readonly records: readonly { readonly sessionId: string; readonly record: JournalRecord }[];
  /** What could not be read, and why. */
  readonly unread: readonly { readonly id: string; readonly message: string }[];
  /** Where the next page begins; none at the end. */
  readonly next?: RecordPlace;
}

/** What the records of a session up to one come to. */
export interface BegunState {
  readonly context: ConversationContext;
  /** The last of these records. */
  readonly seq: number;
}

/** What a list of stored sessions shows of each; times in milliseconds since the epoch. */
export interface SessionFacts {
  readonly id: string;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** Of all that is kept of it: the journal, and the large texts and the media beside it. */
  readonly sizeBytes: number;
  /** Whether somebody holds the lease now, and who, for a person to read. */
  readonly heldBy: string | undefined;
  /** Why it cannot be opened, where that is known already. */
  readonly problem?: string;
}

/** A stored session that is open. Who opened it to write is its only writer until `close`. */
export interface OpenSession {
  readonly kind: "session";
  readonly id: string;
  readonly mode: "write" | "read";
  /** Why a session that was to be written opened read-only. */
  readonly readOnlyBecause?: ConversationRefusal;
  /** What the session was before the first of `records`, where a snapshot was read in the place of all before. */
  readonly begun?: BegunState;
  /**
   * What could be read, in the order of `seq`; a second record of a number stands behind the first. None any more once
   * `letGo` was called.
   */
  readonly records: readonly JournalRecord[];
  /** Lets go of the records: of a conversation that was folded from them they would be a second copy. */
  letGo?(): void;
  /** The number of the last record that there was, read or lost; that of the last one read where it is not said. */
  readonly lastSeq?: number;
  /** What could not, line by line. */
  readonly problems: readonly JournalProblem[];
  /**
   * Takes an event down. It is on its way to the disk at once and acknowledged by `flush`.
   *
   * @returns the `seq` it got.
   */
  append(event: TimedEvent): number;
  /**
   * Everything appended so far survives a kill and a power cut once this resolves to `acknowledged`.
   *
   * @returns `disk_full`, `read_only`, `busy` (the lease was lost), `conflict` (somebody else has written),
   *   `too_large` (the store could not give it back), `store_failed`. Nothing that was appended since the last acknowledgement is then part of the
   *   session; it is whole as it was, and what was pending is dropped.
   */
  flush(): Promise<Acknowledged | ConversationRefusal>;
  /**
   * The bytes that a record names (`StoredMedia`), proved by their SHA-256. Nothing of them is in memory before.
   *
   * @returns `undefined` where they are missing or damaged; a refusal where the store cannot be asked now.
   */
  readonly readBlob: (sha256: string) => Promise<Uint8Array | ConversationRefusal | undefined>;
  /**
   * Offers what the session is after record `seq`, which is acknowledged, to be kept as a snapshot. Whether and when
   * is the store's; nothing waits for it, and failing to is no failure.
   */
  keepState?(context: ConversationContext, seq: number): void;
  /**
   * Puts these events in the place of all that the session holds, in one step, and keeps what was there. The
   * session can then only be closed. Not there where a store cannot do it; see `repairSession`.
   *
   * @returns where the old state is kept; what a flush is refused with, and then nothing changed.
   */
  replace?(events: readonly TimedEvent[]): Promise<ReplacedSession | ConversationRefusal>;
  /** How often a refused flush has dropped what was pending; counted at the moment it is dropped. */
  readonly drops: number;
  /** Gives the lease back; flushes nothing. */
  close(): Promise<void>;
}

/** All records up to `seq` are durable. */
export interface Acknowledged {
  readonly kind: "acknowledged";
  /** The last durable record. */
  readonly seq: number;
}

/** Where the state before a repair is kept: the path of a file, or the id of a session. */
export interface ReplacedSession {
  readonly kind: "replaced";
  readonly backup: string;
}

/** A place in a journal that could not be read. */
export interface JournalProblem {
  /** 1-based, in a journal file; in a table, the `seq`. */
  readonly line: number;
  readonly what:
    | "torn_tail"
    | "damaged_line"
    /** It stands there twice. */
    | "doubled_line"
    /** Another one has its number; its nodes are kept beside those of the first. */
    | "second_record"
    /** It is another session's. */
    | "foreign_line"
    | "missing_record"
    | "missing_blob"
    | "newer_version"
    | "unknown_event";
  /** For a person: what was found, what became of it. */
  readonly message: string;
}
