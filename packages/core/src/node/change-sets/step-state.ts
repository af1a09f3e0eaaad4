import { renameSync } from "node:fs";
import { basename } from "node:path";
import { exchangeWith, publishNew } from "../commit/commit.js";
import { bytesOf, isSameFile, restoreName } from "../commit/exchanged.js";
import { hashNow } from "../commit/real-path.js";
import type { Folder } from "../disk/folder.js";
import { renameOver } from "../disk/platform.js";
import { type Spot, sha256, statAt } from "../disk/reading.js";
import type { RecordedStep } from "./record.js";

/** The state of one step, by the disk alone. */
type StepState =
  /** As before the set. */
  | "old"
  /** The step was taken, and its result is on the disk. */
  | "new"
  /** The step was taken, and what came out of the exchange is the file of somebody else. */
  | "swapped"
  /** Somebody else wrote there after the step was taken. */
  | "overwritten"
  /** The step was not taken, and the file is not as before it, either. */
  | "foreign";

/** The state of a step, by the names beside the target, which nobody else knows. Throws the system's error. */
export function stateOf(folder: Folder, names: RecordedStep): StepState {
  const { entry } = names;
  const onDisk = hashNow(folder, entry.realPath);
  const taken = isTaken(folder, names, onDisk);
  if (taken === "swapped") return onDisk === entry.after ? "swapped" : "overwritten";
  if (!taken) return onDisk === entry.before ? "old" : "foreign";
  if (onDisk === entry.after) return "new";
  return onDisk === entry.before ? "old" : "overwritten";
}

function isTaken(
  folder: Folder,
  { entry, stageName, keptName }: RecordedStep,
  onDisk: string | null | undefined,
): boolean | "swapped" {
  const at = (name: string) => statAt(spotIn(folder, name));
  const [now, stage, kept] = [at(basename(entry.realPath)), at(stageName), at(keptName)];
  if (entry.after === null) return kept !== undefined;
  if (entry.before === null) {
    if (stage === undefined) return onDisk === entry.after;
    return now !== undefined && isSameFile(now, stage);
  }
  if (kept === undefined) return false;
  // Renamed over the target, or exchanged: then the old file has both names.
  if (stage === undefined || isSameFile(stage, kept)) return true;
  if (now !== undefined && isSameFile(now, kept)) return false;
  // Somebody else was there, or the second name is a copy, where there are no links.
  const aside = hashNow(folder, stageName);
  if (aside === entry.after) return false;
  return aside === entry.before ? true : "swapped";
}

/**
 * Takes back a step in the state `new` or `swapped`: the very file that came out of it gets its name again.
 * Throws the system's error.
 *
 * @param exchanges whether names may be exchanged, where the system can.
 * @returns false if another program wrote there first; its file stays.
 */
export function restoreStep(folder: Folder, names: RecordedStep, exchanges: boolean): boolean {
  const { entry, stageName, keptName } = names;
  const path = folder.at(basename(entry.realPath));
  if (entry.after === null) return nameAgain(folder, names);
  if (entry.before === null) return takeAway(folder, names);
  const isExchanged = statAt(spotIn(folder, stageName)) !== undefined;
  const aside = isExchanged ? stageName : keptName;
  const exchanged = exchanges && exchangeWith(folder.at(aside), path);
  // The file was removed meanwhile; the removal wins.
  if (exchanged === "gone") return false;
  if (!exchanged) {
    renameOver(folder.at(aside), path);
    return true;
  }
  if (hashNow(folder, aside) === entry.after) return true;
  exchangeWith(folder.at(aside), path);
  return false;
}

/** Takes the new file away again, unless another one has its name by now. */
function takeAway(folder: Folder, { entry, stageName, keptName }: RecordedStep): boolean {
  const path = folder.at(basename(entry.realPath));
  const stage = statAt(spotIn(folder, stageName));
  renameSync(path, folder.at(keptName));
  const moved = statAt(spotIn(folder, keptName));
  if (stage === undefined || (moved !== undefined && isSameFile(moved, stage))) return true;
  nameAgain(folder, { entry, keptName });
  return false;
}

/**
 * Gives what was moved aside its name again; a file keeps ours as well, by which it is known until the end. A folder or
 * a link is somebody else's, who put it there in the moment of the step.
 *
 * @returns false if something else has the name by now.
 */
function nameAgain(folder: Folder, { entry, keptName }: Pick<RecordedStep, "entry" | "keptName">): boolean {
  const kept = spotIn(folder, keptName);
  const name = basename(entry.realPath);
  if (statAt(kept)?.isFile() !== false)
    return publishNew({ path: folder.at(keptName) }, folder.at(name)) !== "taken";
  return restoreName(folder.at(keptName), { ...kept, name });
}

/**
 * The bytes of other programs that lie under names of ours, where they would be removed: those of a file
 * that came out of a step and could not go back, and those that were written into the old file. Throws the
 * system's error.
 */
export function strayBytes(
  folder: Folder,
  { entry, stageName, keptName }: RecordedStep,
): readonly Uint8Array[] {
  const at = (name: string) => statAt(spotIn(folder, name));
  const [now, stage, kept] = [at(basename(entry.realPath)), at(stageName), at(keptName)];
  const names: string[] = [];
  if (kept !== undefined && !(now !== undefined && isSameFile(now, kept))) names.push(keptName);
  // A stage may be cut off until the second name is there, and is never anybody else's where nothing came out.
  const isOut =
    entry.before !== null && stage !== undefined && kept !== undefined && !isSameFile(stage, kept);
  if (isOut && !(now !== undefined && isSameFile(now, kept))) names.push(stageName);
  return names.flatMap((name) => {
    const bytes = bytesOf(spotIn(folder, name));
    const hash = bytes === undefined ? undefined : sha256(bytes);
    return bytes === undefined || hash === entry.before || hash === entry.after ? [] : [bytes];
  });
}

function spotIn(folder: Folder, name: string): Spot {
  return { folder, name, shown: name };
}
