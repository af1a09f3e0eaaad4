import { unlinkSync } from "node:fs";
import { basename } from "node:path";
import { defaultKeepSecrets, type HistoryEntry, isStoredAsSecret } from "../../files/index.js";
import { bytesOf, exchange, restoreName, swapNameOf } from "../commit/exchanged.js";
import { hashNow, isStageName } from "../commit/real-path.js";
import type { Folder } from "../disk/folder.js";
import { renameOver } from "../disk/platform.js";
import { lookAt, newId, type Spot, sha256 } from "../disk/reading.js";
import { keepBlob } from "./blobs.js";
import { appendHistory } from "./history.js";
import type { Intent } from "./intents.js";
import { belongsToSecrets, keepSecret, markSecret } from "./secrets.js";
import type { StateFolder } from "./state-folder.js";

/**
 * Recovers the file that a kill left under the swap name. It is the new file before the exchange, the old one
 * after it or after it was moved aside to be deleted, or the file of a program without our lock: that one gets its name back, or, if another file has
 * the name by now, its bytes are kept. Throws the system's error; the intent then stays.
 *
 * @returns whether there was such a file; it is gone now.
 */
export function recoverSwap(state: StateFolder, folder: Folder, { stageName, change }: Intent): boolean {
  const name = swapNameOf(stageName);
  const aside: Spot = { folder, name, shown: name };
  if (!isStageName(stageName) || lookAt(aside).kind === "missing") return false;
  const bytes = bytesOf(aside);
  const hash = bytes === undefined ? undefined : sha256(bytes);
  const isKnown = hash !== undefined && (hash === change.after || hash === change.before);
  if (isKnown) unlinkSync(folder.at(name));
  else if (hashNow(folder, change.realPath) !== change.after || !restoreDisplaced(folder, aside, change))
    quarantineBytes(state, aside, change);
  return true;
}

/** What lies there is somebody else's, who has lost the name to a still later file. */
function quarantineBytes(state: StateFolder, aside: Spot, change: HistoryEntry): void {
  const bytes = bytesOf(aside);
  if (bytes === undefined) throw stuck(aside.name);
  keepDisplacedBytes(state, change, { bytes, sha256: sha256(bytes), shown: aside.name });
  unlinkSync(aside.folder.at(aside.name));
}

/**
 * Keeps and records bytes that another program lost to an interrupted write. Throws the system's error;
 * those of a secret are kept apart, or may not be copied.
 *
 * @param change the write that displaced them.
 */
export function keepDisplacedBytes(
  state: StateFolder,
  change: HistoryEntry,
  { bytes, sha256, shown }: { readonly bytes: Uint8Array; readonly sha256: string; readonly shown: string },
): void {
  const { realPath, keepSecrets: days = defaultKeepSecrets } = change;
  const isMarked = [change.before, change.after].some(
    (hash) => hash !== null && belongsToSecrets(state, realPath, hash),
  );
  if (isMarked) markSecret(state, realPath, sha256, Date.now());
  if (!isMarked && !isStoredAsSecret(change)) keepBlob(state, sha256, bytes);
  else if (days === "none") throw stuck(shown);
  else keepSecret(state, realPath, { sha256, bytes, days }, Date.now());
  const { undoes: _, changeSet: __, ...written } = change;
  appendHistory(state, {
    ...written,
    id: newId(),
    tool: "another program",
    after: sha256,
    displaced: true,
  });
}

/**
 * @returns false if another program was there first: its file is the newest and has the name, and what is to be kept
 *   lies aside.
 */
function restoreDisplaced(folder: Folder, aside: Spot, { realPath, after }: HistoryEntry): boolean {
  const name = basename(realPath);
  const [from, to] = [folder.at(aside.name), folder.at(name)];
  if (after === null) return restoreName(from, { ...aside, name });
  const isExchanged = exchange(from, to);
  if (!isExchanged) renameOver(from, to);
  const isOurs = !isExchanged || hashNow(folder, aside.name) === after;
  // As in a step that is exchanged back: what came out is newer than what went in.
  if (!isOurs) exchange(from, to);
  else if (isExchanged) unlinkSync(from);
  folder.sync();
  return isOurs;
}

/** A file that may be neither deleted nor copied stays there. */
function stuck(name: string): Error {
  return Object.assign(new Error(`${name} is left where it is`), { code: "EBUSY", syscall: "unlink" });
}
