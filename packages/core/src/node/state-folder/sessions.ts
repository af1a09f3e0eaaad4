import { linkSync, lstatSync, lutimesSync, symlinkSync } from "node:fs";
import { codeOf, linksNameLinks } from "../disk/platform.js";
import { namesIn, newId, readLink, removeQuietly } from "../disk/reading.js";
import { formatIdentity, livenessOf, ownIdentity, parseIdentity } from "./process-identity.js";
import type { StateFolder } from "./state-folder.js";

/** A session that cannot be looked up (another boot or container) is over after so long without a sign. */
const silenceMs = 24 * 60 * 60 * 1_000;
const signMs = 60_000;
/** What bears the name of a lock must not look older than a lock that has just been taken. */
const freshMs = 1_000;

/** The sign that a session lives, for the garbage collection: what it saw since it began is kept. */
export interface Presence {
  /** Shows the session; cheap when it was shown a moment ago. Throws the system's error. */
  show(): void;
  /**
   * Makes a further name of the sign, for a lock: who holds it can be read there, and no inode is made and freed with
   * every write. Throws `EEXIST` where the name is taken.
   *
   * @returns the text of the sign; undefined where there is none yet, or the file system refuses such names.
   */
  linkTo(path: string): string | undefined;
  close(): void;
}

/** Nothing is written before the first `show`. */
export function openPresence(state: StateFolder): Presence {
  const path = state.at("sessions", newId());
  let shownAt: number | undefined;
  /** What the session saw since then is kept, also where somebody removed the sign and it is made again. */
  let began: number | undefined;
  let text = "";
  let canLink = linksNameLinks;
  const refresh = (now: number) => {
    lutimesSync(path, now / 1_000, now / 1_000);
    shownAt = now;
  };
  return {
    show: () => {
      const now = Date.now();
      if (shownAt !== undefined && now - shownAt < signMs) return;
      if (shownAt !== undefined && readLink(path) !== undefined) return refresh(now);
      began ??= now;
      text = `${began}:${formatIdentity(ownIdentity())}`;
      state.within(state.at("sessions"), () => symlinkSync(text, path));
      shownAt = now;
    },
    linkTo: (name) => {
      if (shownAt === undefined || !canLink) return undefined;
      try {
        const now = Date.now();
        if (now - shownAt > freshMs) refresh(now);
        linkSync(path, name);
        return text;
      } catch (error) {
        const code = codeOf(error);
        if (code === "" || code === "EEXIST") throw error;
        // Somebody removed the sign, or the folder of the name is missing: that may be otherwise the next time.
        canLink = code === "ENOENT";
        return undefined;
      }
    },
    close: () => {
      if (shownAt === undefined) return;
      shownAt = undefined;
      began = undefined;
      removeQuietly(path);
    },
  };
}

/** The signs of life that sessions of this state folder gave. */
interface SessionSigns {
  readonly live: number;
  /** Signs of sessions that are over. */
  readonly overPaths: readonly string[];
  /** When the oldest live session began, in milliseconds since the epoch; infinite without any. */
  readonly oldestBegan: number;
}

/** Counts live sessions, and finds the signs of ended ones. */
export function readSessions(state: StateFolder): SessionSigns {
  const overPaths: string[] = [];
  let live = 0;
  let oldestBegan = Number.POSITIVE_INFINITY;
  for (const name of namesIn(state.at("sessions"))) {
    const path = state.at("sessions", name);
    const began = beganOf(path);
    if (began === undefined) overPaths.push(path);
    else {
      live += 1;
      oldestBegan = Math.min(oldestBegan, began);
    }
  }
  return { live, overPaths, oldestBegan };
}

/** When the session of a sign began; undefined where it is over. */
function beganOf(path: string): number | undefined {
  const text = readLink(path) ?? "";
  const at = text.indexOf(":");
  const identity = parseIdentity(text.slice(at + 1));
  const began = Number(text.slice(0, Math.max(at, 0)));
  if (identity === undefined || !Number.isFinite(began)) return undefined;
  const liveness = livenessOf(identity);
  if (liveness !== "unknown") return liveness === "alive" ? began : undefined;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs < silenceMs ? began : undefined;
}
