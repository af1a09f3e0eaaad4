import { isObject, shapes } from "../../text/index.js";

/** What a journal line can hold without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON: neither `null` nor a list. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Whether a value comes back from a journal line as it went in: no functions, no `undefined`, no dates or
 * other classes, no numbers that JSON cannot write, no circles.
 */
export function isJson(value: unknown): value is JsonValue {
  return flawOfJson(value) === undefined;
}

/** Where a value is no JSON, as in `Schema`; `undefined` where all of it is. */
export function flawOfJson(value: unknown, levels = mostLevels): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? undefined : unkept;
  if (typeof value !== "object" || levels === 0) return unkept;
  if (Array.isArray(value)) return flawOfParts(value.entries(), levels);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return unkept;
  return flawOfParts(Object.entries(value), levels);
}

function flawOfParts(
  parts: Iterable<readonly [string | number, unknown]>,
  levels: number,
): string | undefined {
  for (const [key, part] of parts) {
    const flaw = key === "__proto__" ? unkept : flawOfJson(part, levels - 1);
    if (flaw !== undefined) return shapes.within(typeof key === "number" ? `[${key}]` : key, flaw);
  }
  return undefined;
}

const unkept = " is nothing that JSON can keep";

/** Deeper than any reader of ours goes; also what ends a circle. */
const mostLevels = 200;

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value) && isJson(value);
}

/** The same JSON with other texts, and with other names where they are to change as well. */
export function mapTexts(
  object: JsonObject,
  text: (text: string) => string,
  name: (name: string) => string = (same) => same,
): JsonObject {
  const mapped = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    return isList(value) ? value.map(mapped) : mapTexts(value, text, name);
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [name(key), mapped(value)]));
}

function isList(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value);
}
