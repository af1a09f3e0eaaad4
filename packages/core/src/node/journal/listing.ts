import { lstatSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isSealed, readJournal, readLine } from "../../conversation/journal/index.js";
import { isSessionId, type JournalRecord, type SessionFacts } from "../../conversation/values/index.js";
import { finish } from "../../text/index.js";
import { newId, sha256 } from "../disk/digest.js";
import { namesIn, readText, removeQuietly } from "../disk/entries.js";
import { codeOf, ifPossible, quietly } from "../disk/platform.js";
import type { Slices } from "../disk/slices.js";
import { keyOf } from "../state-folder/locks.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { leaseHolder } from "./lease.js";
import {
  type JournalPaths,
  journalPaths,
  journalSuffix,
  readWholeSlices,
  unfinishedJournal,
} from "./paths.js";

/**
 * All sessions, the last changed first. A journal that did not change since it was listed last is not read
 * again; a large one is read in slices. Throws the system's error where the folder cannot be read.
 */
export function* listJournals(state: StateFolder): Slices<readonly SessionFacts[]> {
  const index = readIndex(state);
  const locks = new Set(namesIn(state.at("locks")));
  const facts: SessionFacts[] = [];
  const next = new Map<string, IndexedFacts>();
  for (const name of namesIn(state.at("conversations"))) {
    const id = name.slice(0, -journalSuffix.length);
    if (!name.endsWith(journalSuffix) || !isSessionId(id)) continue;
    const paths = journalPaths(state, id);
    const found = yield* look(paths, index.get(id));
    if (found === undefined) continue;
    next.set(id, found);
    const heldBy = locks.has(keyOf(paths.file)) ? leaseHolder(state, paths) : undefined;
    facts.push({ id, ...found.facts, title: found.facts.title, cwd: found.facts.cwd, heldBy });
  }
  writeIndex(state, index, next);
  return facts.sort((one, other) => other.modifiedMs - one.modifiedMs || (one.id < other.id ? -1 : 1));
}

/** What a list would say of one journal now; undefined where it is gone. */
export function factsOfJournal(paths: JournalPaths): IndexedFacts["facts"] | undefined {
  return finish(look(paths, undefined))?.facts;
}

/** What is known of a journal, by the index where that still fits; undefined where it is gone. */
function* look(paths: JournalPaths, indexed: IndexedFacts | undefined): Slices<IndexedFacts | undefined> {
  const stat = lstatSync(paths.file, { throwIfNoEntry: false, bigint: true });
  if (stat === undefined) return undefined;
  const mtimeNs = String(stat.mtimeNs);
  const journalBytes = Number(stat.size);
  // Whatever lies beside a journal was put there before a line that names it.
  if (indexed?.mtimeNs === mtimeNs && indexed.journalBytes === journalBytes) return indexed;
  const sizeBytes = journalBytes + sizeOfBlobs(paths);
  const mtimeMs = Number(stat.mtimeMs);
  try {
    const bytes = yield* readWholeSlices(paths.file);
    return bytes && { mtimeNs, journalBytes, facts: { ...factsIn(bytes, mtimeMs), sizeBytes } };
  } catch (error) {
    const code = codeOf(error);
    if (code === "") throw error;
    const problem = `The disk answers ${code} to its file.`;
    // Not to be kept: it may be readable the next time.
    return { mtimeNs: "", journalBytes, facts: { ...unknown(mtimeMs), sizeBytes, problem } };
  }
}

function sizeOfBlobs({ blobs }: JournalPaths): number {
  let bytes = 0;
  for (const name of namesIn(blobs))
    bytes += lstatSync(join(blobs, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes;
}

type Facts = Omit<IndexedFacts["facts"], "sizeBytes">;

function unknown(mtimeMs: number): Facts {
  return { title: undefined, cwd: undefined, createdMs: mtimeMs, modifiedMs: mtimeMs };
}

/** Of a journal only its beginning, its end and its names are read; all of it where one of the ends is damaged. */
function factsIn(bytes: Uint8Array, mtimeMs: number): Facts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = recordBefore(buffer, buffer.indexOf(lineBreak));
  // None where the journal ends with something else.
  const last = recordBefore(buffer, buffer.lastIndexOf(lineBreak));
  if (first !== undefined && last !== undefined) return factsOf(buffer, first, last);
  const { records, problems } = readJournal(bytes, () => undefined);
  const [begun] = records;
  if (begun !== undefined) return factsOf(buffer, begun, records.at(-1) ?? begun);
  const newer = problems.some(({ what }) => what === "newer_version");
  const problem = newer ? "A newer release wrote it." : "Nothing in it can be read.";
  return { ...unknown(mtimeMs), problem };
}

function factsOf(buffer: Buffer, first: JournalRecord, last: JournalRecord): Facts {
  const started = first.event.type === "session_started" ? first.event : undefined;
  return {
    title: lastTitle(buffer) ?? started?.title,
    cwd: started?.cwd,
    createdMs: first.ts,
    // A session that was made of another begins now, with records of then: it was not changed before it was begun.
    modifiedMs: Math.max(first.ts, last.ts),
  };
}

const lineBreak = 0x0a;
const renamed = Buffer.from(',"type":"renamed",');

/** The record whose line ends there. */
function recordBefore(buffer: Buffer, end: number): JournalRecord | undefined {
  if (end < 0) return undefined;
  const from = end === 0 ? 0 : buffer.lastIndexOf(lineBreak, end - 1) + 1;
  if (!isSealed(buffer, from, end)) return undefined;
  const line = readLine(buffer.toString("utf8", from, end), () => undefined);
  return line.kind === "record" ? line.record : undefined;
}

/** What the session was named last, after its beginning. */
function lastTitle(buffer: Buffer): string | undefined {
  for (let at = buffer.lastIndexOf(renamed); at > 0; at = buffer.lastIndexOf(renamed, at - 1)) {
    const record = recordBefore(buffer, buffer.indexOf(lineBreak, at));
    if (record?.event.type === "renamed") return record.event.title;
  }
  return undefined;
}

/** What was found in a journal of this size when it bore this time. */
interface IndexedFacts {
  /** Nanoseconds; "" is never kept. */
  readonly mtimeNs: string;
  /** Of the journal alone. */
  readonly journalBytes: number;
  readonly facts: Omit<SessionFacts, "id" | "heldBy">;
}

/** A journal that was written so lately may be written again without another time stamp. */
const clockTickNs = 1_000_000_000n;
/** Fewer changes than this are found again more quickly than they are written down. */
const worthwhile = 20;

/**
 * What the last listing found, by session: only a cache. Whoever deletes it loses time; one that is damaged
 * or of another release counts as none.
 */
function readIndex(state: StateFolder): ReadonlyMap<string, IndexedFacts> {
  const [check, text] = splitOnce(ifPossible(() => readText(indexPath(state)), undefined) ?? "");
  if (check !== checkOf(text)) return new Map();
  // Only `writeIndex` makes such a check, and it covers the form, too.
  return new Map(JSON.parse(text) as [string, IndexedFacts][]);
}

/** Keeps what a listing found, where that saves the next one something. Failing to is no failure. */
function writeIndex(
  state: StateFolder,
  before: ReadonlyMap<string, IndexedFacts>,
  found: ReadonlyMap<string, IndexedFacts>,
): void {
  const limit = BigInt(Date.now()) * 1_000_000n - clockTickNs;
  const kept = [...found].filter(([, { mtimeNs }]) => mtimeNs !== "" && BigInt(mtimeNs) < limit);
  const changed = kept.filter(([id, facts]) => before.get(id) !== facts);
  if (changed.length < worthwhile) return;
  const unfinished = state.at("conversations", `${unfinishedJournal}${newId()}`);
  const text = JSON.stringify(kept);
  const isKept = quietly(() => {
    writeFileSync(unfinished, `${checkOf(text)}\n${text}`, { mode: 0o600, flag: "wx" });
    renameSync(unfinished, indexPath(state));
  });
  if (!isKept) removeQuietly(unfinished);
}

/** Part of the check, so that another release's index is none to this one. */
const form = "holdfast sessions 2\n";

function checkOf(text: string): string {
  return sha256(Buffer.from(form + text));
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf("\n");
  return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
}

/** No id holds a dot, so this is no session's. */
function indexPath(state: StateFolder): string {
  return state.at("conversations", "index.cache");
}
