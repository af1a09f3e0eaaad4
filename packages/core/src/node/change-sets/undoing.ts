import { rmdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { findFolder, removeStage } from "../commit/real-path.js";
import type { Folder } from "../disk/folder.js";
import { quietly } from "../disk/platform.js";
import { removeQuietly } from "../disk/reading.js";
import { decideRecord, type RecordedStep, type WriteRecord } from "./record.js";
import { restoreStep, stateOf, strayBytes } from "./step-state.js";

/** A step and the open folder of its file; undefined where the folder is gone, or was never reached. */
export interface OpenStep {
  readonly names: RecordedStep;
  readonly folder: Folder | undefined;
  /** Whether names may be exchanged, where the system can; they may unless it is `false`. */
  readonly exchanges?: boolean | undefined;
}

/** What taking a set back found. */
export interface TakenBack {
  /** Real paths where somebody else wrote after our step: left as they are. */
  readonly overwritten: readonly string[];
  /** Real paths where somebody else wrote before it. */
  readonly foreign: readonly string[];
  /** Bytes of somebody else that have no name any more but ours, which is about to go. */
  readonly displaced: readonly DisplacedBytes[];
}

/** Bytes that another program wrote to one of the files, and that stand nowhere else. */
export interface DisplacedBytes {
  readonly names: RecordedStep;
  readonly bytes: Uint8Array;
}

/**
 * Takes back every step that was taken, the last first, and makes that durable; a file that somebody else
 * wrote since is left alone. It goes by what is on the disk, so it can be interrupted and begun again.
 * Throws the system's error; the journal then stays as it is.
 */
export function takeBack(steps: readonly OpenStep[]): TakenBack {
  const overwritten: string[] = [];
  const foreign: string[] = [];
  for (const step of inOrder(steps, ({ names }) => names).toReversed()) {
    const { names, folder } = step;
    const { realPath, before } = names.entry;
    // Without a folder there is no file, which is the old state of one that was to be created.
    const state = folder === undefined ? (before === null ? "old" : "foreign") : stateOf(folder, names);
    const isTaken = state === "new" || state === "swapped";
    const left =
      state === "overwritten" ||
      (isTaken && folder !== undefined && !restoreStep(folder, names, step.exchanges !== false));
    if (left) overwritten.push(realPath);
    if (!left && (state === "foreign" || state === "swapped")) foreign.push(realPath);
  }
  syncFolders(steps);
  return { overwritten, foreign, displaced: displacedIn(steps) };
}

/** What other programs wrote and would be removed with the names of ours. Throws the system's error. */
export function displacedIn(steps: readonly OpenStep[]): readonly DisplacedBytes[] {
  return steps.flatMap(({ names, folder }) =>
    folder === undefined ? [] : strayBytes(folder, names).map((bytes) => ({ names, bytes })),
  );
}

/** New names first, old ones last: a reader in between finds a renamed file twice rather than not at all. */
export function inOrder<Item>(items: readonly Item[], stepOf: (item: Item) => RecordedStep): readonly Item[] {
  const rank = (item: Item) => {
    const { before, after } = stepOf(item).entry;
    return before === null ? 0 : after === null ? 2 : 1;
  };
  return [...items].sort((one, other) => rank(one) - rank(other));
}

/** Makes the entries of all folders durable, each once. */
export function syncFolders(steps: readonly OpenStep[]): void {
  const synced = new Set<string>();
  for (const { names, folder } of steps) {
    const path = dirname(names.entry.realPath);
    if (folder === undefined || synced.has(path)) continue;
    synced.add(path);
    folder.sync();
  }
}

/**
 * Decides a set that was taken back, and removes everything that is ours. Nothing of it matters for the
 * files any more: what fails here is found by recovery.
 */
export function forget(record: WriteRecord, path: string, steps: readonly OpenStep[]): number {
  quietly(() => decideRecord(path, "taken_back"));
  const { removed } = clear(steps);
  for (const folder of record.folders.toReversed()) quietly(() => removeEmpty(folder));
  removeQuietly(path);
  return removed;
}

/** Removes stages and second names; `whole` unless one could not be removed. */
export function clear(steps: readonly OpenStep[]): { readonly removed: number; readonly whole: boolean } {
  let removed = 0;
  let whole = true;
  for (const { names, folder } of steps) {
    if (folder === undefined) continue;
    // The second name first: a remaining stage means that the step was not taken.
    for (const name of [names.keptName, names.stageName]) {
      whole =
        quietly(() => {
          if (removeStage(folder, name)) removed += 1;
        }) && whole;
    }
  }
  return { removed, whole };
}

function removeEmpty(realPath: string): void {
  const parent = findFolder(dirname(realPath));
  if (parent === undefined) return;
  try {
    rmdirSync(parent.at(basename(realPath)));
  } finally {
    parent.close();
  }
}
