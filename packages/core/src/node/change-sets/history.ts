import { writeFileSync } from "node:fs";
import type { HistoryEntry } from "../../files/index.js";
import { appendHistory, togetherPath } from "../state-folder/history.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import type { RecordedStep, SetRecord } from "./record.js";

/**
 * Records the writes of a set: an entry for each file, and which files were written together. Throws the
 * system's error.
 *
 * @param isWanted whether a step's entry is to be added.
 */
export function recordWrites(
  state: StateFolder,
  { id, steps, folders }: SetRecord,
  isWanted: (step: RecordedStep) => boolean,
): number {
  const path = togetherPath(state, id);
  const realPaths = steps.map(({ entry }) => entry.realPath);
  state.within(state.at("history"), () => writeFileSync(path, JSON.stringify(realPaths), { mode: 0o600 }));
  const wanted = steps.filter(isWanted);
  for (const { entry } of wanted) appendHistory(state, withFolders(entry, folders));
  return wanted.length;
}

/** With those of the folders that a set made which this file of it needed. */
function withFolders(entry: HistoryEntry, made: readonly string[]): HistoryEntry {
  const folders = made.filter((folder) => entry.after !== null && entry.realPath.startsWith(`${folder}/`));
  return folders.length === 0 ? entry : { ...entry, folders };
}
