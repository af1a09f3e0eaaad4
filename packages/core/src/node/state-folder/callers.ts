import { existsSync, lstatSync, lutimesSync, rmdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { HistoryEntry } from "../../files/index.js";
import { codeOf, ifPossible, quietly } from "../disk/platform.js";
import { namesIn, readLink, readText } from "../disk/reading.js";
import { keyOf } from "./locks.js";
import type { StateFolder } from "./state-folder.js";

/**
 * Which files were written for which conversation: the histories go by paths, and whoever opens a conversation asks by
 * that. A name is made before the step and says nothing by itself, so a kill leaves at most one too many.
 *
 * A name is the text of a link, as that of an intent: whole or not there, and durable with the stage file.
 */
export function noteCallers(state: StateFolder, entries: readonly HistoryEntry[]): void {
  for (const { caller, realPath } of entries) {
    if (caller === undefined) continue;
    const folder = state.at("callers", keyOf(caller.conversation));
    const path = state.at("callers", keyOf(caller.conversation), keyOf(realPath));
    state.within(folder, () => note(path, realPath));
  }
}

/** A name that is there already is as young as a new one: its history may be over, and this write's not begun. */
function note(path: string, realPath: string): void {
  try {
    if (Buffer.byteLength(realPath) <= linkLimitBytes) symlinkSync(realPath, path);
    else writeFileSync(path, realPath, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    const now = new Date();
    lutimesSync(path, now, now);
  }
}

const linkLimitBytes = 4_095;

/** The real paths of the files to which writes were begun for a conversation. */
export function pathsOfCaller(state: StateFolder, conversation: string): readonly string[] {
  const folder = keyOf(conversation);
  return namesIn(state.at("callers", folder)).flatMap((name) => {
    const path = state.at("callers", folder, name);
    const realPath = readLink(path) || ifPossible(() => readText(path), undefined);
    return realPath !== undefined && keyOf(realPath) === name ? [realPath] : [];
  });
}

/** Names of files whose histories are gone. A young one is left: the write that it was made for may come yet. */
export function idleCallers(state: StateFolder): readonly string[] {
  const idle: string[] = [];
  for (const folder of namesIn(state.at("callers"))) {
    const names = namesIn(state.at("callers", folder));
    // A writer may put a name into it at this moment: then it stays.
    if (names.length === 0) quietly(() => rmdirSync(state.at("callers", folder)));
    for (const name of names) {
      const path = state.at("callers", folder, name);
      if (!existsSync(state.at("history", `${name}.jsonl`)) && isOld(path)) idle.push(path);
    }
  }
  return idle;
}

function isOld(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeMs < Date.now() - youngMs;
}

/** Longer than any write takes from its note to its history. */
const youngMs = 60 * 60 * 1_000;
