import { type Refusal, refuse } from "../../files/values/index.js";
import { clip, escapeForDisplay, isObject, repairedJson } from "../../text/index.js";
import {
  chosenWord,
  flatList,
  isOfHost,
  lineRange,
  mayBeEmpty,
  meaningsOf,
  nearestName,
  plainName,
} from "./spellings.js";

/** The part of a JSON Schema that says what an argument looks like. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A call's arguments under their true names. */
export interface NamedArguments {
  readonly kind: "understood";
  readonly values: Readonly<Record<string, unknown>>;
  /** Of a tool that only reads: the arguments that it does not have, and those that it takes. "" where there are none. */
  readonly ignored: string;
}

/** A tool, as far as its arguments are named. */
export interface ArgumentDoor {
  /** What its refusals call it. */
  readonly name: string;
  /** The JSON Schema of the arguments; what it says of nested lists and objects holds there. */
  readonly schema: JsonSchema;
  readonly readOnly: boolean;
}

/**
 * The one door of a call's arguments. They are read in the shapes that models send: other names (`spellings`), the
 * members of one edit beside the other arguments, lists and objects as JSON text, one edit or one text for a list of
 * them, numbers and booleans as text. What is in another shape yet stays as it is, for the schema to refuse.
 *
 * @returns `invalid_arguments` where two arguments that mean the same differ, with both names; and where a tool that
 *   changes something is given an argument that it does not have, with those that it takes.
 */
export function understand(
  { name, schema, readOnly }: ArgumentDoor,
  given: Readonly<Record<string, unknown>>,
): NamedArguments | Refusal<"invalid_arguments"> {
  const notes: Notes = { strays: [], conflicts: [] };
  const values = readObject(schema, given, { where: "", notes });
  const [conflict] = notes.conflicts;
  if (conflict !== undefined) return refuse("invalid_arguments", `${name}: ${conflict}`);
  const strays = sayStrays(name, notes.strays);
  if (strays !== "" && !readOnly) return refuse("invalid_arguments", strays);
  return { kind: "understood", values, ignored: strays };
}

interface Notes {
  readonly strays: Stray[];
  readonly conflicts: string[];
}

/** An argument that its tool, or the list or object that it stands in, does not have. */
interface Stray {
  readonly name: string;
  readonly where: string;
  /** Those that are taken there. */
  readonly taken: readonly string[];
}

/** The number of a line, also as text; undefined for what is none. */
function lineNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && wholeNumber.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Where in the arguments a value stands, such as `edits[0]`; "" at the top. */
interface ArgumentSite {
  readonly where: string;
  readonly notes: Notes;
}

/** A value, and the name that it came under. */
interface Source {
  readonly name: string;
  readonly value: unknown;
}

function readObject(schema: JsonSchema, given: object, site: ArgumentSite): Record<string, unknown> {
  const fields = fieldsOf(schema);
  const meanings = meaningsOf(Object.keys(fields));
  const sources = new Map<string, Source[]>();
  const strays: Source[] = [];
  for (const [name, value] of withRange(fields, Object.entries(given))) {
    const own = Object.hasOwn(fields, name) ? name : meanings.get(plainName(name));
    if (own === undefined) strays.push({ name, value });
    else sources.set(own, [...(sources.get(own) ?? []), { name, value }]);
  }
  const values: Record<string, unknown> = {};
  for (const [own, all] of sources) {
    const read = all.map(({ name, value }) => ({
      name,
      value: readValue(fields[own] ?? {}, value, { ...site, where: inside(site.where, own) }),
    }));
    values[own] = chooseSource(own, read, site);
  }
  const taken = Object.keys(fields).filter((name) => fields[name]?.unlisted !== true);
  const others = takeFlat(fields[flatList], values, strays, site);
  // Beside members of the one change another one may be meant.
  if (others.length < strays.length)
    taken.push(...Object.keys(fieldsOf(schemaAt(fields[flatList], "items"))));
  for (const { name, value } of others)
    if (value !== null && !isOfHost(name)) site.notes.strays.push({ name, where: site.where, taken });
  return values;
}

type Entries = readonly (readonly [string, unknown])[];

/** `start_line` and `end_line` as what names lines here: `offset` and `limit`, or `lines`; as they are where they name none. */
function withRange(fields: Readonly<Record<string, JsonSchema>>, given: Entries): Entries {
  const givenAs = (name: string) => {
    const value = given.find(([one]) => plainName(one) === plainName(name))?.[1];
    return value === null || value === "" ? undefined : value;
  };
  const { first, last } = lineRange;
  const isWindow = "limit" in fields && "offset" in fields;
  const from = lineNumber(givenAs(first) ?? (isWindow ? (givenAs("offset") ?? 1) : undefined));
  const to = lineNumber(givenAs(last));
  const hasLines = "lines" in fields || "lines" in fieldsOf(schemaAt(fields[flatList], "items"));
  const isTaken = isWindow ? givenAs("limit") === undefined : hasLines && givenAs("lines") === undefined;
  if (!isTaken || from === undefined || to === undefined || to < from) return given;
  const names = (isWindow ? [last] : [first, last]).map(plainName);
  const range = isWindow ? (["limit", to - from + 1] as const) : (["lines", `${from}-${to}`] as const);
  return [...given.filter(([name]) => !names.includes(plainName(name))), range];
}

function inside(where: string, name: string): string {
  return where === "" ? name : `${where}.${name}`;
}

/** The one value of all sources that say something. */
function chooseSource(own: string, all: readonly Source[], site: ArgumentSite): unknown {
  const said = all.filter(({ value }) => value !== null && (value !== "" || mayBeEmpty(own)));
  const [first = all[0], ...others] = said;
  const other = others.find(({ value }) => !isSame(value, first?.value));
  if (first !== undefined && other !== undefined) {
    const both = [first, other].map(({ name, value }) => `${named(name)} (${shown(value)})`).join(" and ");
    const at = site.where === "" ? "" : `${site.where}: `;
    const which = `Give ${own} alone.`;
    site.notes.conflicts.push(`${at}${both} mean the same argument and differ. ${which}`);
  }
  return first?.value;
}

/** The members of the one change of a call that stand beside its other arguments. */
function takeFlat(
  list: JsonSchema | undefined,
  values: Record<string, unknown>,
  strays: readonly Source[],
  site: ArgumentSite,
): readonly Source[] {
  const item = schemaAt(list, "items");
  const members = Object.keys(fieldsOf(item));
  const meanings = meaningsOf(members);
  const meant = strays.map((stray) => ({ stray, own: meanings.get(plainName(stray.name)) }));
  const flat = meant.filter(({ own }) => own !== undefined);
  // Either of these says where the change is to be made.
  const telling = [...requiredOf(item), "old_string", "lines"];
  if (!flat.some(({ own }) => telling.includes(own ?? ""))) return strays;
  const where = `${inside(site.where, flatList)}[0]`;
  const change = readObject(item, Object.fromEntries(flat.map(({ stray }) => [stray.name, stray.value])), {
    ...site,
    where,
  });
  const given = values[flatList];
  const isGiven = given !== undefined && given !== null && given !== "" && !isSame(given, []);
  if (isGiven && !isSame(given, [change])) {
    const names = flat.map(({ stray }) => named(stray.name)).join(", ");
    site.notes.conflicts.push(`Both ${flatList} and ${names} are given. Put every change into ${flatList}.`);
  }
  if (!isGiven) values[flatList] = [change];
  return meant.flatMap(({ stray, own }) => (own === undefined ? [stray] : []));
}

/** The names that are not taken, each with the one that may be meant, and those that are taken; "" where there are none. */
function sayStrays(tool: string, strays: readonly Stray[]): string {
  const [first] = strays;
  if (first === undefined) return "";
  const said = strays.slice(0, mostStrays).map(({ name, where, taken }) => {
    const near = nearestName(name.slice(0, mostNameUnits), taken);
    const meant = near === undefined ? "." : `; did you mean ${near}?`;
    return `${where === "" ? tool : where} has no argument ${named(name)}${meant}`;
  });
  const others = strays.length - said.length;
  const more = others === 0 ? [] : [`${others} more are not taken either.`];
  const takes = first.taken.length === 0 ? "no arguments" : first.taken.join(", ");
  const it = strays.length === 1 ? "It" : first.where || tool;
  return [...said, ...more, `${it} takes ${takes}.`].join(" ");
}

const mostStrays = 3;
const mostNameUnits = 40;

function readValue(schema: JsonSchema, value: unknown, site: ArgumentSite): unknown {
  switch (schema.type) {
    case "array":
      return readList(schema, value, site);
    case "object": {
      const nested = parsed(value);
      return isObject(nested) && "properties" in schema ? readObject(schema, nested, site) : nested;
    }
    case "integer":
    case "number":
      return typeof value === "string" && wholeNumber.test(value) ? Number(value) : value;
    case "boolean":
      return typeof value === "string" ? (booleans.get(value.trim().toLowerCase()) ?? value) : value;
    case "string":
      if (typeof value === "string" && Array.isArray(schema.enum)) return chosenWord(value, schema.enum);
      if (typeof value === "string" && /(^|\.)(file_path|path)$/.test(site.where)) return pathIn(value);
      // One line may be written as a number; of other texts nobody says that they are one.
      return Number.isSafeInteger(value) && /(^|\.)lines$/.test(site.where) ? String(value) : value;
    default:
      return value;
  }
}

/** The path of a URL of a file. */
function pathIn(value: string): string {
  if (!/^file:\/\/(localhost)?\//i.test(value)) return value;
  try {
    return decodeURIComponent(value.replace(/^file:\/\/(localhost)?/i, ""));
  } catch {
    return value;
  }
}

const wholeNumber = /^\s*-?\d{1,15}(\.0+)?\s*$/;
const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

function readList(schema: JsonSchema, value: unknown, site: ArgumentSite): unknown {
  const item = schemaAt(schema, "items");
  const read = parsed(value);
  const isOneText = item.type === "string" && typeof read === "string" && read !== "";
  const list = isOneText ? [read] : asList(read, item, site.where);
  if (!Array.isArray(list)) return list;
  return list.map((one: unknown, at) => readValue(item, one, { ...site, where: `${site.where}[${at}]` }));
}

/** One object is a list of one; an object whose only member is the list under its own name is that list. */
function asList(value: unknown, item: JsonSchema, where: string): unknown {
  if (!isObject(value) || item.type !== "object") return value;
  const [only, ...others] = Object.entries(value);
  const isWrapped =
    others.length === 0 &&
    only !== undefined &&
    plainName(only[0]) === plainName(where.split(".").at(-1) ?? "");
  return isWrapped ? parsed(only[1]) : [value];
}

/** A list or an object that was written as JSON text; any other text as it is. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  const read = repairedJson(value);
  return read.kind === "read" ? read.value : value;
}

function fieldsOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return schemaAt(schema, "properties") as Readonly<Record<string, JsonSchema>>;
}

function schemaAt(schema: JsonSchema | undefined, key: "items" | "properties"): JsonSchema {
  const found = schema?.[key];
  return isObject(found) ? found : {};
}

function requiredOf({ required }: JsonSchema): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

/** Of what is nested deeper than any argument it is not said that it is the same. */
function isSame(one: unknown, two: unknown, depth = 8): boolean {
  if (Object.is(one, two)) return true;
  if (typeof one !== "object" || typeof two !== "object" || one === null || two === null) return false;
  const [left, right] = [Object.entries(one), new Map(Object.entries(two))];
  if (depth === 0 || left.length !== right.size || Array.isArray(one) !== Array.isArray(two)) return false;
  return left.every(([key, value]) => isSame(value, right.get(key), depth - 1));
}

function named(name: string): string {
  return clip(escapeForDisplay(name), mostNameUnits);
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${clip(escapeForDisplay(value), mostNameUnits)}"`;
  return typeof value === "object" ? "a list or an object" : String(value);
}
