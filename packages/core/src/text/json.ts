/** Whether a value is an object of JSON: neither `null` nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a text says as JSON; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON; undefined where it is nested deeper than can be written. */
export function writtenJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** A member that is an object; an empty one where it is none. */
export function recordIn(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const member = isObject(value) ? value[key] : undefined;
  return isObject(member) ? member : {};
}

/** A member that is a text. */
export function textIn(value: unknown, key: string): string | undefined {
  const member = isObject(value) ? value[key] : undefined;
  return typeof member === "string" ? member : undefined;
}

/** A member that is a whole number from 0 on. */
export function countIn(value: unknown, key: string): number | undefined {
  const member = isObject(value) ? value[key] : undefined;
  return typeof member === "number" && Number.isSafeInteger(member) && member >= 0 ? member : undefined;
}

/** A member that is a list; an empty one where it is none. */
export function listIn(value: unknown, key: string): readonly unknown[] {
  const member = isObject(value) ? value[key] : undefined;
  return Array.isArray(member) ? member : [];
}

/** An object whose members are never undefined: those of `T` that can be are optional. */
export type Defined<T extends object> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The members that are not undefined, in their order. Under `exactOptionalPropertyTypes` an optional member
 * is absent or has a value: `{ path, ...defined({ title }) }` has no `title` where that is undefined.
 */
export function defined<T extends object>(members: T): Defined<T> {
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) rest[name] = value;
  // The compiler cannot follow a loop over names: what is left is what the type says.
  return rest as Defined<T>;
}
