import type { ImportProblem, SourceLine } from "@holdfast/core/conversation/import";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";

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

/** The `timestamp` of a record; `otherwise` where it has none that can be read. */
export function timeOf({ timestamp }: JsonObject, otherwise: number): number {
  return timeIn(timestamp) ?? otherwise;
}

/** A time as ISO 8601 or in milliseconds; undefined where it is neither, or beyond what a date can be. */
export function timeIn(field: JsonValue | undefined): number | undefined {
  const time = typeof field === "string" ? Date.parse(field) : field;
  return typeof time === "number" && Math.abs(time) <= mostMs ? time : undefined;
}

/** Tells, once and with their count, of lines whose time cannot be read: another stands for it. */
export function badTimes(lines: readonly SourceLine[]): readonly ImportProblem[] {
  const bad = lines.filter(({ value }) =>
    timesOf(value).some((time) => time !== undefined && time !== null && timeIn(time) === undefined),
  );
  const [first] = bad;
  if (first === undefined) return [];
  const { line } = first;
  const message = `Line ${line} has a time that cannot be read (${bad.length} such in all); the one before it stands for it, or that of the import.`;
  return [{ line, what: "invalid_time", message }];
}

/** Where the programs write when something was: of opencode in `time`, of an export of it in `info`. */
function timesOf(value: JsonObject): readonly (JsonValue | undefined)[] {
  const of = (record: JsonObject | undefined) => record && objectOf(record, "time")?.created;
  return [value.timestamp, value.startTime, of(value), of(objectOf(value, "info"))];
}

/** The last time that a `Date` holds (ECMAScript, "Time Values and Time Range"); the first is as far below zero. */
const mostMs = 8.64e15;
