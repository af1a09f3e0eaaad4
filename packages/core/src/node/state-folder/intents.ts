import { closeSync, lstatSync, symlinkSync } from "node:fs";
import type { HistoryEntry } from "../../files/index.js";
import { isObject, jsonOf } from "../../text/index.js";
import { codeOf, ifPossible, openDescriptor, openFlags, writeAll } from "../disk/platform.js";
import { namesIn, newId, readLink, readText, removeQuietly } from "../disk/reading.js";
import { keyOf } from "./locks.js";
import { formatIdentity, ownIdentity, type ProcessIdentity, parseIdentity } from "./process-identity.js";
import type { StateFolder } from "./state-folder.js";

/** What a write was about to do: a record that outlives a kill. */
export interface Intent {
  readonly stageName: string;
  readonly change: HistoryEntry;
}

/** An intent as it lies in the state folder, with the process that recorded it. */
export interface StoredIntent extends Intent {
  readonly path: string;
  readonly owner: ProcessIdentity;
}

/**
 * The record is the text of a symbolic link: made by one call, so it is whole or not there. And it is
 * among what file systems keep in their journal: where the state folder and the project share one, the
 * fsync of the stage file makes its record durable, too, and costs nothing more.
 *
 * @returns the path of the record, to be deleted when the write is over. Throws the system's error.
 */
export function writeIntent(state: StateFolder, intent: Intent): string {
  const name = keyOf(intent.change.realPath);
  const text = JSON.stringify({ ...intent, owner: formatIdentity(ownIdentity()) });
  try {
    return makeRecord(state, name, text);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return makeRecord(state, `${name}.${newId()}`, text);
  }
}

function makeRecord(state: StateFolder, name: string, text: string): string {
  const path = state.at("intents", name);
  const isShort = Buffer.byteLength(text) <= linkLimitBytes;
  state.within(state.at("intents"), () => (isShort ? symlinkSync(text, path) : writeRecord(path, text)));
  return path;
}

const linkLimitBytes = 4_095;

/** For a path of thousands of letters, which no link can hold. */
function writeRecord(path: string, text: string): void {
  const fd = openDescriptor(path, openFlags.create, 0o600);
  try {
    writeAll(fd, Buffer.from(text), 0);
  } catch (error) {
    removeQuietly(path);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Whether a write on this path may have left a record: with each lock it is asked for by its name, not looked for. */
export function mayHaveIntent(state: StateFolder, realPath: string): boolean {
  return lstatSync(state.at("intents", keyOf(realPath)), { throwIfNoEntry: false }) !== undefined;
}

/** The records of one path, or of all. Records that a kill left half written are `unreadable`. */
export function readIntents(
  state: StateFolder,
  parse: (value: unknown) => HistoryEntry | undefined,
  realPath?: string,
): { readonly intents: readonly StoredIntent[]; readonly unreadable: readonly string[] } {
  const prefix = realPath === undefined ? "" : keyOf(realPath);
  const intents: StoredIntent[] = [];
  const unreadable: string[] = [];
  for (const name of namesIn(state.at("intents"))) {
    if (!name.startsWith(prefix)) continue;
    const path = state.at("intents", name);
    const intent = readIntent(path, parse);
    if (intent === undefined) unreadable.push(path);
    else intents.push(intent);
  }
  return { intents, unreadable };
}

/** Whether a half-written record is so old that its writer must be gone. */
export function isForgotten(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > forgottenMs;
}

const forgottenMs = 60_000;

function readIntent(
  path: string,
  parse: (value: unknown) => HistoryEntry | undefined,
): StoredIntent | undefined {
  const value = jsonOf(ifPossible(() => readLink(path) || readText(path), undefined) ?? "");
  if (!isObject(value)) return undefined;
  const change = parse(value.change);
  const owner = typeof value.owner === "string" ? parseIdentity(value.owner) : undefined;
  if (change === undefined || owner === undefined || typeof value.stageName !== "string") return undefined;
  return { path, owner, change, stageName: value.stageName };
}
