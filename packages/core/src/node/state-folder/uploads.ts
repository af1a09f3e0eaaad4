import { lstatSync, utimesSync } from "node:fs";
import type { Lock } from "../../files/index.js";
import { isRefusal, type Refusal } from "../../files/values/index.js";
import { jsonOf } from "../../text/index.js";
import { ifPossible, quietly } from "../disk/platform.js";
import { namesIn, readText, removeQuietly } from "../disk/reading.js";
import { openLocks } from "./locks.js";
import { openStateFolder, placeWhole } from "./state-folder.js";

/** What is known of bytes that were uploaded to a provider, by their SHA-256. */
export interface UploadFolder {
  readonly kind: "uploads";
  /** As it was written; undefined where nothing is, where it is over, or where it is damaged. */
  read(sha256: string): unknown;
  /** @param untilMs when it is over, in milliseconds since the epoch. What cannot be kept is not kept. */
  write(sha256: string, record: object, untilMs: number): void;
  remove(sha256: string): void;
  /**
   * The right to upload these bytes, of one process at a time; undefined while another has it. A dead one has none, and
   * where the folder cannot say who has it, everybody may.
   */
  claim(sha256: string): Promise<(() => Promise<void>) | undefined>;
}

/**
 * The uploads of one account, one file each: whoever writes one takes no other away, and none is ever half there.
 *
 * @param account names it, such as by a digest: letters and digits. Addresses are of no use to another account.
 * @param stateDir the user's state folder unless given.
 */
export function openUploadFolder(account: string, stateDir?: string): UploadFolder | Refusal {
  const state = openStateFolder(stateDir);
  if (isRefusal(state)) return state;
  const folder = state.at("uploads", account);
  const pathOf = (sha256: string) => state.at("uploads", account, sha256);
  const locks = openLocks(state);
  let isSwept = false;
  return {
    kind: "uploads",
    read: (sha256) => (isHash(sha256) ? ifPossible(() => recordAt(pathOf(sha256)), undefined) : undefined),
    write: (sha256, record, untilMs) => {
      if (!isHash(sha256)) return;
      // What the disk does not take is not kept: the bytes then go up once more.
      quietly(() => {
        if (!isSwept) sweep(folder);
        isSwept = true;
        const path = pathOf(sha256);
        const bytes = new TextEncoder().encode(JSON.stringify(record));
        placeWhole(state, path, bytes, { prefix: unfinishedPrefix, isDurable: false });
        utimesSync(path, untilMs / 1_000, untilMs / 1_000);
      });
    },
    remove: (sha256) => {
      if (isHash(sha256)) removeQuietly(pathOf(sha256));
    },
    claim: async (sha256) => {
      const lock: Lock | Refusal = await locks.acquire(pathOf(sha256), 0);
      if (!isRefusal(lock)) return () => lock.release();
      return lock.code === "busy" ? undefined : async () => {};
    },
  };
}

const unfinishedPrefix = "tmp-";

/** What a journal of anybody names may be anything: no path is made of that. */
function isHash(name: string): boolean {
  return /^[0-9a-f]{64}$/.test(name);
}

/** A record's time of change is when it is over. */
function recordAt(path: string): unknown {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined || stat.mtimeMs <= Date.now() ? undefined : jsonOf(readText(path) ?? "");
}

/** What is over goes, and what a kill left unfinished long ago. */
function sweep(folder: string): void {
  for (const name of namesIn(folder)) {
    const stat = lstatSync(`${folder}/${name}`, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const graceMs = name.startsWith(unfinishedPrefix) ? hourMs : 0;
    if (stat.mtimeMs + graceMs <= Date.now()) removeQuietly(`${folder}/${name}`);
  }
}

const hourMs = 60 * 60 * 1_000;
