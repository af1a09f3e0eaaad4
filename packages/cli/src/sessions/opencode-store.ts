import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A session of opencode, as its store lists it. */
export interface OpencodeListed {
  readonly id: string;
  readonly parentId: string | undefined;
  readonly title: string | undefined;
  readonly directory: string | undefined;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly sizeBytes: number;
  /** The file or folder that it is in. */
  readonly place: string;
  /** Its records, and those of the sessions of its subagents, one a line. */
  readonly records: () => Promise<readonly string[]>;
}

/** What a place of opencode holds, or why it cannot be looked at. */
export interface OpencodeFound {
  readonly sessions: readonly OpencodeListed[];
  readonly problems: readonly string[];
}

/**
 * The sessions that opencode keeps: in a database (`opencode.db`, since early 2026), before that in one file
 * for each session, message and part (`storage/`). What is in both is taken from the database.
 */
export async function opencodeSessions(home: string): Promise<OpencodeFound> {
  const names = await namesIn(home);
  const sessions = new Map<string, OpencodeListed>();
  const problems: string[] = [];
  for (const name of names.filter((one) => /^opencode[\w-]*\.db$/.test(one))) {
    const found = await inDatabase(join(home, name));
    if (typeof found === "string") problems.push(found);
    else for (const session of found) sessions.set(session.id, session);
  }
  if (names.includes("storage"))
    for (const session of await inFiles(join(home, "storage")))
      if (!sessions.has(session.id)) sessions.set(session.id, session);
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

const sizesOfSessions = "select session_id as id, sum(length(data)) as size from part group by session_id";

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
    sizeBytes: sizes.get(id) ?? 0,
    place,
    records: async () => recordsInDatabase(row, ask),
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

async function inFiles(storage: string): Promise<readonly OpencodeListed[]> {
  const sessions: OpencodeListed[] = [];
  for (const project of await namesIn(join(storage, "session")))
    for (const name of await namesIn(join(storage, "session", project))) {
      const place = join(storage, "session", project, name);
      const text = name.endsWith(".json") ? await smallText(place) : undefined;
      const info = text === undefined ? undefined : parsed(text);
      const id = info === undefined ? "" : textIn(info, "id");
      if (info === undefined || !isPlainId(id)) continue;
      const time = objectIn(info, "time");
      sessions.push({
        ...{ id, parentId: textIn(info, "parentID") || undefined, title: textIn(info, "title") || undefined },
        ...{ directory: textIn(info, "directory") || undefined, place },
        ...{ createdMs: numberIn(time, "created"), updatedMs: numberIn(time, "updated") },
        sizeBytes: text?.length ?? 0,
        records: () => recordsInFiles(storage, id, oneLine(text ?? "")),
      });
    }
  return sessions;
}

/** What a message is called names a folder here: only ids that are plain names are followed. */
async function recordsInFiles(storage: string, id: string, session: string): Promise<readonly string[]> {
  const lines = [session];
  for (const name of await namesIn(join(storage, "message", id))) {
    const messageId = name.replace(/\.json$/, "");
    if (!name.endsWith(".json") || !isPlainId(messageId)) continue;
    lines.push(oneLine((await smallText(join(storage, "message", id, name))) ?? ""));
    const parts = join(storage, "part", messageId);
    for (const part of await namesIn(parts))
      if (part.endsWith(".json")) lines.push(oneLine((await smallText(join(parts, part))) ?? ""));
  }
  return lines;
}

/** A longer record is left out, as a line of a file would be. */
async function smallText(path: string): Promise<string | undefined> {
  try {
    const { size } = await stat(path);
    return size > mostBytes ? `(${path} has ${size} bytes)` : await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}

const mostBytes = 100 * 1024 * 1024;

/** JSON means the same without its line breaks. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch {
    return [];
  }
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
