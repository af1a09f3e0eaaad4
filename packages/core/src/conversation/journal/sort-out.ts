import type { ConversationEvent, JournalRecord } from "../values/event.js";
import type { JournalProblem } from "../values/store.js";

/** A record whose number was there already. */
export interface QuarantinedRecord {
  readonly record: JournalRecord;
  /** 1-based. */
  readonly line: number;
  /** After how many of the other records it stands in the file. */
  readonly behind: number;
}

/** A journal in which numbers stand twice, or in which a session begins that is not its own. */
interface MixedJournal {
  readonly sessionId: string;
  /** Each number once, in the order of the file. */
  readonly records: readonly JournalRecord[];
  /** The line of each. */
  readonly lineNumbers: readonly number[];
  readonly laidAside: readonly QuarantinedRecord[];
  readonly problems: readonly JournalProblem[];
}

/**
 * Sorts out a file that was doubled or joined with that of another session. Of what belongs to the session,
 * the first record of each number holds; the same again is left out, and another one of that number is kept
 * behind it. What belongs to another session is left out. Where nothing is the session's own, all stays.
 *
 * @returns the session's records in the order of `seq`, and the problems with what was found.
 */
export function sortOut(mixed: MixedJournal): {
  readonly records: readonly JournalRecord[];
  readonly problems: readonly JournalProblem[];
} {
  const items = inOrderOfFile(mixed);
  const owners = new Owners(mixed.sessionId);
  const own = new Map<number, JournalRecord[]>();
  const told = new ToldRuns();
  const foreignLines = new Set<number>();
  for (const { record, line } of items) {
    const owner = owners.of(record);
    if (owner !== mixed.sessionId) {
      foreignLines.add(line);
      told.add({ what: "foreign_line", line, seq: record.seq, owner });
      continue;
    }
    const before = own.get(record.seq);
    if (before === undefined) own.set(record.seq, [record]);
    else if (before.some((one) => isSame(one, record)))
      told.add({ what: "doubled_line", line, seq: record.seq, owner });
    else {
      before.push(record);
      told.add({ what: "second_record", line, seq: record.seq, owner });
    }
  }
  if (own.size === 0) return { records: mixed.records, problems: mixed.problems };
  const problems = mixed.problems.filter(
    ({ what, line }) => !(what !== "damaged_line" && foreignLines.has(line)),
  );
  const records = [...own].toSorted(([one], [other]) => one - other).flatMap(([, same]) => same);
  return { records, problems: [...problems, ...told.problems()].toSorted((a, b) => a.line - b.line) };
}

interface Item {
  readonly record: JournalRecord;
  readonly line: number;
}

function inOrderOfFile({ records, lineNumbers, laidAside }: MixedJournal): readonly Item[] {
  const items: Item[] = [];
  let aside = 0;
  const takeAside = (count: number) => {
    for (let next = laidAside[aside]; next !== undefined && next.behind <= count; next = laidAside[aside]) {
      items.push(next);
      aside += 1;
    }
  };
  for (const [at, record] of records.entries()) {
    takeAside(at);
    items.push({ record, line: lineNumbers[at] ?? 0 });
  }
  takeAside(records.length);
  return items;
}

/**
 * Which session each record belongs to: the one whose nodes it names, else the one whose last number it follows
 * on, else that of the record before it.
 */
class Owners {
  private readonly ownerOf = new Map<string, string>();
  private readonly lastSeq = new Map<string, number>();
  private last: string;

  constructor(sessionId: string) {
    this.ownerOf.set(sessionId, sessionId);
    this.last = sessionId;
  }

  of({ seq, event }: JournalRecord): string {
    this.last = this.namedOwner(event) ?? this.followed(seq) ?? this.last;
    this.lastSeq.set(this.last, seq);
    if (event.type === "nodes_added") for (const { id } of event.nodes) this.claim(id);
    if (event.type === "staged") this.claim(event.id);
    return this.last;
  }

  private namedOwner(event: ConversationEvent): string | undefined {
    if (event.type === "session_started") {
      this.ownerOf.set(event.sessionId, event.sessionId);
      return event.sessionId;
    }
    for (const id of namedIn(event)) {
      const owner = this.ownerOf.get(id);
      if (owner !== undefined) return owner;
    }
    return undefined;
  }

  private followed(seq: number): string | undefined {
    if (this.lastSeq.get(this.last) === seq - 1) return this.last;
    const [owner] = [...this.lastSeq].find(([, last]) => last === seq - 1) ?? [];
    return owner;
  }

  private claim(id: string): void {
    if (!this.ownerOf.has(id)) this.ownerOf.set(id, this.last);
  }
}

function namedIn(event: ConversationEvent): readonly string[] {
  switch (event.type) {
    case "nodes_added":
      return event.nodes.flatMap(({ parentId }) => (parentId === null ? [] : [parentId]));
    case "head_moved":
      return [event.head];
    case "metadata_set":
    case "pruned":
    case "unpruned":
      return [event.nodeId];
    case "unstaged":
      return event.ids;
    case "expansion_set":
      return [event.taskId];
    case "restore_begun":
      return [event.fromId, event.toId];
    case "session_started":
    case "staged":
    case "renamed":
    case "restore_dropped":
      return [];
    default:
      return event satisfies never;
  }
}

function isSame(one: JournalRecord, other: JournalRecord): boolean {
  return one.ts === other.ts && JSON.stringify(one.event) === JSON.stringify(other.event);
}

interface Told {
  readonly what: "foreign_line" | "doubled_line" | "second_record";
  readonly line: number;
  readonly seq: number;
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
