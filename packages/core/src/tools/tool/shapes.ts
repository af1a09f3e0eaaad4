import { type Refusal, refuse } from "../../files/index.js";
import { clip, escapeForDisplay, isObject } from "../../text/index.js";
import { flatList, hostArguments, mayBeEmpty, meaningsOf, nearestName, plainName } from "./spellings.js";

/** The part of a JSON Schema that says what an argument looks like. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A call's arguments under their true names. */
export interface NamedArguments {
  readonly kind: "understood";
  readonly values: Readonly<Record<string, unknown>>;
  /** Sentences about arguments that the tool does not have, each with the one that may be meant. */
  readonly strays: readonly string[];
}

/**
 * Reads a call's arguments in the shapes that models send: other names (`spellings`), the members of one edit
 * beside the other arguments, lists and objects as JSON text, one edit for a list of them, numbers and booleans as
 * text. What is in another shape yet stays as it is, for the schema to refuse.
 *
 * @param schema the JSON Schema of the arguments; what it says of nested lists and objects holds there.
 * @returns `invalid_arguments` where two arguments that mean the same differ, with both names.
 */
export function understand(
  schema: JsonSchema,
  given: Readonly<Record<string, unknown>>,
): NamedArguments | Refusal<"invalid_arguments"> {
  const notes: Notes = { strays: [], conflicts: [] };
  const values = readObject(schema, given, { where: "", notes });
  const [conflict] = notes.conflicts;
  if (conflict !== undefined) return refuse("invalid_arguments", conflict);
  return { kind: "understood", values, strays: notes.strays };
}

interface Notes {
  readonly strays: string[];
  readonly conflicts: string[];
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
  for (const [name, value] of Object.entries(given)) {
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
  const left = takeFlat(fields[flatList], values, strays, site);
  noteStrays(left, Object.keys(fields), site);
  return values;
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

function noteStrays(
  strays: readonly Source[],
  names: readonly string[],
  { where, notes }: ArgumentSite,
): void {
  for (const { name } of strays) {
    if (hostArguments.includes(name) || notes.strays.length >= mostStrays) continue;
    const near = nearestName(name.slice(0, mostNameUnits), names);
    const meant = near === undefined ? "." : `; did you mean ${near}?`;
    const at = where === "" ? "There is no argument" : `${where} has no`;
    notes.strays.push(`${at} ${named(name)}${meant}`);
  }
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
    default:
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
  const list = asList(parsed(value), item, site.where);
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
  for (const text of [value, escapeControls(value)]) {
    try {
      return JSON.parse(text);
    } catch {
      // The next form, or the text itself.
    }
  }
  return value;
}

/** Models leave line breaks and tabs in the texts of their JSON as they are; outside of a text they are blanks. */
function escapeControls(json: string): string {
  const parts: string[] = [];
  let from = 0;
  let isInside = false;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === backslash) at++;
    else if (unit === quotationMark) isInside = !isInside;
    else if (isInside && unit < firstPrintable) {
      parts.push(json.slice(from, at), JSON.stringify(json.charAt(at)).slice(1, -1));
      from = at + 1;
    }
  }
  return [...parts, json.slice(from)].join("");
}

const [backslash, quotationMark, firstPrintable] = [0x5c, 0x22, 0x20];

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
