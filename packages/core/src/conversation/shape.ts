/** Whether a value of a journal line is what it should be. */
export type Check = (value: unknown) => boolean;

/** One check for each field of a type, so that a field that is added to the type is added here as well. */
export type Fields<Type> = { readonly [Key in keyof Required<Type>]: Check };

/** Objects of this type. Fields that are not named may be there, too: a newer release may know them. */
export function shape<Type extends object>(fields: Fields<Type>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) => {
    if (!isObject(value)) return false;
    for (const [key, check] of checks) if (!check(value[key])) return false;
    return true;
  };
}

/** Or not there at all. */
export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

export function oneOf(...words: readonly string[]): Check {
  return (value) => typeof value === "string" && words.includes(value);
}

/** A closed union: which member it is stands in one of its fields. */
export function unionBy(tag: string, members: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(members));
  return (value) => {
    const name = isObject(value) ? value[tag] : undefined;
    return typeof name === "string" && (checks.get(name)?.(value) ?? false);
  };
}

export const text: Check = (value) => typeof value === "string";
export const number: Check = (value) => typeof value === "number";
/** 0 or more, without a fraction. */
export const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const flag: Check = (value) => typeof value === "boolean";
export const yes: Check = (value) => value === true;

/** Of JSON: neither `null` nor an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
