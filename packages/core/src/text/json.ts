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

/**
 * A type, declared once: the look at a value, and, by `Infer`, the type of what passed. The look gives
 * what is not as it should be: `undefined` where all is, else where and how, such as `args must be an object`,
 * `files[2].path must be a text`.
 */
export interface Schema<Type> {
  (value: unknown): string | undefined;
  /** Never there: it bears the type alone. */
  readonly type?: Type;
}

/** The type of the values that pass. */
export type Infer<Of> = Of extends Schema<infer Type> ? Type : never;

/** A field that need not be there. */
export interface Optional<Type> extends Schema<Type> {
  readonly isOptional: true;
}

/** Of objects. */
export interface ObjectSchema<Of extends Fields> extends Schema<ObjectOf<Of>> {
  readonly fields: Of;
}

type Fields = Readonly<Record<string, Schema<unknown>>>;
type OptionalKey<Of extends Fields> = {
  [Key in keyof Of]: Of[Key] extends Optional<unknown> ? Key : never;
}[keyof Of];
type Required<Of extends Fields> = { readonly [Key in keyof Omit<Of, OptionalKey<Of>>]: Infer<Of[Key]> };
type Possible<Of extends Fields> = { readonly [Key in keyof Pick<Of, OptionalKey<Of>>]?: Infer<Of[Key]> };
type ObjectOf<Of extends Fields> = Merged<Required<Of> & Possible<Of>>;
type Merged<Type> = { readonly [Key in keyof Type]: Type[Key] };

/** Objects with these fields. Others may be there, too: a newer release may know them. */
function shape<Of extends Fields>(fields: Of): ObjectSchema<Of> {
  const checks = Object.entries(fields);
  const check: Schema<ObjectOf<Of>> = (value) => {
    if (!isObject(value)) return mustBe("an object");
    for (const [key, check] of checks) {
      const flaw = check(value[key]);
      if (flaw !== undefined) return within(key, flaw);
    }
    return undefined;
  };
  return Object.assign(check, { fields });
}

/** Or not there at all. */
function optional<Type>(check: Schema<Type>): Optional<Type> {
  const orAbsent: Schema<Type> = (value) => (value === undefined ? undefined : check(value));
  return Object.assign(orAbsent, { isOptional: true as const });
}

/** Or `null`. */
function orNull<Type>(check: Schema<Type>): Schema<Type | null> {
  return (value) => (value === null ? undefined : check(value));
}

/** A list of which every item passes; the flaw names the index. */
function listOf<Type>(check: Schema<Type>): Schema<readonly Type[]> {
  return (value) => {
    if (!Array.isArray(value)) return mustBe("a list");
    for (const [at, item] of value.entries()) {
      const flaw = check(item);
      if (flaw !== undefined) return within(`[${at}]`, flaw);
    }
    return undefined;
  };
}

/** One of these texts. */
function oneOf<const Word extends string>(...words: readonly Word[]): Schema<Word> {
  const taken: readonly string[] = words;
  return (value) =>
    typeof value === "string" && taken.includes(value) ? undefined : mustBe(words.join(" or "));
}

/** A closed union: which member it is stands in one of its fields. */
function unionBy<Members extends Fields>(
  tag: string,
  members: Members,
): Schema<Infer<Members[keyof Members]>> {
  const checks = new Map(Object.entries(members));
  return (value) => {
    const name = isObject(value) ? value[tag] : undefined;
    const check = typeof name === "string" ? checks.get(name) : undefined;
    if (check !== undefined) return check(value);
    return isObject(value) ? within(tag, mustBe([...checks.keys()].join(" or "))) : mustBe("an object");
  };
}

const text: Schema<string> = (value) => (typeof value === "string" ? undefined : mustBe("a text"));
/** Finite: JSON writes another one as null. */
const number: Schema<number> = (value) => (Number.isFinite(value) ? undefined : mustBe("a number"));
/** 0 or more, without a fraction. */
const count: Schema<number> = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : mustBe("a whole number from 0");
const flag: Schema<boolean> = (value) => (typeof value === "boolean" ? undefined : mustBe("true or false"));
const yes: Schema<true> = (value) => (value === true ? undefined : mustBe("true"));
const object: Schema<Readonly<Record<string, unknown>>> = (value) =>
  isObject(value) ? undefined : mustBe("an object");

/** A flaw of a part, as one of the whole. */
function within(part: string, flaw: string): string {
  return flaw.startsWith(" ") || flaw.startsWith("[") ? `${part}${flaw}` : `${part}.${flaw}`;
}

/** What follows the name of the part that it is not. */
function mustBe(what: string): string {
  return ` must be ${what}`;
}

/** What types that are declared once consist of; see `Schema`. */
export const shapes = {
  shape,
  optional,
  orNull,
  listOf,
  oneOf,
  unionBy,
  text,
  number,
  count,
  flag,
  yes,
  object,
  within,
  mustBe,
};
