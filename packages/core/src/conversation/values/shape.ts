import { isObject } from "../../text/index.js";
import { within } from "./json.js";

/**
 * What a value of a journal line is not as it should be: `undefined` where it is, else where and how, such as
 * `args must be an object`, `files[2].path must be a text`.
 */
export type Check = (value: unknown) => string | undefined;

/** One check for each field of a type, so that a field that is added to the type is added here as well. */
export type Fields<Type> = { readonly [Key in keyof Required<Type>]: Check };

/** Objects of this type. Fields that are not named may be there, too: a newer release may know them. */
export function shape<Type extends object>(fields: Fields<Type>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) => {
    if (!isObject(value)) return mustBe("an object");
    for (const [key, check] of checks) {
      const flaw = check(value[key]);
      if (flaw !== undefined) return within(key, flaw);
    }
    return undefined;
  };
}

/** Or not there at all. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value));
}

/** Or `null`. */
export function orNull(check: Check): Check {
  return (value) => (value === null ? undefined : check(value));
}

/** A list of which every item passes; the flaw names the index. */
export function listOf(check: Check): Check {
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
export function oneOf(...words: readonly string[]): Check {
  return (value) =>
    typeof value === "string" && words.includes(value) ? undefined : mustBe(words.join(" or "));
}

/** A closed union: which member it is stands in one of its fields. */
export function unionBy(tag: string, members: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(members));
  return (value) => {
    const name = isObject(value) ? value[tag] : undefined;
    const check = typeof name === "string" ? checks.get(name) : undefined;
    if (check !== undefined) return check(value);
    return isObject(value) ? within(tag, mustBe([...checks.keys()].join(" or "))) : mustBe("an object");
  };
}

export const text: Check = (value) => (typeof value === "string" ? undefined : mustBe("a text"));
/** JSON writes another one as null, which no line could be read back with. */
export const number: Check = (value) => (Number.isFinite(value) ? undefined : mustBe("a number"));
/** 0 or more, without a fraction. */
export const count: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : mustBe("a whole number from 0");
export const flag: Check = (value) => (typeof value === "boolean" ? undefined : mustBe("true or false"));
export const yes: Check = (value) => (value === true ? undefined : mustBe("true"));
export const object: Check = (value) => (isObject(value) ? undefined : mustBe("an object"));

function mustBe(what: string): string {
  return ` must be ${what}`;
}
