import { lstat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { NotRead } from "@holdfast/core/node";
import { complaint, entriesIn, readRegular } from "./foreign-files.js";

/** A session of opencode, as its store lists it. */
export interface OpencodeListed {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly title: string | undefined;
  readonly directory: string | undefined;
  readonly createdMs: number;
  readonly updatedMs: number;
  /** Of its own records. */
  readonly sizeBytes: () => Promise<number>;
  /** The file or folder that it is in. */
  readonly place: string;
  /** Its own records. */
  readonly records: () => Promise<OpencodeLines>;
}

/** The records of a session, one a line, and what could not be read of it. */
export interface OpencodeLines {
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/** What a place of opencode holds, or why it cannot be looked at. */
interface OpencodeFound {
  readonly sessions: readonly OpencodeListed[];
  readonly problems: readonly string[];
}

/**
 * The sessions that opencode keeps: in a database (`opencode.db`, since early 2026), before that in one file
 * for each session, message and part (`storage/`). What is in both is taken from the database.
 */
export async function opencodeSessions(home: string): Promise<OpencodeFound> {
  const problems: string[] = [];
  const entries = entriesIn(home, problems, { links: "followed" });
  const sessions = new Map<string, OpencodeListed>();
  for (const entry of entries) {
    if (!entry.isFile() || !/^opencode[\w-]*\.db$/.test(entry.name)) continue;
    const found = await inDatabase(join(home, entry.name));
    if (typeof found === "string") problems.push(found);
    else for (const session of found) sessions.set(session.id, session);
  }
  if (entries.some((entry) => entry.name === "storage" && entry.isDirectory())) {
    const found = await inFiles(join(home, "storage"));
    for (const problem of found.problems) problems.push(problem);
    for (const session of found.sessions) if (!sessions.has(session.id)) sessions.set(session.id, session);
  }
  return { sessions: [...sessions.values()], problems };
}

/** As much of `node:sqlite` as is used here; the Node that this is compiled for has none. */
interface Sqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly: boolean },
  ) => {
    prepare(sql: string): { all(...values: readonly string[]): readonly Readonly<Record<string, unknown>>[] };
    close(): void;
  };
}

async function inDatabase(place: string): Promise<readonly OpencodeListed[] | string> {
  const sqlite = await sqliteOfNode();
  if (sqlite === undefined)
    return `The sessions of opencode are in ${place}, which Node ${process.version} cannot read: use Node 22.13 or newer, or import what \`opencode export\` writes.`;
  const ask = (sql: string, ...values: readonly string[]) => {
    const database = new sqlite.DatabaseSync(place, { readOnly: true });
    try {
      return database.prepare(sql).all(...values);
    } finally {
      database.close();
    }
  };
  try {
    const sizes = new Map(ask(sizesOfSessions).map((row) => [textIn(row, "id"), numberIn(row, "size")]));
    return ask("select * from session").map((row) => listedRow(row, place, sizes, ask));
  } catch (error) {
    return `The sessions of opencode in ${place} cannot be read: ${String(error)}.`;
  }
}

/** In bytes: of a text `length` counts characters. */
const sizesOfSessions = `select id, sum(size) as size from (
  select session_id as id, length(cast(data as blob)) as size from part
  union all select session_id as id, length(cast(data as blob)) as size from message
) group by id`;

async function sqliteOfNode(): Promise<Sqlite | undefined> {
  // Named in a variable: the types and the oldest Node know no such module.
  const name = "node:sqlite";
  const warnings = process.listeners("warning");
  try {
    process.removeAllListeners("warning");
    // Its types are those of a newer Node.
    return (await import(name)) as Sqlite;
  } catch {
    return undefined;
  } finally {
    for (const listener of warnings) process.on("warning", listener);
  }
}

type Row = Readonly<Record<string, unknown>>;
type Ask = (sql: string, ...values: readonly string[]) => readonly Row[];

function listedRow(row: Row, place: string, sizes: ReadonlyMap<string, number>, ask: Ask): OpencodeListed {
  const id = textIn(row, "id");
  return {
    id,
    parentId: textIn(row, "parent_id") || undefined,
    title: textIn(row, "title") || undefined,
    directory: textIn(row, "directory") || undefined,
    createdMs: numberIn(row, "time_created"),
    updatedMs: numberIn(row, "time_updated"),
    sizeBytes: async () => sizes.get(id) ?? 0,
    place,
    records: async () => ({ lines: recordsInDatabase(row, ask), problems: [] }),
  };
}

function recordsInDatabase(row: Row, ask: Ask): readonly string[] {
  const id = textIn(row, "id");
  const time = { created: row.time_created, updated: row.time_updated };
  const { project_id: projectID, parent_id: parentID, directory, title, version } = row;
  const revert = parsed(textIn(row, "revert"));
  const session = {
    id,
    projectID,
    ...(parentID === null ? {} : { parentID }),
    directory,
    title,
    version,
    time,
  };
  const messages = ask("select id, data from message where session_id = ? order by id", id).map((message) =>
    withMembers(textIn(message, "data"), { id: textIn(message, "id"), sessionID: id }),
  );
  const parts = ask("select id, message_id, data from part where session_id = ? order by id", id).map(
    (part) =>
      withMembers(textIn(part, "data"), {
        id: textIn(part, "id"),
        sessionID: id,
        messageID: textIn(part, "message_id"),
      }),
  );
  return [JSON.stringify({ ...session, ...(revert === undefined ? {} : { revert }) }), ...messages, ...parts];
}

/** The database keeps these in columns of their own. Data that is no object stays as it is, for the reader to tell. */
function withMembers(data: string, members: Readonly<Record<string, string>>): string {
  const rest = data.trim();
  if (!rest.startsWith("{")) return rest.replaceAll("\n", " ");
  const begun = JSON.stringify(members).slice(0, -1);
  return `${begun}${/^\{\s*\}/.test(rest) ? "" : ","}${rest.slice(1)}`.replaceAll("\n", " ");
}

async function inFiles(storage: string): Promise<OpencodeFound> {
  const sessions: OpencodeListed[] = [];
  const problems: string[] = [];
  for (const project of foldersIn(join(storage, "session"), problems))
    for (const place of recordFilesIn(project, storage, problems)) {
      const record = await readRecord(place);
      if (record.kind !== "record") {
        if (record.kind === "unreadable") problems.push(complaint(place, record.why));
        continue;
      }
      const session = listedRecord(storage, place, record);
      if (session !== undefined) sessions.push(session);
    }
  return { sessions, problems };
}

function listedRecord(storage: string, place: string, { line, row }: RecordRead): OpencodeListed | undefined {
  const id = textIn(row, "id");
  // What the reader of records takes for no session is not offered either.
  if (!isPlainId(id) || typeof row.projectID !== "string" || typeof row.time !== "object") return undefined;
  const time = objectIn(row, "time");
  return {
    ...{ id, parentId: textIn(row, "parentID") || undefined, title: textIn(row, "title") || undefined },
    ...{ directory: textIn(row, "directory") || undefined, place },
    ...{ createdMs: numberIn(time, "created"), updatedMs: numberIn(time, "updated") },
    sizeBytes: async () => Buffer.byteLength(line) + (await sizeInFiles(storage, id)),
    records: () => recordsInFiles(storage, id, line),
  };
}

/** What a message is called names a folder here: only ids that are plain names are followed. */
async function recordsInFiles(storage: string, id: string, session: string): Promise<OpencodeLines> {
  const lines = [session];
  const problems: string[] = [];
  const take = async (path: string) => {
    const record = await readRecord(path);
    if (record.kind === "record") lines.push(record.line);
    else if (record.kind === "unreadable") problems.push(complaint(path, record.why));
  };
  for (const path of recordFilesIn(join(storage, "message", id), storage, problems)) {
    const messageId = basename(path, ".json");
    if (!isPlainId(messageId)) continue;
    await take(path);
    for (const part of recordFilesIn(join(storage, "part", messageId), storage, problems)) await take(part);
  }
  return { lines, problems };
}

/** Of the messages of a session and their parts, as `recordsInFiles` finds them. */
async function sizeInFiles(storage: string, id: string): Promise<number> {
  let size = 0;
  const add = async (path: string) => {
    const facts = await lstat(path).catch(() => undefined);
    if (facts?.isFile() === true) size += facts.size;
  };
  for (const path of recordFilesIn(join(storage, "message", id), storage, [])) {
    await add(path);
    const messageId = basename(path, ".json");
    if (!isPlainId(messageId)) continue;
    for (const part of recordFilesIn(join(storage, "part", messageId), storage, [])) await add(part);
  }
  return size;
}

interface RecordRead {
  readonly kind: "record";
  readonly line: string;
  readonly row: Row;
}

async function readRecord(path: string): Promise<RecordRead | NotRead> {
  const text = await readRegular(path, mostBytes);
  if (typeof text !== "string") return text;
  const row = parsed(text);
  return row === undefined
    ? { kind: "unreadable", why: "it is no JSON object" }
    : { kind: "record", line: oneLine(text), row };
}

const mostBytes = 100 * 1024 * 1024;

/** Neither the folder nor one between it and the storage may be a link. */
function recordFilesIn(folder: string, storage: string, problems: string[]): readonly string[] {
  const entries = entriesIn(folder, problems, { below: storage });
  return entries.filter(({ name }) => name.endsWith(".json")).map(({ name }) => join(folder, name));
}

/** The folders in a folder. Links are told: they may lead anywhere. */
function foldersIn(folder: string, problems: string[]): readonly string[] {
  const entries = entriesIn(folder, problems);
  for (const entry of entries)
    if (entry.isSymbolicLink())
      problems.push(complaint(join(folder, entry.name), "it is a link that is not followed"));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

/** JSON means the same without its line breaks. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}

function isPlainId(id: string): boolean {
  return /^[\w-]{1,128}$/.test(id);
}

function parsed(text: string): Row | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // Whatever is an object has members that can be asked for.
    return typeof value === "object" && value !== null ? (value as Row) : undefined;
  } catch {
    return undefined;
  }
}

function textIn(row: Row, key: string): string {
  const value = row[key];
  return typeof value === "string" ? value : "";
}

function numberIn(row: Row, key: string): number {
  const value = row[key];
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function objectIn(row: Row, key: string): Row {
  const value = row[key];
  // As in `parsed`.
  return typeof value === "object" && value !== null ? (value as Row) : {};
}
