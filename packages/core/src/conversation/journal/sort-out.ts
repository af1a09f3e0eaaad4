import type { JournalRecord } from "../values/event.js";
import { idsIn } from "../values/event-ids.js";
import type { JournalProblem } from "../values/store.js";
import type { Line } from "./journal-codec.js";

/** What was found in a line; `rest`: what stood behind a record there. */
export type LineFinding = Line | { readonly kind: "rest" };

/** The records of a session, and what was wrong with the lines that they came from. */
export interface SortedOut {
  /** In the order of `seq`; a second one of a number stands behind the first. */
  readonly records: readonly JournalRecord[];
  /** In the order of the lines. */
  readonly problems: readonly JournalProblem[];
  /** Greater than any number that stands in a line of the session, or may have stood in a damaged one. */
  readonly nextSeq: number;
}

/**
 * Puts what was found in a journal in the order of its numbers. What belongs to another session is left out,
 * unless nothing is the session's own. Of the rest the first record of each number holds; the same again is left
 * out, and another one of that number is kept behind it.
 *
 * @param found in the order of the file. @param lines in which line each was found, 1-based.
 * @param sessionId that of the first session that begins in it, unless given.
 */
export function sortOut(
  found: readonly LineFinding[],
  lines: readonly number[],
  sessionId?: string,
): SortedOut {
  const foreign = foreignIn(found, sessionId);
  const sorter = new Sorter();
  for (const [at, what] of found.entries()) sorter.take(lines[at] ?? 0, what, foreign.get(at));
  return sorter.end();
}

class Sorter {
  private readonly records: JournalRecord[] = [];
  private readonly problems: JournalProblem[] = [];
  private readonly told = new ToldRuns();
  /** The greatest number so far. */
  private seq = 0;
  /** Damaged lines since that. */
  private damagedSince = 0;
  private isOrdered = true;
  /** The first records, by their numbers; all only once one stands in the wrong place, since that costs time. */
  private readonly known = new Map<number, readonly JournalRecord[]>();
  private remembered = 0;

  /** @param owner of what belongs to another session: which one. */
  take(line: number, what: LineFinding, owner: string | undefined): void {
    if (what.kind === "damaged") {
      if (owner === undefined) this.damagedSince += 1;
      this.report(line, "damaged_line", "it is not as it was written; it was left out, all others hold");
    } else if (what.kind === "rest")
      this.report(line, "damaged_line", "what stood behind its record was damaged");
    else if (owner !== undefined && what.kind === "record")
      this.told.add({ what: "foreign_line", line, seq: what.record.seq, owner });
    else if (owner !== undefined || this.place(line, what)) this.read(line, what);
  }

  end(): SortedOut {
    const { records, problems, told, seq, damagedSince } = this;
    return {
      records: this.isOrdered ? records : records.toSorted((one, other) => one.seq - other.seq),
      problems: [...problems, ...told.problems()].toSorted((one, other) => one.line - other.line),
      nextSeq: seq + damagedSince + 1,
    };
  }

  /** Looks at the number of a line. @returns whether the line is the first one of its number. */
  private place(line: number, what: Numbered): boolean {
    const seq = seqOf(what);
    if (seq > this.seq) {
      const missing = seq - this.seq - 1 - this.damagedSince;
      if (missing > 0) {
        const records = missing === 1 ? "one record is" : `${missing} records are`;
        this.report(line, "missing_record", `${records} missing before record ${seq}`);
      }
      this.seq = seq;
      this.damagedSince = 0;
      return true;
    }
    this.isOrdered = false;
    const before = this.before(seq);
    if (before === undefined) {
      const message = `record ${seq} stands behind record ${this.seq}; it was put in its place`;
      this.report(line, "damaged_line", message);
      return true;
    }
    if (what.kind !== "record") return false;
    const isAgain = before.some((record) => isSame(record, what.record));
    this.told.add({ what: isAgain ? "doubled_line" : "second_record", line, seq, owner: "" });
    if (!isAgain) this.records.push(what.record);
    return false;
  }

  /** The records of this number so far. */
  private before(seq: number): readonly JournalRecord[] | undefined {
    for (const record of this.records.slice(this.remembered))
      this.known.set(record.seq, [...(this.known.get(record.seq) ?? []), record]);
    this.remembered = this.records.length;
    return this.known.get(seq);
  }

  /** What the first line of a number says. */
  private read(line: number, what: Numbered): void {
    switch (what.kind) {
      case "record": {
        const { record, lostBlobs } = what;
        this.records.push(record);
        for (const name of lostBlobs) {
          const message = `a text of record ${record.seq} is lost: blob ${name} is missing or damaged`;
          this.report(line, "missing_blob", message);
        }
        return;
      }
      case "newer_version": {
        const message = `record ${what.seq} is of format ${what.v}, which only a newer release can read`;
        this.report(line, "newer_version", message);
        return;
      }
      case "no_event": {
        const message = `record ${what.seq} is as it was written and yet no event: ${what.flaw}`;
        this.report(line, "damaged_line", `${message}; it was left out, all others hold`);
        return;
      }
      case "unknown_event": {
        const message = `record ${what.seq} is an event "${what.type}", which only a newer release knows`;
        this.report(line, "unknown_event", message);
        return;
      }
      default:
        what satisfies never;
    }
  }

  private report(line: number, what: JournalProblem["what"], message: string): void {
    this.problems.push({ line, what, message: `Line ${line}: ${message}.` });
  }
}

/** A line whose number can be read. */
type Numbered = Exclude<Line, { readonly kind: "damaged" }>;

function isNumbered(what: LineFinding): what is Numbered {
  return what.kind !== "damaged" && what.kind !== "rest";
}

function seqOf(what: Numbered): number {
  return what.kind === "record" ? what.record.seq : what.seq;
}

function isSame(one: JournalRecord, other: JournalRecord): boolean {
  return one.ts === other.ts && JSON.stringify(one.event) === JSON.stringify(other.event);
}

/** What of this belongs to another session, and to which; nothing where no other session begins in the file. */
function foreignIn(
  found: readonly LineFinding[],
  sessionId: string | undefined,
): ReadonlyMap<number, string> {
  const foreign = new Map<number, string>();
  const ownId = sessionId ?? found.map(startedIn).find((id) => id !== undefined);
  if (ownId === undefined || found.every((what) => (startedIn(what) ?? ownId) === ownId)) return foreign;
  const owners = new Owners(ownId);
  let hasOwn = false;
  for (const [at, what] of found.entries()) {
    const owner = owners.of(what);
    if (owner !== ownId) foreign.set(at, owner);
    else if (what.kind === "record") hasOwn = true;
  }
  return hasOwn ? foreign : new Map();
}

function startedIn(what: LineFinding): string | undefined {
  const event = what.kind === "record" ? what.record.event : undefined;
  return event?.type === "session_started" ? event.sessionId : undefined;
}

/**
 * Which session each line belongs to: the one whose nodes it names, else the one whose last number it follows
 * on, else that of the line before it.
 */
class Owners {
  private readonly ownerOf = new Map<string, string>();
  private readonly lastSeq = new Map<string, number>();
  private last: string;

  constructor(sessionId: string) {
    this.ownerOf.set(sessionId, sessionId);
    this.last = sessionId;
  }

  of(what: LineFinding): string {
    if (!isNumbered(what)) return this.last;
    const seq = seqOf(what);
    const ids = what.kind === "record" ? idsIn(what.record.event) : [];
    const named = ids.find(({ id, use }) => use !== "own" && use !== "mention" && this.ownerOf.has(id));
    const owner = startedIn(what) ?? (named && this.ownerOf.get(named.id));
    this.last = owner ?? this.followed(seq) ?? this.last;
    this.lastSeq.set(this.last, seq);
    for (const { id, use } of ids)
      if (use === "own" && !this.ownerOf.has(id)) this.ownerOf.set(id, this.last);
    return this.last;
  }

  private followed(seq: number): string | undefined {
    if (this.lastSeq.get(this.last) === seq - 1) return this.last;
    const [owner] = [...this.lastSeq].find(([, last]) => last === seq - 1) ?? [];
    return owner;
  }
}

interface Told {
  readonly what: "foreign_line" | "doubled_line" | "second_record";
  readonly line: number;
  readonly seq: number;
  /** Of a foreign line. */
  readonly owner: string;
}

/** What was found, one problem for lines that follow on one another. */
class ToldRuns {
  private readonly runs: { readonly first: Told; last: Told; count: number }[] = [];

  add(told: Told): void {
    const run = this.runs.at(-1);
    const follows =
      run !== undefined &&
      run.first.what === told.what &&
      run.first.owner === told.owner &&
      told.line - run.last.line <= 1 &&
      told.seq === run.last.seq + 1;
    if (!follows) {
      this.runs.push({ first: told, last: told, count: 1 });
      return;
    }
    run.last = told;
    run.count += 1;
  }

  problems(): readonly JournalProblem[] {
    return this.runs.map(({ first, last, count }) => {
      const lines = first.line === last.line ? `Line ${first.line}` : `Lines ${first.line} to ${last.line}`;
      const records = count === 1 ? `record ${first.seq}` : `records ${first.seq} to ${last.seq}`;
      return { line: first.line, what: first.what, message: `${lines}: ${wordsFor(first, records)}.` };
    });
  }
}

function wordsFor({ what, owner }: Told, records: string): string {
  switch (what) {
    case "foreign_line":
      return `${records} of session ${owner}; left out, since this is another session`;
    case "doubled_line":
      return `${records} a second time; the first time holds`;
    case "second_record":
      return `${records}, not as before; the first time holds, and nodes that only these have are kept beside`;
    default:
      return what satisfies never;
  }
}
