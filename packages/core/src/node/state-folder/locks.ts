import { linkSync, lstatSync, lutimesSync, renameSync, symlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { KeyedMutex, type Lock, type Locks } from "../../files/index.js";
import { type Refusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { codeOf, quietly, refusalOrFault } from "../disk/platform.js";
import { namesIn, newId, readLink, removeQuietly, sha256 } from "../disk/reading.js";
import {
  formatIdentity,
  livenessOf,
  ownIdentity,
  type Presence,
  type ProcessIdentity,
  parseIdentity,
} from "./sessions.js";
import type { StateFolder } from "./state-folder.js";

/** A holder that cannot be looked up (another boot or container) is given up after so long without a beat. */
const silenceMs = 60_000;
const beatMs = 2_000;
const firstWaitMs = 1;
const longestWaitMs = 25;

/**
 * One lock a real path: a queue in this process, and between processes a symbolic link in the state
 * folder, made by one atomic call, whose text says who holds it. A holder that is provably dead loses it
 * at once; one that is merely stopped keeps it.
 *
 * @param presence whose sign the locks are further names of, where there is one: a lock is a link of its own otherwise.
 */
export function openLocks(state: StateFolder, presence?: Presence): Locks {
  return {
    acquire: async (realPath, limitMs) => {
      const until = performance.now() + limitMs;
      const pass = await acquireWithin(limitMs, `${state.path}\0${realPath}`);
      if (pass === undefined) return busy(realPath, process.pid);
      try {
        const lock = new LinkLock(state, realPath, pass, presence);
        const answer = await lock.take(until);
        if (answer === "taken") return lock;
        pass();
        return answer;
      } catch (error) {
        pass();
        return refusalOrFault(error, `the state folder ${state.path}`);
      }
    },
  };
}

/** Of the whole process: two workspaces on one state folder wait in the same queue. */
const mutex = new KeyedMutex();

/** Undefined where the time passed before. A timer of its own: it must keep the process alive, and end. */
async function acquireWithin(limitMs: number, key: string): Promise<(() => void) | undefined> {
  const free = mutex.acquireIfFree([key]);
  if (free !== undefined) return free;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(), limitMs);
  try {
    return await mutex.acquire([key], { signal: waiting.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** The name of a path in the state folder. */
export function keyOf(realPath: string): string {
  return sha256(Buffer.from(realPath)).slice(0, 40);
}

/** Who holds a lock, by its text; undefined where the text is none of ours. */
export function holderOf(text: string): ProcessIdentity | undefined {
  const at = text.indexOf(":");
  return at < 0 ? undefined : parseIdentity(text.slice(at + 1));
}

/** Whether the lock at this path, with this text, has a holder that is gone. */
export function isAbandoned(path: string, text: string): boolean {
  const holder = holderOf(text);
  const liveness = holder === undefined ? "unknown" : livenessOf(holder);
  if (liveness !== "unknown") return liveness === "dead";
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // A beat from the future is a clock that was put back: it proves no life.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > silenceMs;
}

class LinkLock implements Lock {
  readonly kind = "lock";
  private readonly path: string;
  /** Unlike that of every other lock on this path: one session never takes it twice at a time. */
  private text = "";
  private beat: NodeJS.Timeout | undefined;
  private released = false;

  constructor(
    private readonly state: StateFolder,
    private readonly realPath: string,
    private readonly pass: () => void,
    private readonly presence: Presence | undefined,
  ) {
    this.path = state.at("locks", keyOf(realPath));
  }

  async take(until: number): Promise<"taken" | Refusal> {
    for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
      if (this.link()) {
        this.keepAlive();
        return "taken";
      }
      const text = readLink(this.path);
      if (text === undefined) continue;
      if (isAbandoned(this.path, text) && breakLock(this.path, text)) continue;
      const left = until - performance.now();
      if (left <= 0) return busy(this.realPath, holderOf(text)?.pid);
      await delay(Math.min(left, wait * (0.5 + Math.random())));
    }
  }

  async held(): Promise<boolean> {
    return !this.released && readLink(this.path) === this.text;
  }

  async release(): Promise<void> {
    if (this.released) return;
    this.released = true;
    clearInterval(this.beat);
    try {
      // Where that fails, the lock stays behind; it is broken as soon as this process is gone.
      quietly(() => this.takeAway());
    } finally {
      this.pass();
    }
  }

  /**
   * A breaker that mistook our lock for an abandoned one may have it aside at this moment and put it back
   * after we looked; nobody would ever take it away then. So what lies aside is looked through as well.
   */
  private takeAway(): void {
    if (removeIf(this.path, this.text)) return;
    const aside = `${basename(this.path)}.`;
    for (const name of namesIn(dirname(this.path))) {
      if (name.startsWith(aside)) removeIf(this.state.at("locks", name), this.text);
    }
    removeIf(this.path, this.text);
  }

  private link(): boolean {
    return this.state.within(this.state.at("locks"), () => {
      try {
        this.text = this.presence?.linkTo(this.path) ?? this.symlink();
        return true;
      } catch (error) {
        if (codeOf(error) === "EEXIST") return false;
        throw error;
      }
    });
  }

  private symlink(): string {
    const text = `${newId()}:${formatIdentity(ownIdentity())}`;
    symlinkSync(text, this.path);
    return text;
  }

  /** Whoever cannot look us up sees by the time stamp that we live. */
  private keepAlive(): void {
    this.beat = setInterval(() => {
      try {
        const now = new Date();
        if (readLink(this.path) === this.text) lutimesSync(this.path, now, now);
      } catch {
        // `held` finds out.
      }
    }, beatMs);
    this.beat.unref();
  }
}

/**
 * Takes an abandoned lock away. Two who break the same lock at once must not take away the lock that a
 * third made in between: so it is moved aside, looked at again, and, if it was another's, put back.
 *
 * @returns whether the abandoned lock is gone; false where it was not the one that was there.
 */
export function breakLock(path: string, abandoned: string): boolean {
  const aside = `${path}.${newId()}`;
  if (readLink(path) !== abandoned) return false;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
  const moved = readLink(aside);
  const right = moved === abandoned;
  // If another process has the lock by now, the displaced holder learns it from `held` before its step.
  if (!right) quietly(() => linkSync(aside, path));
  removeQuietly(aside);
  return right;
}

function removeIf(path: string, text: string): boolean {
  if (readLink(path) !== text) return false;
  removeQuietly(path);
  return true;
}

function busy(realPath: string, pid: number | undefined): Refusal {
  const holder =
    pid === undefined ? "another process" : pid === process.pid ? "this process" : `process ${pid}`;
  return refuse(
    "busy",
    `${escapeForDisplay(realPath)} is locked by ${holder}; nothing was changed. Try again.`,
  );
}
