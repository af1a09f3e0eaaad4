import type { ImportProblem, SourceLine } from "@holdfast/core/conversation/import";
import type { JsonObject } from "@holdfast/core/conversation/values";
import { objectOf, textOf, timeIn } from "../lines/fields.js";
import { FoldedCounter } from "../lines/folded-counter.js";
import { FreeIds } from "./free-ids.js";
import { childOf } from "./opencode-parts.js";

/** A session, a message or a part of one. */
export interface SourceRecord {
  readonly id: string;
  /** By what it is sorted: its id as it is written; what bears one id stays in the order of the file. */
  readonly order: string;
  readonly line: number;
  readonly value: JsonObject;
}

/**
 * What was read, by what it belongs to. Where the record of a session or of a message is lost, what belonged to it
 * says enough of it to be kept.
 */
export class OpencodeRecords {
  readonly problems: ImportProblem[] = [];
  readonly folded = new FoldedCounter();
  /** Sessions that belong to a call, with the id of its part. */
  readonly callOfChild = new Map<string, string>();
  private readonly sessionsById = new Map<string, SourceRecord>();
  private messages = new Map<string, SourceRecord[]>();
  private readonly parts = new Map<string, SourceRecord[]>();
  private readonly byId = new Map<string, SourceRecord>();
  private readonly freeIds = new FreeIds((id) => this.byId.has(id));
  /** Of records of whose ids there are others, as they are written. */
  private readonly written = new Map<SourceRecord, string>();
  /** An export names it once, at its beginning. */
  private current = "";

  take({ line, value }: SourceLine): void {
    const info = objectOf(value, "info");
    if (info === undefined) {
      this.record(line, value);
      return;
    }
    this.record(line, info);
    const list = Array.isArray(value.parts) ? value.parts : [];
    const messageID = textOf(info, "id") ?? "";
    for (const part of list as readonly JsonObject[])
      if (typeof part === "object" && part !== null) this.record(line, { messageID, ...part });
  }

  /** The first is the one that is read. */
  sessions(): readonly SourceRecord[] {
    this.addLostMessages();
    this.bringHome();
    this.addLostSessions();
    return [...this.sessionsById.values()].toSorted((a, b) => a.line - b.line);
  }

  messagesOf(sessionId: string): readonly SourceRecord[] {
    return (this.messages.get(sessionId) ?? []).toSorted(
      (a, b) => (createdOf(a.value) ?? 0) - (createdOf(b.value) ?? 0) || byId(a, b),
    );
  }

  partsOf(messageId: string): readonly SourceRecord[] {
    return (this.parts.get(messageId) ?? []).toSorted(byId);
  }

  private record(line: number, value: JsonObject): void {
    const record = this.unique(line, value);
    if (record === undefined) return;
    const messageId = textOf(value, "messageID");
    if (messageId !== undefined && typeof value.type === "string") {
      const child = childOf(value);
      if (child !== undefined) this.callOfChild.set(child, record.id);
      group(this.parts, messageId, record);
    } else if (typeof value.role === "string")
      group(this.messages, textOf(value, "sessionID") ?? this.current, record);
    else if (isSession(value)) {
      this.sessionsById.set(record.id, record);
      if (this.current === "") this.current = record.id;
    } else this.folded.add(textOf(value, "type") ?? "untyped");
  }

  /** Undefined: it stands in the file already, word for word. */
  private unique(line: number, value: JsonObject): SourceRecord | undefined {
    const id = textOf(value, "id") ?? this.idBehind(line, value);
    const first = this.byId.get(id);
    if (first !== undefined && this.writtenOf(first) === JSON.stringify(value)) {
      const message = `Line ${line} repeats line ${first.line}; it was left out.`;
      this.problems.push({ line, what: "duplicate_id", message });
      return undefined;
    }
    const free = first === undefined ? id : this.freeIds.at(line, id);
    const record = { id: free, order: id, line, value };
    this.byId.set(free, record);
    if (free !== id) {
      const message = `Line ${line} has the id ${id} of an earlier line; it was kept as ${free}.`;
      this.problems.push({ line, what: "duplicate_id", message });
    }
    return record;
  }

  private writtenOf(record: SourceRecord): string {
    const written = this.written.get(record) ?? JSON.stringify(record.value);
    this.written.set(record, written);
    return written;
  }

  /** Ids are in the order of the parts: one that has none stays behind the part before it. */
  private idBehind(line: number, value: JsonObject): string {
    const before = this.parts.get(textOf(value, "messageID") ?? "")?.at(-1)?.order;
    return before === undefined ? `line ${line}` : `${before} line ${line}`;
  }

  /** Of a message that names no session here its parts know it; one without a time stands behind the one before it. */
  private bringHome(): void {
    const times = this.times();
    const homes = new Map<string, SourceRecord[]>();
    for (const [named, messages] of this.messages)
      for (const { id, order, line, value } of messages) {
        const created = createdOf(value) ?? timeBefore(id, times);
        const timed = created === undefined ? value : { ...value, time: { created } };
        group(homes, this.homeOf(id, named, value), { id, order, line, value: timed });
      }
    this.messages = homes;
  }

  private homeOf(id: string, named: string, { sessionID }: JsonObject): string {
    if (typeof sessionID === "string" && this.sessionsById.has(sessionID)) return sessionID;
    const told = (this.parts.get(id) ?? []).map(({ value }) => textOf(value, "sessionID"));
    return told.find((one) => one !== undefined) ?? named;
  }

  /** When the messages that say so began, in the order of their ids, which is that of their times. */
  private times(): readonly (readonly [string, number])[] {
    const all = [...this.messages.values()].flat().toSorted(byId);
    return all.flatMap(({ id, value }) => {
      const created = createdOf(value);
      return created === undefined ? [] : [[id, created] as const];
    });
  }

  /** Only answers have steps, calls and thoughts. */
  private addLostMessages(): void {
    const known = new Set([...this.messages.values()].flat().map(({ id }) => id));
    const times = this.times();
    for (const [id, parts] of this.parts) {
      const [first] = parts;
      if (known.has(id) || first === undefined) continue;
      const isAnswer = parts.some(({ value }) => ofAnswers.has(textOf(value, "type") ?? ""));
      const created = timeBefore(id, times);
      const sessionID = textOf(first.value, "sessionID") ?? this.current;
      const time = created === undefined ? {} : { created };
      const value = { id, sessionID, role: isAnswer ? "assistant" : "user", time };
      group(this.messages, sessionID, { id, order: id, line: first.line, value });
      this.tellLost(first.line, `the message ${id}`);
    }
  }

  private addLostSessions(): void {
    for (const [id, messages] of this.messages) {
      const [first] = messages.toSorted((a, b) => a.line - b.line);
      if (id === "" || this.sessionsById.has(id) || first === undefined) continue;
      const created = createdOf(first.value);
      const value = { id, time: created === undefined ? {} : { created } };
      this.sessionsById.set(id, { id, order: id, line: first.line, value });
      this.tellLost(first.line, `the session ${id}`);
    }
  }

  private tellLost(line: number, whose: string): void {
    const message = `Line ${line} belongs to ${whose}, whose record is not in the file; it was kept.`;
    this.problems.push({ line, what: "missing_record", message });
  }
}

const ofAnswers: ReadonlySet<string> = new Set(["tool", "reasoning", "step-start", "step-finish"]);

/** Of the last message whose id is before this one. */
function timeBefore(id: string, times: readonly (readonly [string, number])[]): number | undefined {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((times[middle]?.[0] ?? "") < id) from = middle + 1;
    else to = middle;
  }
  return times[from - 1]?.[1];
}

/** When something began, in milliseconds. */
export function createdOf(value: JsonObject | undefined): number | undefined {
  return timeIn(value && objectOf(value, "time")?.created);
}

function isSession({ id, projectID, time, role, type }: JsonObject): boolean {
  const isNamed = typeof id === "string" && typeof projectID === "string";
  return isNamed && typeof time === "object" && role === undefined && type === undefined;
}

function byId(a: SourceRecord, b: SourceRecord): number {
  if (a.order === b.order) return 0;
  return a.order < b.order ? -1 : 1;
}

function group(groups: Map<string, SourceRecord[]>, key: string, record: SourceRecord): void {
  const known = groups.get(key);
  if (known === undefined) groups.set(key, [record]);
  else known.push(record);
}
