import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type { LoadedSession } from "@holdfast/core/conversation";
import type { PageData, PageOptions } from "./browser/page-data.js";
import { keptTexts, namedStates, spentIn } from "./session-files.js";

/**
 * A session as one page that needs nothing beside it: its journal, the code that folds and renders it, and
 * the states of files that it names as far as they are still kept. Files that may hold secrets stay out.
 */
export async function htmlPage(session: LoadedSession, options: PageOptions): Promise<readonly string[]> {
  const { id, records, problems } = session;
  const data: PageData = {
    format: "holdfast-page",
    v: 1,
    version: options.version,
    exportedMs: options.now,
    id,
    records,
    problems,
    states: statesOf(session, options.stateDir),
    spent: spentIn(records, options.costOf),
  };
  const page = await emptyPage();
  const at = page.indexOf(dataSlot) + dataSlot.length;
  return [page.slice(0, at), packed(data), page.slice(at)];
}

/**
 * What a page is given, in letters and digits of which none can act: a browser takes longer to read a large page than to
 * unpack a small one.
 */
export function packed(data: unknown): string {
  return gzipSync(JSON.stringify(data)).toString("base64");
}

/** The page without a session. */
export function emptyPage(): Promise<string> {
  return readFile(new URL("history-page.html", import.meta.url), "utf8");
}

const dataSlot = '<script type="text/plain" id="holdfast-session">';

/** More states would make a page that nobody can open. */
const largestTotal = 32 * 1024 * 1024;

function statesOf({ records }: LoadedSession, stateDir: string | undefined): PageData["states"] {
  const textOf = keptTexts(stateDir);
  const texts: Record<string, string> = {};
  let total = 0;
  for (const hash of new Set(namedStates(records))) {
    const text = textOf(hash);
    if (text === undefined || total + text.length > largestTotal) continue;
    texts[hash] = text;
    total += text.length;
  }
  return texts;
}
