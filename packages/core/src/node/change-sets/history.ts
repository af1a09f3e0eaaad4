import { writeFileSync } from "node:fs";
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
  { id, steps }: SetRecord,
  isWanted: (step: RecordedStep) => boolean,
): number {
  const path = togetherPath(state, id);
  const realPaths = steps.map(({ entry }) => entry.realPath);
  state.within(state.at("history"), () => writeFileSync(path, JSON.stringify(realPaths), { mode: 0o600 }));
  const wanted = steps.filter(isWanted);
  for (const { entry } of wanted) appendHistory(state, entry);
  return wanted.length;
}
