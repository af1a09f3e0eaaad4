import { basename, dirname, join } from "node:path";
import type { BesideFile, ImportProblem } from "@holdfast/core/conversation/import";
import { foreignFilesIn } from "@holdfast/core/node";
import { describeSessionFile } from "../read-session-file.js";
import { complaint, entriesIn, mostEntries, readHead } from "./foreign-files.js";
import type { ReadLines } from "./read-lines.js";

/** What lies beside a session file and belongs to it. */
export interface BesideFiles {
  readonly files: readonly BesideFile[];
  readonly problems: readonly ImportProblem[];
}

/**
 * The files of subagents that a program keeps beside a session's: Claude Code in `ID/subagents`, gemini-cli in a
 * folder that bears the chat's id, Codex as rollouts among all others. Folders are listed, and no name that a session
 * holds is ever looked up; links in them are passed over.
 *
 * @param session the file of the session; none are beside standard input.
 * @param text what is in it.
 */
export async function filesBeside(session: string, text: string, readLines: ReadLines): Promise<BesideFiles> {
  const reader = new BesideReader(readLines);
  if (rolloutId(session) !== undefined) await readRollouts(reader, session, text);
  else if (/^session-.*\.jsonl?$/.test(basename(session))) await readChats(reader, session, text);
  else if (session.endsWith(".jsonl"))
    await readFolder(
      reader,
      join(session.slice(0, -".jsonl".length), "subagents"),
      /^agent-.+\.(meta\.json|jsonl)$/,
    );
  return reader;
}

/** The thread that a rollout of Codex is of, by its name. */
export function rolloutId(place: string): string | undefined {
  return /^rollout-.*-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(basename(place))?.[1];
}

async function readFolder(reader: BesideReader, folder: string, name: RegExp): Promise<void> {
  for (const entry of entriesIn(folder, reader.unlisted))
    if (entry.isFile() && name.test(entry.name)) await reader.read(join(folder, entry.name));
}

async function readChats(reader: BesideReader, session: string, text: string): Promise<void> {
  const [, id] = /"sessionId"\s*:\s*"([^"\\]+)"/.exec(text.slice(0, headUnits)) ?? [];
  // Where the first line is lost, the name of the file holds the beginning of the id.
  const [, start] = /-([0-9a-f]{8})\.jsonl$/.exec(session) ?? [];
  const isOurs = (name: string) =>
    id === undefined ? start !== undefined && name.startsWith(`${start}-`) : name === id;
  const folder = dirname(session);
  for (const entry of entriesIn(folder, reader.unlisted))
    if (entry.isDirectory() && isOurs(entry.name))
      await readFolder(reader, join(folder, entry.name), /\.jsonl?$/);
}

/**
 * Those that the session names and that name it, and theirs. A rollout lies in the folder of the day on which it began.
 */
async function readRollouts(reader: BesideReader, session: string, text: string): Promise<void> {
  const own = rolloutId(session);
  const named = idsIn(text);
  if (own === undefined || named.size < 2) return;
  const folder = dirname(session);
  const isByDay = /[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$/.test(folder);
  const [top, levels] = isByDay ? [join(folder, "..", "..", ".."), 4] : [folder, 1];
  const found = foreignFilesIn(
    top,
    { depth: levels, limitEntries: mostEntries, links: "followed" },
    (path, entry) => entry.isFile() && rolloutName.test(basename(path)),
  );
  for (const { path, why } of found.problems) reader.unlisted.push(complaint(path, why));
  const byId = new Map(found.files.map((place) => [rolloutId(place), place]));
  const family = new Set([own]);
  for (const id of named) {
    const place = id === own ? undefined : byId.get(id);
    if (place === undefined || !(await isOf(family, place))) continue;
    family.add(id);
    for (const other of idsIn((await reader.read(place)) ?? "")) named.add(other);
  }
}

/** By what its first line says; of one whose first line is lost the session that names it decides. */
async function isOf(family: ReadonlySet<string>, place: string): Promise<boolean> {
  const head = await readHead(place, headBytes);
  const described = typeof head === "string" ? describeSessionFile(head) : undefined;
  if (described?.format !== "codex") return false;
  // The first that a fork names is then the one that it came from.
  const { sourceId, parentId } = described;
  return sourceId === undefined || family.has(sourceId) || family.has(parentId ?? "");
}

function idsIn(text: string): Set<string> {
  return new Set(text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g));
}

const rolloutName = /^rollout-.*\.jsonl$/;
/** As much of a chat as its header may take. */
const headUnits = 4096;
/** The same of a rollout, which holds the instructions of the program. */
const headBytes = 256 * 1024;

class BesideReader implements BesideFiles {
  readonly files: BesideFile[] = [];
  readonly unlisted: string[] = [];
  private readonly told: ImportProblem[] = [];
  private left = mostBytes;

  constructor(private readonly readLines: ReadLines) {}

  get problems(): readonly ImportProblem[] {
    return [
      ...this.told,
      ...this.unlisted.map((message) => ({ line: 1, what: "unreadable_file", message }) as const),
    ];
  }

  /** @returns its text, where it could be read. */
  async read(place: string): Promise<string | undefined> {
    const file = basename(place);
    const read = await this.readLines(place, { bytes: this.left, lineBytes: this.left });
    if (!("text" in read)) {
      const message = `${file} was not read, and what it holds is missing: ${read.message}`;
      this.told.push({ line: 1, file, what: "unreadable_file", message });
      return undefined;
    }
    this.left -= Buffer.byteLength(read.text);
    this.files.push({ name: file, text: read.text });
    for (const { line = 1, message } of read.problems)
      this.told.push({ line, file, what: "unreadable_line", message: `${file}: ${message}` });
    return read.text;
  }
}

/** Of all of them together. */
const mostBytes = 256 * 1024 * 1024;
