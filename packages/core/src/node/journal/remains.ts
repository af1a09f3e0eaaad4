import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../disk/entries.js";
import { codeOf } from "../disk/platform.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { type JournalPaths, journalSuffix, unfinishedJournal } from "./paths.js";

/** Removes the files of a journal that is gone: its texts, and tails that were cut off it. */
export function clearRemains(paths: JournalPaths): void {
  for (const name of namesIn(paths.folder)) {
    if (name.startsWith(`${paths.id}.`)) removeAll(join(paths.folder, name));
  }
}

/**
 * Files that interrupted calls left in the conversations: unfinished ones, and those of journals that are
 * gone. A session, and the files that it names, is never collected.
 */
export function conversationRemains(state: StateFolder): readonly string[] {
  const room = state.at("conversations");
  const names = namesIn(room);
  const sessions = new Set(names.filter((name) => name.endsWith(journalSuffix)).map(idOf));
  const remains: string[] = [];
  for (const name of names) {
    const path = join(room, name);
    if (name.startsWith(unfinishedJournal)) remains.push(path);
    else if (/^[^.]+\.(blobs|(?:torn|damaged)-.*)$/.test(name) && !sessions.has(idOf(name)))
      remains.push(path);
    else if (name.endsWith(".blobs"))
      for (const blob of namesIn(path))
        if (blob.startsWith(unfinishedJournal)) remains.push(join(path, blob));
  }
  return remains.filter(isLeft);
}

/** Deletes an entry of the conversations, a folder with all that is in it. */
export function removeAll(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    // It does no harm; the garbage collection finds it.
    if (codeOf(error) === "") throw error;
  }
}

/** Nobody takes an hour to make a session, or to remove one. */
const unfinishedMs = 60 * 60 * 1_000;

function isLeft(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > unfinishedMs;
}

function idOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}
