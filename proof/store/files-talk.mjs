import { randomBytes } from "node:crypto";
import { createConversation, openConversation } from "@holdfast/core/conversation";
import { namesFrom, timeSortedIds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import { must, storeAt } from "./life.mjs";

/** The files that a talk is about. */
export const paths = ["a.txt", "b.txt", "sub/c.txt", "d.txt", "e.txt"];

/** The same numbers for the same seed, from 0 to below 1. @param {number} seed */
export function randomFrom(seed) {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 7), state | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

let ahead = 0;
/** Somebody puts the clock forward and back now and then: what came after what is told by the journal alone. */
function restlessClock() {
  if (Math.random() < 0.05) ahead = Math.round((Math.random() - 0.5) * 60_000);
  return Date.now() + ahead;
}

/**
 * A session for writing, with its workspace; without an id a new one.
 *
 * @param {{ root: string, stateDir: string }} place @param {string} [session]
 */
export async function hold({ root, stateDir }, session) {
  const workspace = must(await openWorkspace({ roots: [root], stateDir }));
  const store = storeAt(stateDir);
  const newId = timeSortedIds(restlessClock, randomBytes);
  const sources = { ids: newId, now: restlessClock, naming: namesFrom(root) };
  const opened =
    session === undefined
      ? await createConversation(store, sources)
      : await openConversation(store, session, "write", { ...sources, files: workspace });
  if (isRefusal(opened)) throw new Error(opened.message);
  const { manager, files, problems } = opened;
  const close = async () => {
    await opened.close();
    await store.close();
    await workspace.close();
  };
  return { manager, workspace, newId, files, problems, close };
}
