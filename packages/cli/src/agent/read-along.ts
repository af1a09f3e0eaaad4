import { setTimeout as wait } from "node:timers/promises";
import type { TalkTerminal } from "@holdfast/agent/ui";
import { openConversation } from "@holdfast/core/conversation";
import type { SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { escapeText } from "@holdfast/core/text";
import { newIds } from "../sessions/open-store.js";
import type { HeldSession, NoRun } from "./open-run.js";

/**
 * Shows a session that another program writes, as it grows, until the person sends words or leaves.
 *
 * @param unsent words that could not be sent.
 * @returns the words, to be tried again; undefined where the person left, or the store cannot be opened.
 */
export async function readAlong(
  { held, lines: why }: NoRun & { readonly held: HeldSession },
  talk: Pick<TalkTerminal, "terminal" | "past" | "prompt">,
  unsent?: string,
): Promise<string | undefined> {
  const say = (text: string) => talk.terminal.err(escapeText(`${text}\n`));
  const store = await held.openStore();
  if (isRefusal(store)) return void say(store.message);
  const left = new AbortController();
  try {
    if (unsent !== undefined) say(`Not sent, as the other program still writes: ${unsent}`);
    else
      for (const line of [...why, "It is shown here as it grows; words can be sent once that has ended."])
        say(line);
    const followed = { store, id: held.id, talk };
    // A plain terminal writes the prompt once: below what is there.
    const following = follow(followed, await shown(followed, ""), left.signal);
    const words = await talk.prompt();
    left.abort();
    await following;
    return words?.trim() === "/quit" ? undefined : words;
  } finally {
    await store.close();
  }
}

interface Followed {
  readonly store: SessionStore;
  readonly id: string;
  readonly talk: Pick<TalkTerminal, "past">;
}

/** Reads the session whenever it has changed: the longer that takes, the rarer. */
async function follow(followed: Followed, begin: string, signal: AbortSignal): Promise<void> {
  for (let stamp = begin, tookMs = 0; ; ) {
    await wait(Math.max(250, 4 * tookMs), undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const begun = performance.now();
    stamp = await shown(followed, stamp);
    tookMs = performance.now() - begun;
  }
}

/** Shows what is new. @param stamp of what is shown already. @returns that of what is shown now. */
async function shown({ store, id, talk }: Followed, stamp: string): Promise<string> {
  const now = await stampOf(store, id);
  if (now === stamp) return stamp;
  const opened = await openConversation(store, id, "read", { now: Date.now, ids: newIds() });
  if (isRefusal(opened)) return stamp;
  await talk.past(opened.manager.context);
  await opened.close();
  return now;
}

/** Another text as soon as the session has changed. */
async function stampOf(store: SessionStore, id: string): Promise<string> {
  const stamp = store.stampOf === undefined ? await store.list({ idPrefix: id }) : await store.stampOf(id);
  return JSON.stringify(stamp) ?? "";
}
