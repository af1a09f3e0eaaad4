import { renameSync, writeFileSync } from "node:fs";
import type { SessionFacts } from "../../conversation/values/index.js";
import { newId, sha256 } from "../disk/digest.js";
import { readText, removeQuietly } from "../disk/entries.js";
import { ifPossible, quietly } from "../disk/platform.js";
import type { StateFolder } from "../state-folder/state-folder.js";
import { unfinishedJournal } from "./paths.js";

/** What was found in a journal of this size when it bore this time. */
export interface IndexedFacts {
  /** Nanoseconds; "" is never kept. */
  readonly mtimeNs: string;
  /** Of the journal alone. */
  readonly journalBytes: number;
  readonly facts: Omit<SessionFacts, "id" | "heldBy">;
}

/** A journal that was written so lately may be written again without another time stamp. */
const clockTickNs = 1_000_000_000n;
/** Fewer changes than this are found again more quickly than they are written down. */
const worthwhile = 20;

/**
 * What the last listing found, by session: only a cache. Whoever deletes it loses time; one that is damaged
 * or of another release counts as none.
 */
export function readIndex(state: StateFolder): ReadonlyMap<string, IndexedFacts> {
  const [check, text] = splitOnce(ifPossible(() => readText(indexPath(state)), undefined) ?? "");
  if (check !== checkOf(text)) return new Map();
  // Only `writeIndex` makes such a check, and it covers the form, too.
  return new Map(JSON.parse(text) as [string, IndexedFacts][]);
}

/** Keeps what a listing found, where that saves the next one something. Failing to is no failure. */
export function writeIndex(
  state: StateFolder,
  before: ReadonlyMap<string, IndexedFacts>,
  found: ReadonlyMap<string, IndexedFacts>,
): void {
  const limit = BigInt(Date.now()) * 1_000_000n - clockTickNs;
  const kept = [...found].filter(([, { mtimeNs }]) => mtimeNs !== "" && BigInt(mtimeNs) < limit);
  const changed = kept.filter(([id, facts]) => before.get(id) !== facts);
  if (changed.length < worthwhile) return;
  const unfinished = state.at("conversations", `${unfinishedJournal}${newId()}`);
  const text = JSON.stringify(kept);
  const isKept = quietly(() => {
    writeFileSync(unfinished, `${checkOf(text)}\n${text}`, { mode: 0o600, flag: "wx" });
    renameSync(unfinished, indexPath(state));
  });
  if (!isKept) removeQuietly(unfinished);
}

/** Part of the check, so that another release's index is none to this one. */
const form = "holdfast sessions 2\n";

function checkOf(text: string): string {
  return sha256(Buffer.from(form + text));
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf("\n");
  return [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
}

/** No id holds a dot, so this is no session's. */
function indexPath(state: StateFolder): string {
  return state.at("conversations", "index.cache");
}
