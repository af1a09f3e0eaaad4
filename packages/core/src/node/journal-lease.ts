import { type ConversationRefusal, refuseTurn } from "../conversation/index.js";
import { isRefusal, type Lock } from "../files/index.js";
import { readLink } from "./entries.js";
import type { JournalPlace } from "./journal-place.js";
import { holderOf, isAbandoned, keyOf, openLocks } from "./locks.js";
import { codeOf } from "./platform.js";
import type { StateFolder } from "./state-folder.js";
import { refuseLike, refuseStore } from "./store-answers.js";

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
    return lock.code === "busy" ? refuseHeld(place.id, leaseHolder(state, place)) : refuseLike(lock);
  } catch (error) {
    return refuseStore(error, `Session ${place.id} could not be locked`);
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

export function refuseHeld(id: string, holder = "another process"): ConversationRefusal<"busy"> {
  return refuseTurn("busy", `Session ${id} is being written by ${holder}; open it to read, or fork it.`);
}
