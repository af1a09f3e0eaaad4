import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { conversation, must, openNode } from "./engine.mjs";
import { sourcesOfIds } from "./turns.mjs";

/**
 * Conversations in journal files.
 *
 * @typedef {import("./engine.mjs").SessionStore} SessionStore
 */

/** @param {string} stateDir */
export async function openJournals(stateDir) {
  const { openJournalStore } = await openNode();
  return must(openJournalStore({ stateDir }));
}

/** @param {SessionStore} store */
export async function startConversation(store) {
  return must(await conversation.createConversation(store, { ...sourcesOfIds, title: "bench" }));
}

/** @param {string} stateDir @param {string} id */
export function journalFile(stateDir, id) {
  return join(stateDir, "conversations", `${id}.jsonl`);
}

/** Of all sessions, their blobs included. @param {string} stateDir */
export function journalBytes(stateDir) {
  const room = join(stateDir, "conversations");
  return readdirSync(room, { recursive: true, encoding: "utf8" })
    .map((path) => statSync(join(room, path)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0);
}
