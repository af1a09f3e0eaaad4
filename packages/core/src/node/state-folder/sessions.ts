import { linkSync, lstatSync, lutimesSync, symlinkSync } from "node:fs";
import {
  codeOf,
  isKnownIdentity,
  linksNameLinks,
  lookAtProcess,
  machineIdentity,
  unknownIdentity,
} from "../disk/platform.js";
import { namesIn, newId, readLink, removeQuietly } from "../disk/reading.js";
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

/**
 * Who left a record in the state folder. A pid alone says little: it is used again after a while, after a
 * restart of the machine and in every container. So the start time, the boot and the namespace of
 * process numbers stand beside it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly namespace: string;
}

let own: ProcessIdentity | undefined;

/** The identity of this process: a reused process id is another identity. */
export function ownIdentity(): ProcessIdentity {
  if (own !== undefined) return own;
  const { pid } = process;
  const look = lookAtProcess(pid);
  const found = {
    pid,
    start: look.kind === "runs" ? look.start : unknownIdentity.start,
    ...machineIdentity(),
  };
  // What could not be told now, for want of descriptors, may be told later.
  if (isKnownIdentity(found)) own = found;
  return found;
}

/**
 * `unknown`: of another boot, container or machine, or nothing can be told of it now; only its heartbeat can
 * decide.
 */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const { boot, namespace } = ownIdentity();
  if (!isKnownIdentity(identity) || identity.boot !== boot || identity.namespace !== namespace)
    return "unknown";
  const look = lookAtProcess(identity.pid);
  switch (look.kind) {
    case "gone":
      return "dead";
    case "unknown":
      return "unknown";
    case "runs":
      return look.start === identity.start ? "alive" : "dead";
    default:
      return look satisfies never;
  }
}

/** One line without spaces or slashes, for the text of a symbolic link. */
export function formatIdentity(identity: ProcessIdentity): string {
  return [identity.pid, identity.start, identity.boot, identity.namespace].join(":");
}

/** Reads what `formatIdentity` wrote; undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [pid, start, boot, namespace, ...more] = text.split(":");
  if (pid === undefined || start === undefined || boot === undefined || namespace === undefined) {
    return undefined;
  }
  if (more.length > 0 || !/^[1-9]\d{0,9}$/.test(pid)) return undefined;
  return { pid: Number(pid), start, boot, namespace };
}
