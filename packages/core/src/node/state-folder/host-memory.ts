import { createHash } from "node:crypto";
import { appendFileSync, existsSync, lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import { KnownFiles, type LinesShown, type StateChanged } from "../../files/seen/index.js";
import { isRefusal, type Refusal } from "../../files/values/index.js";
import { jsonOf } from "../../text/index.js";
import { answering } from "../disk/platform.js";
import { namesIn, readText, removeQuietly } from "../disk/reading.js";
import { keepBlob, keptBytes } from "./blobs.js";
import { openStateFolder, type StateFolder } from "./state-folder.js";

/** A fact about a file of another program's session, without the file. */
export type HostFact = Omit<LinesShown, "file"> | Omit<StateChanged, "file" | "from">;

/** A tool of that program is about to run. */
export interface CallNote {
  readonly path: string;
  /** Tells the calls of one path apart; "" where the program names none. */
  readonly call: string;
  /** What its session knows afterwards, if the call does what it says: each of the state that it is about. */
  readonly facts: readonly HostFact[];
  /** The call was written for an older state: what its session is to be told once it has run. */
  readonly rebased?: { readonly words: string; readonly facts: readonly HostFact[] };
}

/**
 * What a session of a program that keeps no knowledge of ours was shown: one file a session in the state
 * folder, a line for each fact, written by as many processes as there are calls.
 */
export interface HostMemory {
  readonly kind: "memory";
  /** What is known of a path, under that name. */
  known(path: string): KnownFiles;
  /** The paths of which anything is known, the last one first. */
  paths(): readonly string[];
  /** The last note about a call. */
  note(path: string, call: string): CallNote | undefined;
  /** The fact that a call which was noted, and has not been heard of since, was to leave this state. */
  expected(path: string, sha256: string): HostFact | undefined;
  learn(path: string, fact: HostFact): void;
  remember(note: CallNote): void;
  /** Keeps the bytes of a state, so that a later one can be held against it; they may be gone at any time, or refused. */
  keep(sha256: string, bytes: Uint8Array): void;
  kept(sha256: string): Uint8Array | undefined;
}

/**
 * Opens what is remembered of another program's session.
 *
 * @param host the other program's id of its session.
 * @returns what `openStateFolder` refuses. Throws the system's error where the memory cannot be kept.
 */
export function openHostMemory(stateDir: string | undefined, host: string): HostMemory | Refusal {
  const state = openStateFolder(stateDir);
  if (isRefusal(state)) return state;
  const file = state.at("guard", `${createHash("sha256").update(host).digest("hex").slice(0, 32)}.jsonl`);
  let read: { readonly bytes: number; readonly lines: readonly MemoryLine[] } | undefined;
  /** One call asks for many paths; other processes only append. */
  const lines = () => {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (read?.bytes !== bytes) read = { bytes, lines: linesOf(file) };
    return read.lines;
  };
  const append = (line: object) => {
    if (!existsSync(file)) removeOld(state);
    state.within(state.at("guard"), () => appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 }));
  };
  return {
    kind: "memory",
    known: (path) =>
      lines()
        .flatMap((line) => factIn(line, path) ?? [])
        .reduce(
          (known, fact) => known.learn(path, { ...fact, file: { path, realPath: path } }),
          KnownFiles.empty,
        ),
    paths: () => [
      ...new Set(
        lines()
          .flatMap(({ fact }) => fact?.path ?? [])
          .toReversed(),
      ),
    ],
    note: (path, call) => notesOf(lines(), path).findLast((note) => note.call === call),
    expected: (path, sha256) =>
      notesOf(lines(), path)
        .flatMap(({ facts }) => facts)
        .findLast((fact) => fact.kind === "changed" && fact.after === sha256),
    learn: (path, fact) => append({ fact: { path, ...fact } }),
    remember: (note) => append({ note }),
    keep: (sha256, bytes) => void answering(state.path, () => keepBlob(state, sha256, bytes)),
    kept: (sha256) => keptBytes(state, sha256),
  };
}

/**
 * Whether a tool of another program made this state of a file, as the program's hooks told.
 *
 * @param path as its hooks name it: links resolved.
 */
export function hostWrote(state: StateFolder, path: string, sha256: string): boolean {
  const folder = state.at("guard");
  return namesIn(folder).some((name) => {
    const made = linesOf(join(folder, name)).flatMap(({ fact, note }) => [
      ...(fact?.path === path ? [fact] : []),
      ...(note?.path === path ? note.facts : []),
    ]);
    return made.some((fact) => fact.kind === "changed" && fact.after === sha256);
  });
}

function notesOf(lines: readonly MemoryLine[], path: string): readonly CallNote[] {
  return lines.flatMap(({ note }) => (note?.facts === undefined || note.path !== path ? [] : [note]));
}

interface MemoryLine {
  readonly fact?: HostFact & { readonly path: string };
  readonly note?: CallNote;
  /** Of earlier versions: all of a state was shown, or a part. */
  readonly seen?: { readonly path: string; readonly sha256: string; readonly whole: boolean };
}

function factIn({ fact, seen }: MemoryLine, path: string): HostFact | undefined {
  if (fact?.path === path) return fact;
  if (seen?.path !== path) return undefined;
  const { sha256, whole } = seen;
  return { kind: "shown", sha256, lines: whole ? [{ from: 1, to: mostLines }] : [], someText: true };
}

/** More than any file has that is held against it. */
const mostLines = 2 ** 40;

/** An unreadable memory is forgotten: its files count as not seen. */
function linesOf(file: string): readonly MemoryLine[] {
  if (!existsSync(file)) return [];
  const lines: MemoryLine[] = [];
  for (const line of (readText(file) ?? "").split("\n")) {
    const value = jsonOf(line);
    // A cast: we wrote the line ourselves; one that a kill tore does not parse, and its members are compared only.
    if (value !== undefined) lines.push(value as MemoryLine);
  }
  return lines;
}

const maxAgeMs = 30 * 24 * 60 * 60 * 1_000;

/** Sessions that are long over; looked for when a new one begins. */
function removeOld(state: StateFolder): void {
  const folder = state.at("guard");
  for (const name of namesIn(folder)) {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > maxAgeMs) removeQuietly(join(folder, name));
  }
}
