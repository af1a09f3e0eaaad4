import { type ConversationRefusal, refuseHeldSession } from "../../conversation/index.js";
import { isRefusal, type Lock } from "../../files/index.js";
import { readLink } from "../disk/entries.js";
import { codeOf } from "../disk/platform.js";
import { holderOf, isAbandoned, keyOf, openLocks } from "../state-folder/locks.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import type { JournalPlace } from "./place.js";
import { refuseLike, storeRefusalFrom } from "./store-answers.js";

/**
 * Takes the lease of a session at once or not at all.
 *
 * @returns `busy`, naming the holder; `disk_full`, `permission_denied`, `read_only`, `store_failed`.
 */
export async function takeLease(
  state: StateFolder,
  place: JournalPlace,
): Promise<Lock | ConversationRefusal> {
  try {
    const lock = await openLocks(state).acquire(place.file, 0);
    if (!isRefusal(lock)) return lock;
    return lock.code === "busy"
      ? refuseHeldSession(place.id, leaseHolder(state, place) ?? anotherProcess)
      : refuseLike(lock);
  } catch (error) {
    const refusal = storeRefusalFrom(error, `Session ${place.id} could not be locked`);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** Who writes a session now, for a person to read; undefined where nobody does. */
export function leaseHolder(state: StateFolder, place: JournalPlace): string | undefined {
  const path = state.at("locks", keyOf(place.file));
  try {
    const text = readLink(path);
    if (text === undefined || isAbandoned(path, text)) return undefined;
    return `process ${holderOf(text)?.pid ?? "unknown"}`;
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}

/** Who holds a lease of which no more can be told. */
export const anotherProcess = "another process";
