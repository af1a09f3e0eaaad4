import { hash } from "node:crypto";
import { entriesOf, type FileAccess, type HistoryEntry, type Operation } from "../../files/index.js";
import { isObject, jsonOf } from "../../text/index.js";
import { sha256 } from "../disk/reading.js";

/**
 * A line of the operation log is `["CHECK","KEYS",{…}]`. The check is the beginning of the SHA-256 of the operation's text,
 * so a line that was cut or damaged is left out. The keys, six characters each, are those of its files, its conversation
 * and its change set: whoever looks for one of them parses no other line.
 */
export function formatOperation(operation: Operation): string {
  const { files, caller, changeSet } = operation;
  const named = [...files.map(({ realPath }) => realPath), caller?.conversation, changeSet];
  const keys = new Set(named.filter((name) => name !== undefined).map(keyText));
  return withCheck(JSON.stringify(operation), `"${[...keys].join("")}",`);
}

/** A text of JSON behind its check. */
export function withCheck(text: string, between = ""): string {
  return `["${checkOf(text)}",${between}${text}]`;
}

/** Where the keys stand in a line; one of an earlier release has none. */
export const keysAt = 21;
export const keyBytes = 6;

function keyText(name: string): string {
  return hash("sha256", name, "base64url").slice(0, keyBytes);
}

/** The key of a path, a conversation or a change set, as the number that its bytes are. */
export function lineKey(name: string): number {
  return Buffer.from(keyText(name)).readUIntBE(0, keyBytes);
}

/** What a line says: its operation, and what that is to each file. */
export interface ParsedLine {
  /** Undefined of a line of an earlier release, which wrote one a file. */
  readonly operation?: Operation;
  /** By real path. */
  readonly entries: ReadonlyMap<string, HistoryEntry>;
}

/** @returns undefined for a damaged line. */
export function parseLine(line: string): ParsedLine | undefined {
  const value = proved(line);
  if (!isObject(value) || !("files" in value)) {
    const entry = parseEntry(value);
    return entry && { entries: byPath([entry]) };
  }
  if (!Array.isArray(value.files) || !value.files.every(isObject)) return undefined;
  // A cast: each field is looked at in the entries.
  const operation = value as unknown as Operation;
  const entries = entriesOf(operation);
  const isRight = entries.every((entry) => parseEntry(entry) !== undefined);
  return isRight ? { operation, entries: byPath(entries) } : undefined;
}

function byPath(entries: readonly HistoryEntry[]): ReadonlyMap<string, HistoryEntry> {
  return new Map(entries.map((entry) => [entry.realPath, entry]));
}

/** The JSON behind the check of a line; undefined where that is wrong. */
export function proved(line: string): unknown {
  const [, check, text] = /^\["([0-9a-f]{16})",(?:"[\w-]*",)?(.*)\]$/s.exec(line) ?? [];
  return text === undefined || checkOf(text) !== check ? undefined : jsonOf(text);
}

function checkOf(text: string): string {
  return sha256(text).slice(0, 16);
}

/** An entry from JSON; undefined where it is none. Up to 0.1 that of a deletion called its access `removed`. */
export function parseEntry(value: unknown): HistoryEntry | undefined {
  if (!isObject(value)) return undefined;
  const fields: Partial<Record<keyof HistoryEntry, unknown>> =
    "removed" in value ? { ...value, access: value.removed } : value;
  const { id, realPath, time, session, tool, before, after, folders = [] } = fields;
  const texts =
    [id, realPath, session, tool].every((field) => typeof field === "string") && isCaller(fields.caller);
  const hashes = [before, after].every((field) => field === null || isHash(field));
  const isRight = areTexts(folders) && isAccess(fields.access);
  // Every field was just looked at.
  return texts && hashes && isRight && typeof time === "number" ? (fields as HistoryEntry) : undefined;
}

function isCaller(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const of = "call" in value ? value.call : value.restore;
  return areTexts([value.conversation, value.path, of]);
}

function isAccess(value: unknown): boolean {
  if (value === undefined) return true;
  if (!isObject(value)) return false;
  const fields: Partial<Record<keyof FileAccess, unknown>> = value;
  const { mode, uid = 0, gid = 0, hadMore = true, folders = [] } = fields;
  const areIds = [uid, gid].every((id) => typeof id === "number" && Number.isInteger(id) && id >= 0);
  const isMode = typeof mode === "number" && Number.isInteger(mode) && mode >= 0 && mode <= 0o7777;
  const areFolders = Array.isArray(folders) && folders.every((one) => one !== undefined && isAccess(one));
  return isMode && areIds && hadMore === true && areFolders;
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
