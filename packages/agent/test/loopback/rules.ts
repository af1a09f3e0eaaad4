import type * as z from "zod";

/** What a schema finds wrong, as providers say it: where, and what. */
export function shapeComplaint(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`;
}

/** The values that occur more than once. */
export function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}

/** Which of `wanted` are not in `found`. */
export function missing(wanted: readonly string[], found: readonly string[]): readonly string[] {
  return wanted.filter((one) => !found.includes(one));
}

/**
 * What a provider refuses of a tool's schema: at the top an object without alternatives, names of members in its letters, lists
 * that say what they hold.
 */
export function* schemaComplaints(where: string, schema: unknown): Generator<string> {
  if (!isRecord(schema)) return yield `${where}: is not a schema`;
  if (schema.type !== "object") yield `${where}.type: Input should be 'object'`;
  for (const word of ["oneOf", "allOf", "anyOf"])
    if (word in schema)
      yield `${where}: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  yield* memberComplaints(where, schema);
}

function* memberComplaints(where: string, schema: Readonly<Record<string, unknown>>): Generator<string> {
  const { properties = {}, required = [], type, items } = schema;
  if (type === "array" && !isRecord(items)) yield `${where}: array schema missing items`;
  if (isRecord(items)) yield* memberComplaints(`${where}.items`, items);
  if (!isRecord(properties)) return yield `${where}.properties: is not an object`;
  for (const [key, value] of Object.entries(properties)) {
    if (!/^[a-zA-Z0-9_.-]{1,64}$/u.test(key))
      yield `${where}.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$': ${key}`;
    if (isRecord(value)) yield* memberComplaints(`${where}.properties.${key}`, value);
  }
  if (!Array.isArray(required)) return yield `${where}.required: is not a list`;
  for (const key of required)
    if (!(String(key) in properties)) yield `${where}.required: ${String(key)} is not defined in properties`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
