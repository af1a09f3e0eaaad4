import { readFile } from "node:fs/promises";
import { effectsOf, type LoadedSession, type TurnNode } from "@holdfast/core/conversation";
import { isRefusal, isSecret } from "@holdfast/core/files";
import { openKeptStates } from "@holdfast/core/node";
import { escapeInJson } from "@holdfast/core/text";
import type { PageData } from "./browser/page-data.js";

/**
 * A session as one page that needs nothing beside it: its journal, the code that folds and renders it, and
 * the states of files that it names as far as they are still kept. Files that may hold secrets stay out.
 */
export async function htmlPage(
  session: LoadedSession,
  options: { readonly stateDir: string | undefined; readonly now: number; readonly version: string },
): Promise<readonly string[]> {
  const { id, records, problems } = session;
  const states = keptTexts(session, options.stateDir);
  const data: PageData = {
    format: "holdfast-page",
    v: 1,
    version: options.version,
    exportedMs: options.now,
    id,
    records,
    problems,
    states,
  };
  const page = await readFile(new URL("history-page.html", import.meta.url), "utf8");
  const [head = "", tail = ""] = page.split(dataSlot);
  return [head, inert(JSON.stringify(data)), tail];
}

/** Between its brackets stands `null` until there is a session. */
const dataSlot = /(?<=<script type="application\/json" id="holdfast-session">)null(?=<\/script>)/;

/** Larger states, and more of them, would make a page that nobody can open. */
const largestState = 512 * 1024;
const largestTotal = 32 * 1024 * 1024;

function keptTexts(
  { context }: LoadedSession,
  stateDir: string | undefined,
): Readonly<Record<string, string>> {
  const kept = openKeptStates(stateDir);
  const texts: Record<string, string> = {};
  if (isRefusal(kept)) return texts;
  let total = 0;
  for (const hash of namedStates([...context.nodes.values()])) {
    const bytes = kept.bytes(hash);
    if (bytes === undefined || bytes.length > largestState || total + bytes.length > largestTotal) continue;
    const text = textIn(bytes);
    if (text === undefined) continue;
    texts[hash] = text;
    total += bytes.length;
  }
  return texts;
}

function namedStates(nodes: readonly TurnNode[]): ReadonlySet<string> {
  const hashes = new Set<string>();
  for (const { payload } of nodes) {
    for (const { path, before, after } of effectsOf(payload)) {
      if (isSecret(path)) continue;
      for (const hash of [before, after]) if (typeof hash === "string") hashes.add(hash);
    }
  }
  return hashes;
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** JSON for a page: nothing in it can end the element that it stands in, or begin another one. */
export function inert(json: string): string {
  return escapeInJson(json).replace(
    /[<>&]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
