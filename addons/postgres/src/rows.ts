import { encodeRecord, isSealed, type Line, readLine } from "@holdfast/core/conversation/journal";
import type { JournalProblem, JournalRecord } from "@holdfast/core/conversation/values";
import { sha256 } from "@holdfast/core/node";

/** An event as a row of the table, with the texts that do not stand in it. */
export interface EncodedEvent {
  readonly seq: number;
  readonly ts: number;
  readonly type: string;
  /** A line of a journal, without its line break. */
  readonly body: string;
  /** By the SHA-256 of their bytes. */
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** What the row of a session says of its events, so that a list need not read them. */
export interface SessionSums {
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  readonly head: string;
  readonly createdMs: number;
  readonly modifiedMs: number;
  readonly sizeBytes: number;
}

/** What the rows of a session say. */
export interface ReadRows {
  readonly records: readonly JournalRecord[];
  readonly problems: readonly JournalProblem[];
}

/** A record as its row keeps it, with the large texts that go into rows of their own. */
export function encodeEvent(record: JournalRecord): EncodedEvent {
  const blobs = new Map<string, Uint8Array>();
  const line = encodeRecord(record, (bytes) => {
    const name = sha256(bytes);
    blobs.set(name, bytes);
    return name;
  });
  const body = Buffer.from(line.buffer, line.byteOffset, line.byteLength - 1).toString();
  return { seq: record.seq, ts: record.ts, type: record.event.type, body, blobs };
}

/** The blobs that hold texts of these rows: without them an event cannot be read. Media are read when asked for. */
export function textBlobsOf(bodies: Iterable<string>): readonly string[] {
  const names = new Set<string>();
  for (const body of bodies) {
    const at = body.lastIndexOf(blobsStart);
    for (const [, name = ""] of at < 0 ? [] : body.slice(at).matchAll(/"([0-9a-f]{64})"/g)) names.add(name);
  }
  return [...names];
}

/** Behind it no text stands but names: it is the last field but the check. */
const blobsStart = ',"blobs":{';

/** The sums after these records. */
export function addUp(sums: SessionSums | undefined, records: readonly JournalRecord[]): SessionSums {
  let next = sums ?? {
    title: undefined,
    cwd: undefined,
    head: "",
    createdMs: 0,
    modifiedMs: 0,
    sizeBytes: 0,
  };
  for (const { ts, event } of records) {
    if (event.type === "session_started") {
      const { root, title, cwd } = event;
      next = { ...next, title, cwd, head: root.id, createdMs: ts };
    }
    // One that was made of another was not changed before it was begun.
    next = { ...next, modifiedMs: Math.max(next.createdMs, ts) };
    if (event.type === "renamed") next = { ...next, title: event.title };
    if (event.type === "nodes_added" || event.type === "head_moved") next = { ...next, head: event.head };
  }
  return next;
}

/**
 * Reads the rows of a session. One that is damaged loses itself only.
 *
 * @param rows in the order of `seq`. @param span between which events they stand: behind `from`, up to the last one
 *   by the session's own row.
 */
export function readRows(
  rows: readonly { readonly seq: number; readonly body: string }[],
  span: { readonly from: number; readonly to: number },
  blobs: ReadonlyMap<string, Uint8Array>,
): ReadRows {
  const records: JournalRecord[] = [];
  const problems: JournalProblem[] = [];
  let next = span.from + 1;
  const missingTo = (seq: number) => {
    if (seq <= next) return;
    const what = seq - next === 1 ? `Event ${next} is` : `Events ${next} to ${seq - 1} are`;
    problems.push({ line: next, what: "missing_record", message: `${what} missing in the table.` });
  };
  for (const { seq, body } of rows) {
    missingTo(seq);
    next = seq + 1;
    const line = lineOf(body, seq, blobs);
    if (line.kind === "record") records.push(line.record);
    problems.push(...problemsOf(line, seq));
  }
  missingTo(span.to + 1);
  return { records, problems };
}

function lineOf(body: string, seq: number, blobs: ReadonlyMap<string, Uint8Array>): Line {
  const bytes = Buffer.from(body);
  const line = isSealed(bytes, 0, bytes.length) ? readLine(body, (name) => blobs.get(name)) : undefined;
  if (line === undefined || line.kind === "damaged") return { kind: "damaged" };
  const own = line.kind === "record" ? line.record.seq : line.seq;
  return own === seq ? line : { kind: "damaged" };
}

function problemsOf(line: Line, seq: number): readonly JournalProblem[] {
  switch (line.kind) {
    case "record":
      return line.lostBlobs.map((name) => ({
        line: seq,
        what: "missing_blob",
        message: `A text of event ${seq} is lost: blob ${name} is missing or damaged.`,
      }));
    case "damaged":
      return [
        {
          line: seq,
          what: "damaged_line",
          message: `Event ${seq} is not as it was written; it was left out, all others hold.`,
        },
      ];
    case "no_event":
      return [
        {
          line: seq,
          what: "damaged_line",
          message: `Event ${seq} is as it was written and yet no event: ${line.flaw}; it was left out, all others hold.`,
        },
      ];
    case "newer_version":
      return [
        {
          line: seq,
          what: "newer_version",
          message: `Event ${seq} is of format ${line.v}, which only a newer release can read.`,
        },
      ];
    case "unknown_event":
      return [
        {
          line: seq,
          what: "unknown_event",
          message: `Event ${seq} is an event ${JSON.stringify(line.type)}, which only a newer release knows.`,
        },
      ];
    default:
      return line satisfies never;
  }
}
