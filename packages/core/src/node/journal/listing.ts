import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isSealed, readJournal, readLine } from "../../conversation/journal/index.js";
import { isSessionId, type JournalRecord, type SessionFacts } from "../../conversation/values/index.js";
import { finish } from "../../text/index.js";
import { namesIn } from "../disk/entries.js";
import { codeOf } from "../disk/platform.js";
import type { Slices } from "../disk/slices.js";
import { keyOf } from "../state-folder/locks.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { leaseHolder } from "./lease.js";
import { type JournalPaths, journalPaths, journalSuffix, readWholeSlices } from "./paths.js";
import { type IndexedFacts, readIndex, writeIndex } from "./session-index.js";

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
