import type { Advancing } from "../../text/index.js";
import { isJsonObject, type JsonObject } from "../json.js";

/** One line of a JSON Lines file that holds an object. */
export interface SourceLine {
  /** 1-based. */
  readonly line: number;
  readonly value: JsonObject;
}

/** What was wrong in a file that was imported, and what became of it. */
export interface ImportProblem {
  /** 1-based, of the file. */
  readonly line: number;
  readonly what:
    | "unreadable_line"
    | "duplicate_id"
    | "missing_parent"
    | "cycle"
    | "broken_pair"
    | "lost_reference"
    | "missing_record"
    | "truncated";
  readonly message: string;
}

/** The lines of a session file, and those that could not be read. */
export interface SourceLines {
  readonly lines: readonly SourceLine[];
  readonly problems: readonly ImportProblem[];
}

/** Reads a file line by line. A line that is no object is told and left out; empty lines are nothing. */
export function* readLines(text: string): Advancing<SourceLines> {
  const lines: SourceLine[] = [];
  const problems: ImportProblem[] = [];
  let told = 0;
  let line = 0;
  for (let from = text.startsWith("\ufeff") ? 1 : 0; from <= text.length; ) {
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline;
    const raw = text.slice(from, end);
    line += 1;
    from = end + 1;
    if (raw.trim() !== "") {
      const value = parsed(raw);
      if (value !== undefined) lines.push({ line, value });
      else problems.push(unreadable(line, raw));
    }
    if (end - told < stepUnits) continue;
    told = end;
    yield { done: end, of: text.length };
  }
  return { lines, problems };
}

/** In UTF-16 units: parsed in some milliseconds. */
const stepUnits = 64 * 1024;

function parsed(raw: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    if (isJsonObject(value)) return value;
    // A zero below zero is the one number of these files that no line of ours can hold.
    const plain: unknown = JSON.parse(raw, (_key, item: unknown) => (Object.is(item, -0) ? 0 : item));
    return isJsonObject(plain) ? plain : undefined;
  } catch {
    return undefined;
  }
}

function unreadable(line: number, raw: string): ImportProblem {
  const message = `Line ${line} is no JSON object (${raw.length} characters); it was left out.`;
  return { line, what: "unreadable_line", message };
}

/** A field that should be a text; anything else is as if it were not there. */
export function textOf(value: JsonObject, key: string): string | undefined {
  const field = value[key];
  return typeof field === "string" ? field : undefined;
}

/** A field that should be an object. */
export function objectOf(value: JsonObject, key: string): JsonObject | undefined {
  const field = value[key];
  return isJsonObject(field) ? field : undefined;
}

/** A field that should be a count. */
export function countOf(value: JsonObject | undefined, key: string): number {
  const field = value?.[key];
  return typeof field === "number" && field >= 0 ? field : 0;
}

/** A time as ISO 8601 or in milliseconds; `otherwise` where it is neither. */
export function timeOf(value: JsonObject, otherwise: number): number {
  const { timestamp } = value;
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : timestamp;
  return typeof time === "number" && Number.isFinite(time) ? time : otherwise;
}
