import { createHash } from "node:crypto";
import { appendFileSync, existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRefusal, type Refusal } from "../files/index.js";
import { namesIn, removeQuietly } from "./entries.js";
import { openStateFolder, type StateFolder } from "./state-folder.js";

/** What a session of another program was shown of a file. */
export interface SeenState {
  readonly path: string;
  readonly sha256: string;
  /** All of it, or a part. */
  readonly whole: boolean;
}

/** A tool of that program is about to run: what stood there, and what should stand there afterwards. */
export interface CallNote {
  readonly path: string;
  /** Tells the calls of one path apart; "" where the program names none. */
  readonly call: string;
  readonly before: string | null;
  readonly wholeAfter: boolean;
  /** Hashes of the states that this call can leave, if it does what it says; none for a read. */
  readonly expected: readonly string[];
}

/**
 * What a session of a program that keeps no ledger of ours has seen: one file a session in the state folder,
 * a line for each thing learned, written by as many processes as there are calls.
 */
export interface HostMemory {
  readonly kind: "memory";
  /** The states of a path that were seen, oldest first. */
  seen(path: string): readonly SeenState[];
  /** The last note about a call. */
  note(path: string, call: string): CallNote | undefined;
  learn(state: SeenState): void;
  remember(note: CallNote): void;
}

/**
 * @param host the other program's id of its session.
 * @returns what `openStateFolder` refuses. Throws the system's error where the memory cannot be kept.
 */
export function openHostMemory(stateDir: string | undefined, host: string): HostMemory | Refusal {
  const state = openStateFolder(stateDir);
  if (isRefusal(state)) return state;
  const file = state.at("guard", `${createHash("sha256").update(host).digest("hex").slice(0, 32)}.jsonl`);
  const append = (line: object) => {
    if (!existsSync(file)) removeOld(state);
    state.within(state.at("guard"), () => appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 }));
  };
  return {
    kind: "memory",
    seen: (path) =>
      linesOf(file).flatMap(({ seen }) => (seen !== undefined && seen.path === path ? [seen] : [])),
    note: (path, call) =>
      linesOf(file)
        .map(({ note }) => note)
        .findLast((note) => note?.path === path && note.call === call),
    learn: (seen) => append({ seen }),
    remember: (note) => append({ note }),
  };
}

interface MemoryLine {
  readonly seen?: SeenState;
  readonly note?: CallNote;
}

/** What cannot be read is forgotten: what was seen then counts as not seen. */
function linesOf(file: string): readonly MemoryLine[] {
  if (!existsSync(file)) return [];
  const lines: MemoryLine[] = [];
  for (const line of readFileSync(file, "utf8").split("\n")) {
    try {
      // A cast: we wrote the line ourselves; a torn one does not parse, and its members are compared only.
      if (line !== "") lines.push(JSON.parse(line) as MemoryLine);
    } catch {
      // A write that a kill tore.
    }
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
