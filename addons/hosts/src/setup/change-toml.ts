import { isDeepStrictEqual } from "node:util";
import { parse, patch } from "@decimalturn/toml-patch";
import { isRefusal, type Refusal } from "@holdfast/core/files";
import { isObject } from "../rules/settings-text.js";
import type { ChangedSettings } from "./changed-settings.js";
import type { Setting } from "./client-settings.js";
import { wantedValue } from "./wanted-value.js";

type TomlTable = Readonly<Record<string, unknown>>;

/**
 * Puts settings into a text of TOML, or takes them out. What comes out is read again: where it is not the present settings
 * with the wanted ones in them, or a line went that no setting is about, the file is left alone.
 *
 * @returns `invalid_arguments` where the file is no TOML, or cannot be changed without touching more.
 */
export function changeToml(text: string, settings: readonly Setting[]): ChangedSettings {
  const present = read(text);
  if (isRefusal(present)) return present;
  const isThere = (setting: Setting) =>
    setting.onlyIf === undefined || Number(valueAt(present.table, setting.path)) === setting.onlyIf;
  const meant = settings.filter(isThere);
  let wanted: TomlTable | undefined = present.table;
  for (const setting of meant) {
    wanted = wanted === undefined ? undefined : withSetting(wanted, setting.path, setting);
  }
  if (wanted === undefined) return refuseFile("something else stands in the place of a setting");
  if (isDeepStrictEqual(plain(wanted), plain(present.table))) return { kind: "changed", text };
  return withoutOurs(text, wanted, meant) ?? write(text, wanted, meant);
}

/** Our lines alone are taken out, where that is the whole difference. */
function withoutOurs(
  text: string,
  wanted: TomlTable,
  settings: readonly Setting[],
): ChangedSettings | undefined {
  if (settings.some((setting) => "value" in setting)) return undefined;
  const changed = settings.reduce((left, { path }) => withoutLines(left, path), text);
  const left = read(changed);
  const isWanted = !isRefusal(left) && isDeepStrictEqual(withoutEmpty(left.table), withoutEmpty(wanted));
  return isWanted ? { kind: "changed", text: changed } : undefined;
}

/** A person's own header of a table stays, though the table be empty now. */
function withoutEmpty(table: TomlTable): unknown {
  return plain(Object.fromEntries(Object.entries(table).filter(([, member]) => !isEmptyTable(member))));
}

function isEmptyTable(value: unknown): boolean {
  return isObject(value) && !(value instanceof Date) && Object.keys(value).length === 0;
}

function write(text: string, wanted: TomlTable, settings: readonly Setting[]): ChangedSettings {
  const begun = settings.reduce(withTable, text);
  for (const start of [begun, text]) {
    const changed = patched(start, wanted);
    if (changed !== undefined && keepsOthers(text, changed, settings))
      return { kind: "changed", text: changed };
  }
  return refuseFile("it cannot be changed without touching other settings; change it by hand");
}

/** A table of its own at the end reads better than what the library would write between others. */
function withTable(text: string, { path, value }: Setting): string {
  if (!isObject(value) || lookUp(text, path) !== undefined) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const before = text === "" || text.endsWith("\n") ? text : text + eol;
  const members = Object.entries(value).map(([name, member]) => `${name} = ${JSON.stringify(member)}`);
  return [before, ...(before === "" ? [] : [eol]), [`[${path.join(".")}]`, ...members, ""].join(eol)].join(
    "",
  );
}

function lookUp(text: string, path: readonly string[]): unknown {
  const present = read(text);
  if (isRefusal(present)) return undefined;
  return valueAt(present.table, path);
}

function valueAt(table: TomlTable, path: readonly string[]): unknown {
  return path.reduce((value: unknown, name) => (isObject(value) ? value[name] : undefined), table);
}

function patched(text: string, wanted: TomlTable): string | undefined {
  try {
    const changed = patch(text, wanted);
    return isDeepStrictEqual(plain(parse(changed)), plain(wanted)) ? changed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether every line stands as it did, but for those that name a part of what was set. */
function keepsOthers(before: string, after: string, settings: readonly Setting[]): boolean {
  const lines = new Set(after.split(/\r?\n/));
  const ours = settings.flatMap(({ path, value }) => [
    ...path.slice(-1),
    ...(isObject(value) ? Object.keys(value) : []),
    ...(value === undefined ? ["command", "args", "required", ...path] : []),
  ]);
  const lost = before.split(/\r?\n/).filter((line) => !lines.has(line));
  return lost.every((line) => ours.some((name) => line.includes(name)) || /^[\s\]",]*$/.test(line));
}

function read(
  text: string,
): { readonly kind: "read"; readonly table: TomlTable } | ReturnType<typeof refuseFile> {
  try {
    return { kind: "read", table: parse(text) };
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return refuseFile(`it is not TOML: ${reason}`);
  }
}

/** Undefined where a part of the path is no table. */
function withSetting(table: TomlTable, path: readonly string[], setting: Setting): TomlTable | undefined {
  const [name = "", ...rest] = path;
  const present = Object.hasOwn(table, name) ? table[name] : undefined;
  if (rest.length === 0) {
    if ("value" in setting) return { ...table, [name]: wantedValue(present, setting) };
    return omit(table, name);
  }
  if (present === undefined && !("value" in setting)) return table;
  if (present !== undefined && !isObject(present)) return undefined;
  const inner = withSetting(present ?? {}, rest, setting);
  if (inner === undefined) return undefined;
  // What held nothing but ours goes with it.
  const isLeft = "value" in setting || !isEmptyTable(inner) || isEmptyTable(present);
  return { ...omit(table, name), ...(isLeft ? { [name]: inner } : {}) };
}

function omit(table: TomlTable, name: string): TomlTable {
  const { [name]: _, ...others } = table;
  return others;
}

/** Without prototypes and classes of the library, by which equal values would differ. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)));
}

/** Nothing is guessed about a file that cannot be read. */
function refuseFile(reason: string): Refusal {
  return { kind: "refusal", code: "invalid_arguments", message: `The file is left alone: ${reason}.` };
}

/**
 * A text of TOML without the lines of one setting: the line of a value of the root, or the tables of a path, as setup
 * writes them. Comments and blank lines at the end of a table belong to what follows. What comes out is to be read
 * again: a line in a text over several lines may look like a header.
 */
function withoutLines(text: string, path: readonly string[]): string {
  const lines = text.split(/(?<=\n)/);
  return path.length === 1 ? withoutValue(lines, path[0] ?? "") : withoutTables(lines, path.join("."));
}

function withoutValue(lines: readonly string[], name: string): string {
  const at = lines.findIndex((line) => line.startsWith(name) && /^\s*=/.test(line.slice(name.length)));
  const left = lines.filter((_, index) => index !== at);
  // The blank line that parted it from the first table.
  return (at === 0 && isBlank(left[0]) ? left.slice(1) : left).join("");
}

function withoutTables(lines: readonly string[], name: string): string {
  const left: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = tableEnd(lines, at, name);
    const isParted = isBlank(left.at(-1)) && (end === lines.length || isBlank(lines[end]));
    if (end > at && isParted) left.pop();
    if (end === at) left.push(lines[at] ?? "");
    at = Math.max(end, at + 1);
  }
  return left.join("");
}

/** Behind the last line of the table that begins here; where it begins, if it is another's. */
function tableEnd(lines: readonly string[], start: number, name: string): number {
  const header = lines[start] ?? "";
  if (!header.startsWith(`[${name}]`) && !header.startsWith(`[${name}.`)) return start;
  let end = start + 1;
  while (end < lines.length && !/^\s*\[/.test(lines[end] ?? "")) end += 1;
  while (/^\s*(?:#.*)?\r?\n?$/.test(lines[end - 1] ?? "")) end -= 1;
  return end;
}

function isBlank(line: string | undefined): boolean {
  return line?.trim() === "";
}
