import { escapeForDisplay } from "../../text/index.js";
import { type Call, cancelled, cancelledBy } from "../access/call.js";
import type { Change } from "../access/change.js";
import type { Ticket } from "../access/keyed-mutex.js";
import type { Session } from "../access/session.js";
import type { Site } from "../access/site.js";
import type { FileIdentity, Target } from "../values/disk.js";
import type { Lock } from "../values/ports.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { Member } from "./change-set-members.js";

/** The members' places, under all their locks. */
export interface LockedSites {
  /** The real path of each member, or why it has none. */
  readonly arrivals: readonly (string | Refusal)[];
  /** What is open now; closed with the locks. */
  readonly targets: Target[];
  /** Whether all locks are still held, below roots that are still the same. */
  isHeld(): Promise<boolean>;
}

/** Takes the locks of all members at once, in one order, for the time of the work. */
export async function underLocks<Result>(
  call: Call,
  members: readonly Member[],
  ticket: Ticket,
  work: (sites: LockedSites) => Promise<Result>,
): Promise<Result | Refusal> {
  const { session, signal } = call;
  if (session.readOnly) return readOnly;
  const arrivals = await arriveAll(session, members);
  const realPaths = arrivals.filter((arrival) => typeof arrival === "string").sort();
  await ticket.turn();
  const passed = session.mutex.run(realPaths, () => locked(call, realPaths, arrivals, work), { signal });
  ticket.done();
  return (await passed) ?? cancelled;
}

async function locked<Result>(
  call: Call,
  realPaths: readonly string[],
  arrivals: readonly (string | Refusal)[],
  work: (sites: LockedSites) => Promise<Result>,
): Promise<Result | Refusal> {
  const stopped = cancelledBy(call);
  if (stopped !== undefined) return stopped;
  const locks = await lockAll(call.session, realPaths);
  if ("kind" in locks) return locks;
  call.budget.start();
  const targets: Target[] = [];
  const isHeld = async () =>
    targets.every((target) => target.rootChanged?.() === undefined) &&
    (await Promise.all(locks.map((lock) => lock.held()))).every(Boolean);
  try {
    return await work({ arrivals, targets, isHeld });
  } finally {
    for (const target of targets) await target.close();
    await releaseAll(locks);
  }
}

/** The real path of each member, found without a lock; refuses a file that is named twice. */
async function arriveAll(
  session: Session,
  members: readonly Member[],
): Promise<readonly (string | Refusal)[]> {
  const arrivals: (string | Refusal)[] = [];
  for (const member of members) {
    const { change } = member;
    const found = await session.ports.disk.enter(change.path, "allow", entryUse(change) ?? "name");
    if (isRefusal(found)) {
      arrivals.push(found);
      continue;
    }
    await found.close();
    const twin = members[arrivals.indexOf(found.realPath)];
    arrivals.push(twin === undefined ? found.realPath : nameTaken(twin, member));
  }
  return arrivals;
}

/** How a change walks to its path: to the name itself, or to what a link there leads to. */
export function entryUse({ isEntry }: Pick<Change, "isEntry">): "entry" | undefined {
  return isEntry === true ? "entry" : undefined;
}

/** The refusal of a name that an earlier member of the set has. */
function nameTaken(twin: Member, member: Member): Refusal {
  return member.kind === "arriving" && member.from === twin
    ? refuse(
        "invalid_arguments",
        `${escapeForDisplay(member.change.path)} is the name that it has already. Nothing was changed.`,
      )
    : namedTwice(twin.change.path, member.change.path);
}

/** The refusal of one file under two names of a set. */
export function namedTwice(path: string, again: string): Refusal {
  const names = path === again ? path : `${path} and ${again}`;
  return refuse(
    "invalid_arguments",
    `The change set names one file twice: ${names}. Put all that is to become of it into one change.`,
  );
}

/** The locks between processes, in one order; all of them within the time that one may take. */
async function lockAll(session: Session, realPaths: readonly string[]): Promise<readonly Lock[] | Refusal> {
  const { locks, clock } = session.ports;
  const until = clock.now() + session.limits.lockMs;
  const taken: Lock[] = [];
  try {
    for (const realPath of realPaths) {
      const lock = await locks.acquire(realPath, Math.max(0, until - clock.now()));
      if (isRefusal(lock)) {
        await releaseAll(taken);
        return lock;
      }
      taken.push(lock);
    }
    return taken;
  } catch (error) {
    await releaseAll(taken);
    throw error;
  }
}

async function releaseAll(locks: readonly Lock[]): Promise<void> {
  for (const lock of locks.toReversed()) await lock.release();
}

/**
 * Under the lock of the file beside that of its name: a write in place reaches every name of the file. (A write
 * that replaces a file refuses one with several names.)
 */
export async function withFileLocked<Result>(
  site: Site,
  isHeld: () => Promise<boolean>,
  work: (isHeld: () => Promise<boolean>) => Promise<Result>,
): Promise<Result | Refusal> {
  const { ports, limits } = site.call.session;
  const found = await site.target.look();
  // What stands there otherwise is answered for by the work.
  if (isRefusal(found) || found.kind !== "file") return work(isHeld);
  const fileLock = await ports.locks.acquire(fileKey(found.identity), limits.lockMs);
  if (isRefusal(fileLock)) return fileLock.code === "busy" ? otherName : fileLock;
  try {
    // Asked again before the step: a second try may meet another file, which is not locked.
    const isSame = async () => {
      const now = await site.target.look();
      return !isRefusal(now) && now.kind === "file" && fileKey(now.identity) === fileKey(found.identity);
    };
    if (!(await isSame())) return movedAway;
    return await work(async () => (await fileLock.held()) && (await isHeld()) && (await isSame()));
  } finally {
    await fileLock.release();
  }
}

/** A key for the lock of a file, whatever its name; no real path looks so. */
function fileKey({ device, inode }: FileIdentity): string {
  return `file:${device}:${inode}`;
}

const otherName = refuse(
  "busy",
  "The file is being written under another of its names; nothing was changed. Try again.",
);

const readOnly = refuse("read_only", "This workspace is read-only; nothing was written.");

export const movedAway = refuse(
  "busy",
  "The path came to mean another file while the lock was waited for; try again.",
);
