import { symlinkSync } from "node:fs";
import { jsonOf } from "../../text/index.js";
import { ifPossible, quietly } from "../disk/platform.js";
import { readLink, removeQuietly } from "../disk/reading.js";
import { type FolderMark, isBelow, isSameMark, markOf } from "../disk/walk.js";
import { keyOf } from "./locks.js";
import type { StateFolder } from "./state-folder.js";

/**
 * Which folder each root was when something was written below it. Histories go by paths, so a folder that was deleted
 * and made anew would take over those of the old one.
 */
export interface RootRecords {
  /**
   * Since when the folder that holds this path is the one that it is now, in milliseconds since the epoch: what was
   * recorded before is about another folder. Undefined where none is known.
   */
  since(realPath: string): number | undefined;
  /** Something is about to be written, or was: the records are made or made complete. Never throws for the disk. */
  note(): void;
  /** The same at the end, if anything was noted. */
  finish(): void;
}

/** @param moment of which nothing is recorded, for a folder that is found to be another one. */
export function openRootRecords(
  state: StateFolder,
  realRoots: readonly string[],
  replacedAt: (realPath: string) => number | undefined,
  moment: () => number,
): RootRecords {
  const records = new Map<string, RootRecord>();
  const keep = (root: string, record: RootRecord) => {
    records.set(root, record);
    writeRecord(state, root, record);
  };
  // Where the older `stat` answers, no folder tells when it was made: then its place alone counts.
  const isTold = () => [state.path, state.at("roots")].some((path) => markOf(path)?.isBornSure === true);
  for (const root of realRoots) {
    const [record, mark] = [readRecord(state, root), markOf(root)];
    if (record === undefined || mark === undefined) continue;
    if (isSameMark(record, mark) || (record.place === mark.place && !isTold())) records.set(root, record);
    else keep(root, { ...mark, since: moment() });
  }
  let isNoted = false;
  const note = () => {
    isNoted = true;
    for (const root of realRoots) {
      const record = records.get(root);
      const since = replacedAt(root) ?? record?.since ?? 0;
      if (record?.isBornSure === true && record.since === since) continue;
      const mark = markOf(root);
      const isNews = record === undefined || record.since !== since || mark?.isBornSure === true;
      if (mark !== undefined && isNews) keep(root, { ...mark, since });
    }
  };
  return {
    since: (realPath) => {
      const times = [...records].filter(([root]) => isBelow(root, realPath)).map(([, { since }]) => since);
      return times.length === 0 ? undefined : Math.max(...times);
    },
    note,
    finish: () => {
      if (isNoted) note();
    },
  };
}

interface RootRecord extends FolderMark {
  readonly since: number;
}

function readRecord(state: StateFolder, root: string): RootRecord | undefined {
  const value = jsonOf(ifPossible(() => readLink(state.at("roots", keyOf(root))), undefined) ?? "");
  if (typeof value !== "object" || value === null) return undefined;
  const { place, born, isBornSure, since }: Partial<Record<keyof RootRecord, unknown>> = value;
  const isRight = typeof place === "string" && typeof born === "string" && typeof since === "number";
  return isRight ? { place, born, isBornSure: isBornSure === true, since } : undefined;
}

/** Without it the next process takes the folder for the one that it finds. */
function writeRecord(state: StateFolder, root: string, record: RootRecord): void {
  const path = state.at("roots", keyOf(root));
  removeQuietly(path);
  // The text of a link, as of an intent: whole or not there.
  quietly(() => state.within(state.at("roots"), () => symlinkSync(JSON.stringify(record), path)));
}
