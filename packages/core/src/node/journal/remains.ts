import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRefusal } from "../../files/values/index.js";
import { quietly } from "../disk/platform.js";
import { namesIn } from "../disk/reading.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { type JournalPaths, journalPaths, journalSuffix, takeLease, unfinishedJournal } from "./paths.js";

/** Removes the files of a journal that is gone: its texts, and tails that were cut off it. */
export function clearRemains(paths: JournalPaths): void {
  for (const name of namesIn(paths.folder)) {
    if (name.startsWith(`${paths.id}.`)) removeAll(join(paths.folder, name));
  }
}

/**
 * Removes what interrupted calls left in the conversations: unfinished files, and those of journals that are gone. A
 * session, and the files that it names, is never collected. What belongs to a session goes under its lease and after
 * another look: somebody may be making one of this id.
 */
export async function removeRemains(state: StateFolder): Promise<void> {
  for (const { path, paths, isOrphan } of conversationRemains(state)) {
    const lease = paths && (await takeLease(state, paths));
    if (lease !== undefined && isRefusal(lease)) continue;
    const isNeeded = isOrphan && paths !== undefined && isThere(paths.file);
    if (!isNeeded && isAbandoned(path)) removeAll(path);
    await lease?.release();
  }
}

interface Remains {
  readonly path: string;
  /** Of the session that it belongs to; none for what was to become a journal. */
  readonly paths?: JournalPaths;
  /** It goes because there is no journal of it. */
  readonly isOrphan?: boolean;
}

function conversationRemains(state: StateFolder): readonly Remains[] {
  const room = state.at("conversations");
  const names = namesIn(room);
  const sessions = new Set(names.filter((name) => name.endsWith(journalSuffix)).map(idOf));
  const remains: Remains[] = [];
  for (const name of names) {
    const path = join(room, name);
    const paths = journalPaths(state, idOf(name));
    if (name.startsWith(unfinishedJournal)) remains.push({ path });
    else if (/^[^.]+\.(blobs|(?:torn|damaged)-.*)$/.test(name) && !sessions.has(idOf(name)))
      remains.push({ path, paths, isOrphan: true });
    else if (name.endsWith(".blobs"))
      for (const blob of namesIn(path))
        if (blob.startsWith(unfinishedJournal)) remains.push({ path: join(path, blob), paths });
  }
  return remains.filter(({ path }) => isAbandoned(path));
}

/** Deletes an entry of the conversations, a folder with all that is in it. */
function removeAll(path: string): void {
  // What is left does no harm; the garbage collection finds it.
  quietly(() => rmSync(path, { recursive: true, force: true }));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Nobody takes an hour to make a session, or to remove one. */
const unfinishedMs = 60 * 60 * 1_000;

function isAbandoned(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > unfinishedMs;
}

function idOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}
