import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SourceSession } from "@holdfast/core/conversation/import";
import { timeSortedIds } from "@holdfast/core/conversation/values";
import type { Refusal } from "@holdfast/core/files/values";
import { foreignFilesIn, type NotRead } from "@holdfast/core/node";
import { describeSessionFile, type SessionDescription } from "../read-session-file.js";
import { rolloutId } from "./beside-files.js";
import { complaint, mostEntries, readHead, readRegular } from "./foreign-files.js";
import { type Agent, agents, foreignHomes } from "./foreign-homes.js";
import { type OpencodeListed, opencodeSessions } from "./opencode-store.js";
import type { ReadLines, ReadText } from "./read-lines.js";

/** A session of another program, before it is known what is in it. */
export interface ForeignFile {
  readonly agent: Agent;
  /** The file that it is in, for a person. */
  readonly place: string;
  readonly modifiedMs: number;
  /** Looks at the beginning of it. Undefined: it is no session, or holds no turn. */
  readonly describe: () => Promise<ForeignFacts | NotRead | undefined>;
  readonly read: () => Promise<ReadText | Refusal>;
}

/** What a list says of a session of another program. */
export interface ForeignFacts {
  readonly kind: "facts";
  /** Of all its records. */
  readonly sizeBytes: number;
  /** Its id there; of a file that names none the file's name. */
  readonly id: string;
  readonly title: string | undefined;
  readonly cwd: string | undefined;
  /** The id that it has here once it is imported. */
  readonly importId: string;
}

/** What the programs of this machine keep, the last changed first, and what could not be looked at. */
export interface FoundFiles {
  readonly files: readonly ForeignFile[];
  readonly problems: readonly string[];
}

/** Looks for sessions in the default folders of the programs. Nothing is read but names, sizes and dates. */
export async function findForeign(only: Agent | undefined, readLines: ReadLines): Promise<FoundFiles> {
  const homes = foreignHomes();
  const found = await Promise.all(
    agents
      .filter((agent) => only === undefined || agent === only)
      .map((agent) => filesOf(agent, homes[agent], readLines)),
  );
  const files = found.flatMap((one) => one.files);
  return {
    files: files.toSorted((a, b) => b.modifiedMs - a.modifiedMs || (a.place < b.place ? -1 : 1)),
    problems: found.flatMap((one) => one.problems),
  };
}

/**
 * The id under which a session of another program is imported: the same each time, so that it is known again. It
 * sorts by the time at which the session began, as all ids do.
 */
export function importIdOf({ format, sourceId, startedMs }: SourceSession): string {
  const hash = createHash("sha256").update(`${format}\n${sourceId}`).digest();
  const time = Math.min(Math.max(0, Math.floor(startedMs)), 2 ** 48 - 1);
  return timeSortedIds(
    () => time,
    (bytes) => hash.subarray(0, bytes),
  )();
}

/** The messages of a task of Cline or Roo Code. */
const clineFile = /^api_conversation_history\.json$/;

/** Claude Code names a session by its file; its lines name those that it was forked from. */
export function sourceOf(source: SourceSession, place: string): SourceSession {
  const stem = basename(place, ".jsonl");
  // A task is named by its folder.
  if (source.format === "cline" && clineFile.test(basename(place)))
    return { ...source, sourceId: basename(dirname(place)) };
  return source.format === "claude" && /^[0-9a-f-]{36}$/.test(stem) ? { ...source, sourceId: stem } : source;
}

/** The folder in which gemini-cli worked, which it notes beside its chats. */
export async function folderNotedBeside(place: string): Promise<NotedFolder> {
  const problems: string[] = [];
  for (const folder of [dirname(place), dirname(dirname(place))]) {
    const path = join(folder, ".project_root");
    const noted = await readRegular(path, 64 * 1024);
    if (typeof noted === "string") return { cwd: noted.trim() || undefined, problems };
    if (noted.kind === "unreadable") problems.push(complaint(path, noted.why));
  }
  return { cwd: undefined, problems };
}

/** The folder, and why a note of one was not read. */
export interface NotedFolder {
  readonly cwd: string | undefined;
  readonly problems: readonly string[];
}

/** A line holds one turn, or one state of a file of at most 64 MiB. */
const sessionLimits = { bytes: 256 * 1024 * 1024, lineBytes: 100 * 1024 * 1024 };

const layouts: Readonly<
  Record<Exclude<Agent, "opencode">, { readonly depth: number; readonly name: RegExp }>
> = {
  claude: { depth: 2, name: /^(?!agent-).*\.jsonl$/ },
  codex: { depth: 4, name: /^rollout-.*\.jsonl?$/ },
  gemini: { depth: 3, name: /^(session-.*\.jsonl?|checkpoint-.*\.json)$/ },
  pi: { depth: 2, name: /\.jsonl$/ },
  copilot: { depth: 2, name: /^events\.jsonl$/ },
  qwen: { depth: 3, name: /\.jsonl$/ },
  cline: { depth: 2, name: clineFile },
  roo: { depth: 2, name: clineFile },
};

async function filesOf(agent: Agent, home: string, readLines: ReadLines): Promise<FoundFiles> {
  if (agent === "opencode") {
    const { sessions, problems } = await opencodeSessions(home);
    const all = new Map(sessions.map((session) => [session.id, session]));
    // What has no parent, or one that is gone; a subagent's session belongs to its parent's.
    const mains = sessions.filter(({ parentId }) => parentId === undefined || !all.has(parentId));
    return { files: mains.map((session) => ofOpencode(session, sessions)), problems };
  }
  const { depth, name } = layouts[agent];
  const files: ForeignFile[] = [];
  const found = foreignFilesIn(
    home,
    { depth, limitEntries: mostEntries, links: "followed" },
    (path, entry) => entry.isFile() && name.test(basename(path)),
  );
  const { files: places } = found;
  const threads = new Set(agent === "codex" ? places.flatMap((place) => rolloutId(place) ?? []) : []);
  for (const place of places) {
    const facts = await factsOf(place);
    if (facts !== undefined) files.push(inFile({ agent, place, readLines }, facts, threads));
  }
  return { files, problems: found.problems.map(({ path, why }) => complaint(path, why)) };
}

interface FileFacts {
  readonly modifiedMs: number;
  readonly sizeBytes: number;
}

async function factsOf(place: string): Promise<FileFacts | undefined> {
  try {
    const { mtimeMs, size } = await stat(place);
    return { modifiedMs: mtimeMs, sizeBytes: size };
  } catch {
    return undefined;
  }
}

/** @param threads what is here of Codex: the session of a subagent belongs to its parent's. */
function inFile(
  {
    agent,
    place,
    readLines,
  }: { readonly agent: Agent; readonly place: string; readonly readLines: ReadLines },
  facts: FileFacts,
  threads: ReadonlySet<string>,
): ForeignFile {
  return {
    agent,
    place,
    modifiedMs: facts.modifiedMs,
    read: () => readLines(place, sessionLimits),
    describe: async () => {
      const head = await readHead(place, headBytes);
      if (typeof head !== "string") return head;
      const described = describeSessionFile(head);
      if (described === undefined || threads.has(described.parentId ?? "")) return undefined;
      if (!described.hasTurns && facts.sizeBytes <= headBytes) return undefined;
      const {
        format,
        title,
        startedMs,
        sourceId = basename(place),
      } = await withId(place, described, readLines);
      const cwd = described.cwd ?? (agent === "gemini" ? (await folderNotedBeside(place)).cwd : undefined);
      const source = sourceOf({ format, sourceId, startedMs }, place);
      const id = described.sourceId === undefined ? basename(place) : source.sourceId;
      return { kind: "facts", id, title, cwd, importId: importIdOf(source), sizeBytes: facts.sizeBytes };
    },
  };
}

const headBytes = 256 * 1024;

/** The id of a file that names no session is made of all of its content. */
async function withId(
  place: string,
  head: SessionDescription,
  readLines: ReadLines,
): Promise<SessionDescription> {
  if (head.sourceId !== undefined) return head;
  const whole = await readLines(place, sessionLimits);
  const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  return ("text" in whole ? describeSessionFile(whole.text, hash) : undefined) ?? head;
}

function ofOpencode(session: OpencodeListed, all: readonly OpencodeListed[]): ForeignFile {
  const { id, place, title, directory, createdMs, updatedMs } = session;
  const source = { format: "opencode", sourceId: id, startedMs: createdMs } as const;
  return {
    agent: "opencode",
    place,
    modifiedMs: updatedMs,
    describe: async () => {
      const sizes = await Promise.all(withChildren(session, all).map((one) => one.sizeBytes()));
      const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
      return { kind: "facts", id, title, cwd: directory, importId: importIdOf(source), sizeBytes };
    },
    read: async () => {
      const lines: string[] = [];
      const problems: string[] = [];
      for (const one of withChildren(session, all)) {
        const found = await one.records();
        for (const line of found.lines) lines.push(line);
        for (const problem of found.problems) problems.push(problem);
      }
      return { text: lines.join("\n"), unread: [], problems: problems.map((message) => ({ message })) };
    },
  };
}

/** The session, then those of its subagents and of theirs, each once. */
function withChildren(session: OpencodeListed, all: readonly OpencodeListed[]): readonly OpencodeListed[] {
  const found = new Set([session]);
  for (const one of found) for (const child of all) if (child.parentId === one.id) found.add(child);
  return [...found];
}
