import { isDeepStrictEqual } from "node:util";
import { parse, patch } from "@decimalturn/toml-patch";
import { isObject } from "@holdfast/core/text";
import type { ChangedSettings, Setting } from "./client-settings.js";
import { wantedValue } from "./wanted-value.js";

type TomlTable = Readonly<Record<string, unknown>>;

/**
 * Puts a server into a text of TOML, or takes it out. What comes out is read again: where it is not the present settings with
 * the wanted one in them, or a line went that it is not about, the file is left alone.
 *
 * @returns `invalid_arguments` where the file is no TOML, or cannot be changed without touching more.
 */
export function changeToml(text: string, [setting]: readonly Setting[]): ChangedSettings {
  const [table, name] = setting?.path ?? [];
  if (setting === undefined || table === undefined || name === undefined) return { kind: "changed", text };
  try {
    const present = parse(text);
    const servers = present[table] ?? {};
    if (!isObject(servers)) return refuseFile("something else stands in the place of a setting");
    const { [name]: server, ...others } = servers;
    const isSet = "value" in setting;
    if (!isSet && server === undefined) return { kind: "changed", text };
    const wanted = {
      ...present,
      [table]: { ...others, ...(isSet ? { [name]: wantedValue(server, setting) } : {}) },
    };
    if (isSame(wanted, present)) return { kind: "changed", text };
    const path = `${table}.${name}`;
    const simple = isSet ? withTable(text, path, setting.value) : withoutTables(text, path);
    // A table that held nothing but ours goes with it, where the library writes.
    const library = () =>
      patch(text, isSet || Object.keys(others).length > 0 ? wanted : omit(present, table));
    for (const change of [() => simple, library]) {
      const after = tried(change);
      const isWanted = after !== undefined && isSame(parse(after), wanted);
      if (isWanted && (after === simple || keepsOthers(text, after))) return { kind: "changed", text: after };
    }
    return refuseFile("it cannot be changed without touching other settings; change it by hand");
  } catch (error) {
    const [reason = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return refuseFile(`it is not TOML: ${reason}`);
  }
}

function tried(change: () => string): string | undefined {
  try {
    const changed = change();
    parse(changed);
    return changed;
  } catch {
    return undefined;
  }
}

/** Without prototypes and classes of the library, and without tables that are empty. */
function isSame(one: TomlTable, other: TomlTable): boolean {
  const isEmpty = (part: unknown) => isObject(part) && Object.keys(part).length === 0;
  const plainPart = (key: string, part: unknown) =>
    typeof part === "bigint" ? `${part}n` : key !== "" && isEmpty(part) ? undefined : part;
  const plain = (value: TomlTable): unknown => JSON.parse(JSON.stringify(value, plainPart));
  return isDeepStrictEqual(plain(one), plain(other));
}

/** A table of its own at the end reads better than what the library would write between others. */
function withTable(text: string, path: string, value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const members = Object.entries(Object(value)).map(
    ([name, member]) => `${name} = ${JSON.stringify(member)}`,
  );
  const before = text === "" ? [] : [text.endsWith("\n") ? text : text + eol, eol];
  return [...before, [`[${path}]`, ...members, ""].join(eol)].join("");
}

/** Whether every line stands as it did, but for those that name a part of what is ours. */
function keepsOthers(before: string, after: string): boolean {
  const lines = new Set(after.split(/\r?\n/));
  const lost = before.split(/\r?\n/).filter((line) => !lines.has(line));
  return lost.every((line) => /holdfast|mcp_servers|command|args|required|^[\s\]",]*$/.test(line));
}

function omit(table: TomlTable, name: string): TomlTable {
  const { [name]: _, ...others } = table;
  return others;
}

/** The lines without the tables of a path. Comments and blank lines at the end of a table belong to what follows. */
function withoutTables(text: string, path: string): string {
  const lines = text.split(/(?<=\n)/);
  const left: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = tableEnd(lines, at, path);
    const isParted = isBlank(left.at(-1)) && (end === lines.length || isBlank(lines[end]));
    if (end > at && isParted) left.pop();
    if (end === at) left.push(lines[at] ?? "");
    at = Math.max(end, at + 1);
  }
  return left.join("");
}

/** Behind the last line of the table that begins here; where it begins, if it is another's. */
function tableEnd(lines: readonly string[], start: number, path: string): number {
  const header = lines[start] ?? "";
  if (!header.startsWith(`[${path}]`) && !header.startsWith(`[${path}.`)) return start;
  let end = start + 1;
  while (end < lines.length && !/^\s*\[/.test(lines[end] ?? "")) end += 1;
  while (/^\s*(?:#.*)?\r?\n?$/.test(lines[end - 1] ?? "")) end -= 1;
  return end;
}

function isBlank(line: string | undefined): boolean {
  return line?.trim() === "";
}

/** Nothing is guessed about a file that cannot be read. */
function refuseFile(reason: string): ChangedSettings {
  return { kind: "refusal", code: "invalid_arguments", message: `The file is left alone: ${reason}.` };
}
