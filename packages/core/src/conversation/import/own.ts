import type { Advancing } from "../../text/index.js";
import { replayInSteps } from "../journal/replay.js";
import { type JournalRecord, journalVersion } from "../values/event.js";
import { eventFromJson, eventToJson, mapPayloads } from "../values/event-shape.js";
import { type Digest, withoutUnverifiedClaims } from "../values/file-content.js";
import type { JsonObject } from "../values/json.js";
import { type ConversationRefusal, refuse } from "../values/refusal.js";
import { isSessionId } from "../values/session-id.js";
import type { TimedEvent } from "../values/store.js";
import type { ImportedSession } from "./imported-session.js";
import type { ImportProblem, SourceLine, SourceLines } from "./lines.js";

/**
 * A session as one text that needs nothing beside it: a header, one line a record with every text in it,
 * and a last line that says how many there were.
 */
export function* exportLines(id: string, records: readonly JournalRecord[]): Generator<string> {
  const version = records.reduce((most, { v }) => Math.max(most, v), 1);
  yield `${JSON.stringify({ format: formatName, v: version, id })}\n`;
  for (const { v, seq, ts, event } of records)
    yield `${JSON.stringify({ v, seq, ts, ...eventToJson(event) })}\n`;
  yield `${JSON.stringify({ end: true, records: records.length })}\n`;
}

/**
 * Reads an exported session. What is missing in between is told, and the fold goes on without it, as with
 * a damaged journal.
 *
 * @param digest proves the texts of whole files.
 * @returns `newer_version`, or `not_a_session` where no record can be read.
 */
export function* readOwn(
  { lines, problems: unreadable }: SourceLines,
  digest: Digest | undefined,
): Advancing<ImportedSession | ConversationRefusal<"newer_version" | "not_a_session">> {
  const [first] = lines;
  const header = first?.value.format === formatName ? first : undefined;
  const rest = header === undefined ? lines : lines.slice(1);
  // Its first record names the session as well.
  const started = lines.find(({ value }) => value.type === "session_started");
  const sessionId =
    header === undefined ? started && textOf(started.value, "sessionId") : textOf(header.value, "id");
  if (sessionId === undefined || !isSessionId(sessionId))
    return refuse("not_a_session", "The header of the export names no session.");
  const problems: ImportProblem[] = [...unreadable];
  if (header === undefined) problems.push({ line: 1, what: "missing_record", message: noHeader });
  const records: JournalRecord[] = [];
  const lineNumbers: number[] = [];
  let end: SourceLine | undefined;
  for (const [at, source] of rest.entries()) {
    if (at % stepLines === stepLines - 1) yield { done: at, of: rest.length };
    const { value, line } = source;
    if (typeof value.v === "number" && value.v > journalVersion)
      return refuse("newer_version", `Line ${line} was written by a newer release; import it with that.`);
    if (value.end === true) end = source;
    else {
      const record = recordOf(value, digest);
      if (record === undefined) problems.push(noRecord(line));
      else {
        records.push(record);
        lineNumbers.push(line);
      }
    }
  }
  if (records.length === 0) return refuse("not_a_session", "The export holds no record that can be read.");
  problems.push(
    ...gapsIn(records, lineNumbers),
    ...endProblems(end, records.length, lines.at(-1)?.line ?? 1),
  );
  const { context, problems: lost, events: applied } = yield* replayInSteps(sessionId, records);
  const events = applied.map(({ ts, event }): TimedEvent => ({ ts, event }));
  for (const { line: seq, message } of lost) {
    const line = lineNumbers[records.findIndex((record) => record.seq === seq)] ?? 1;
    problems.push({ line, what: "missing_record", message });
  }
  const { title } = context;
  const nodes = context.nodes.size;
  problems.sort((a, b) => a.line - b.line);
  return { kind: "imported", format: "holdfast", sessionId, title, events, nodes, folded: [], problems };
}

/** Whether a line is the header or a record of an export. */
export function isOwnRecord({ format, v, seq, ts, type }: JsonObject): boolean {
  if (format === formatName) return true;
  return (
    typeof v === "number" && typeof seq === "number" && typeof ts === "number" && typeof type === "string"
  );
}

const formatName = "holdfast-session";
const noHeader = "The export does not begin with its header; the session is that of its first record.";
/** Checked in some milliseconds. */
const stepLines = 128;

function recordOf(value: JsonObject, digest: Digest | undefined): JournalRecord | undefined {
  const { v, seq, ts, ...rest } = value;
  if (typeof v !== "number" || typeof seq !== "number" || typeof ts !== "number") return undefined;
  // Where records are missing they are counted, which no number can do beyond these.
  if (!Number.isSafeInteger(seq)) return undefined;
  const read = eventFromJson(rest);
  if (read.kind !== "event") return undefined;
  // Anybody can have written the file: of its texts only those are believed that prove themselves.
  return {
    v,
    seq,
    ts,
    event: mapPayloads(read.event, (payload) => withoutUnverifiedClaims(payload, digest)),
  };
}

function noRecord(line: number): ImportProblem {
  return {
    line,
    what: "unreadable_line",
    message: `Line ${line} is no record of a session; it was left out.`,
  };
}

function gapsIn(records: readonly JournalRecord[], lineNumbers: readonly number[]): readonly ImportProblem[] {
  let before = 0;
  return records.flatMap(({ seq }, at): readonly ImportProblem[] => {
    const missing = seq - before - 1;
    before = seq;
    if (missing === 0) return [];
    const line = lineNumbers[at] ?? 1;
    const what = missing < 0 ? "out of order" : `${missing} before it missing`;
    return [{ line, what: "missing_record", message: `Line ${line} is record ${seq}, ${what}.` }];
  });
}

function endProblems(end: SourceLine | undefined, count: number, line: number): readonly ImportProblem[] {
  if (end === undefined)
    return [{ line, what: "truncated", message: `The export ends at line ${line} without its last line.` }];
  if (end.value.records === count) return [];
  const told = JSON.stringify(end.value.records);
  const message = `The export says that it has ${told} records; ${count} could be read.`;
  return [{ line: end.line, what: "truncated", message }];
}

function textOf(value: JsonObject, key: string): string | undefined {
  const field = value[key];
  return typeof field === "string" ? field : undefined;
}
