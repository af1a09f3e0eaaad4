import { type ConversationRefusal, refuseHeldSession } from "../../conversation/values/index.js";
import type { Lock } from "../../files/index.js";
import { isRefusal } from "../../files/values/index.js";
import { readLink } from "../disk/entries.js";
import { ifPossible } from "../disk/platform.js";
import { holderOf, isAbandoned, keyOf, openLocks } from "../state-folder/locks.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import type { JournalPaths } from "./paths.js";
import { refuseLike, storeRefusalFrom } from "./store-answers.js";

/**
 * Takes the lease of a session at once or not at all.
 *
 * @returns `busy`, naming the holder; `disk_full`, `permission_denied`, `read_only`, `store_failed`.
 */
export async function takeLease(
  state: StateFolder,
  paths: JournalPaths,
): Promise<Lock | ConversationRefusal> {
  try {
    const lock = await openLocks(state).acquire(paths.file, 0);
    if (!isRefusal(lock)) return lock;
    return lock.code === "busy"
      ? refuseHeldSession(paths.id, leaseHolder(state, paths) ?? anotherProcess)
      : refuseLike(lock);
  } catch (error) {
    return storeRefusalFrom(error, `Session ${paths.id} could not be locked`);
  }
}

/** The name of the writer of a session, for a person; undefined if there is none. */
export function leaseHolder(state: StateFolder, paths: JournalPaths): string | undefined {
  const path = state.at("locks", keyOf(paths.file));
  const text = ifPossible(() => readLink(path), undefined);
  if (text === undefined || ifPossible(() => isAbandoned(path, text), true)) return undefined;
  return `process ${holderOf(text)?.pid ?? "unknown"}`;
}

/** Who holds a lease of which no more can be told. */
export const anotherProcess = "another process";
