/** What a journal line can hold without loss. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Whether a value comes back from a journal line as it went in: no functions, no `undefined`, no dates or
 * other classes, no numbers that JSON cannot write, no circles.
 */
export function isJson(value: unknown): value is JsonValue {
  return isJsonWithin(value, mostLevels);
}

/** Deeper than any reader of ours goes; also what ends a circle. */
const mostLevels = 200;

function isJsonWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isJsonWithin(item, levels - 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.entries(value).every(([key, item]) => key !== "__proto__" && isJsonWithin(item, levels - 1));
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && isJson(value);
}
