import { withoutState } from "./change.js";
import { refusedSet, settledSet, standsAside } from "./change-set-answers.js";
import { landSet } from "./change-set-landing.js";
import type { AnsweredMember, Member, Standing } from "./change-set-members.js";
import { LockedChange } from "./locked-change.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import { isSecret } from "./path-policy.js";
import type { Lock, Place } from "./ports.js";
import type { Session } from "./session.js";
import type { ApplyChangesOutcome, ChangedFile } from "./workspace-types.js";

/**
 * Carries several changes out as one: all or none. Everything is looked at, held against its base and
 * planned before anything is staged, under the locks of all files at once.
 */
export async function carryOutSet(
  session: Session,
  members: readonly Member[],
): Promise<ApplyChangesOutcome> {
  if (session.readOnly)
    return refusedSet(refuse("read_only", "This workspace is read-only; nothing was written."));
  const arrivals = await arriveAll(session, members);
  const realPaths = arrivals.filter((arrival) => typeof arrival === "string").sort();
  return passAll(session, realPaths, async () => {
    const locks = await lockAll(session, realPaths);
    if ("kind" in locks) return refusedSet(locks);
    try {
      const places: Place[] = [];
      try {
        const guard = async () => (await Promise.all(locks.map((lock) => lock.held()))).every(Boolean);
        return await decide(session, await weighAll(session, members, arrivals, places), guard);
      } finally {
        for (const place of places) await place.close();
      }
    } finally {
      await releaseAll(locks);
    }
  });
}

async function decide(
  session: Session,
  standings: readonly Standing[],
  guard: () => Promise<boolean>,
): Promise<ApplyChangesOutcome> {
  if (standings.some(isRefused)) return settledSet(standings.map(refuseStanding));
  const secured = await secureAll(session, standings);
  if (secured.some(isRefused)) return settledSet(secured.map(refuseStanding));
  return land(session, secured, guard);
}

function isRefused(standing: Standing): boolean {
  return standing.kind === "answered" && !standing.outcome.success;
}

/** What was and what will be is kept, so that both can be given back, whatever happens in between. */
async function secureAll(session: Session, standings: readonly Standing[]): Promise<readonly Standing[]> {
  const secured: Standing[] = [];
  for (const standing of standings) {
    if (standing.kind === "answered") {
      secured.push(standing);
      continue;
    }
    const { member, place, locked, plan, current } = standing;
    const moved = standings.some((other) => other.member.movedFrom === member);
    const way = await locked.secure(plan, current, moved);
    if (isRefusal(way)) {
      secured.push({ kind: "answered", member, outcome: locked.answer(way, current) });
      continue;
    }
    if (plan.bytes !== null && !isSecret(place.relativePath))
      await session.ports.blobs.put(session.ports.digest(plan.bytes), plan.bytes);
    secured.push({ ...standing, plan: { ...plan, message: plan.message + way.warning } });
  }
  return secured;
}

async function land(
  session: Session,
  standings: readonly Standing[],
  guard: () => Promise<boolean>,
): Promise<ApplyChangesOutcome> {
  const planned = standings.filter((standing) => standing.kind === "planned");
  const landed = planned.length === 0 ? [] : await landSet(session, planned, guard);
  if ("kind" in landed) return refusedSet(landed);
  const files = standings.map((standing): ChangedFile => {
    if (standing.kind === "answered") return answeredFile(standing);
    const outcome = landed[planned.indexOf(standing)];
    if (outcome === undefined) throw new Error("a planned file has no outcome");
    return { path: standing.member.path, outcome, authored: standing.plan.author === "caller" };
  });
  return settledSet(files);
}

function refuseStanding(standing: Standing): ChangedFile {
  if (standing.kind === "answered") return answeredFile(standing);
  const { member, locked, current } = standing;
  return { path: member.path, outcome: locked.answer(standsAside, current), authored: false };
}

function answeredFile({ member, outcome }: AnsweredMember): ChangedFile {
  return { path: member.path, outcome, authored: false };
}

/** Where each member stands, found without a lock; a file that is named twice has no one meaning. */
async function arriveAll(
  session: Session,
  members: readonly Member[],
): Promise<readonly (string | Refusal)[]> {
  const arrivals: (string | Refusal)[] = [];
  for (const { path } of members) {
    const found = await session.ports.disk.enter(path, "allow");
    if (isRefusal(found)) {
      arrivals.push(found);
      continue;
    }
    await found.close();
    const twin = members[arrivals.indexOf(found.realPath)];
    arrivals.push(twin === undefined ? found.realPath : namedTwice(twin.path, path));
  }
  return arrivals;
}

async function weighAll(
  session: Session,
  members: readonly Member[],
  arrivals: readonly (string | Refusal)[],
  places: Place[],
): Promise<readonly Standing[]> {
  const standings: Standing[] = [];
  let bytes = 0;
  for (const [at, member] of members.entries()) {
    const arrival = arrivals[at];
    if (arrival === undefined) throw new Error("a member has no arrival");
    const standing = await weigh(session, member, arrival, places);
    bytes += sizeOf(standing);
    const tooMuch = bytes > session.limits.changeBytes * wholeFactor;
    const twin = standings.find((other) => isSameFile(other, standing));
    if (tooMuch) standings.push(refuseMember(member, tooLarge));
    else if (twin !== undefined)
      standings.push(refuseMember(member, namedTwice(twin.member.path, member.path)));
    else standings.push(standing);
  }
  return standings;
}

async function weigh(
  session: Session,
  member: Member,
  arrival: string | Refusal,
  places: Place[],
): Promise<Standing> {
  if (typeof arrival !== "string") return refuseMember(member, arrival);
  const place = await session.ports.disk.enter(member.path, "allow");
  if (isRefusal(place)) return refuseMember(member, place);
  places.push(place);
  if (place.realPath !== arrival) return refuseMember(member, moved);
  const locked = new LockedChange(session, member, place, neverAsked);
  const result = await locked.weigh();
  member.weighed?.(result);
  if (result.kind === "write") return { kind: "answered", member, outcome: result };
  const { plan, current } = result;
  return { kind: "planned", member, place, locked, plan, current };
}

function refuseMember(member: Member, refusal: Refusal): AnsweredMember {
  return { kind: "answered", member, outcome: withoutState(refusal) };
}

/** Old and new bytes of all files of a set together may be so many times what one file may have. */
const wholeFactor = 4;

function sizeOf(standing: Standing): number {
  if (standing.kind === "answered") return 0;
  const { current, plan } = standing;
  return (current.kind === "file" ? current.bytes.length : 0) + (plan.bytes?.length ?? 0);
}

/** Where a file system folds case, two real paths can be one file. */
function isSameFile(one: Standing, other: Standing): boolean {
  if (one.kind === "answered" || other.kind === "answered") return false;
  if (one.current.kind === "absent" || other.current.kind === "absent") return false;
  const [left, right] = [one.current.identity, other.current.identity];
  return left.device === right.device && left.inode === right.inode;
}

function namedTwice(path: string, again: string): Refusal {
  const names = path === again ? path : `${path} and ${again}`;
  return refuse(
    "invalid_arguments",
    `The change set names one file twice: ${names}. Put all that is to become of it into one change.`,
  );
}

/** Passes the turnstiles of all paths, in their order, so that two sets never wait for each other. */
function passAll<Result>(
  session: Session,
  realPaths: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const [first, ...rest] = realPaths;
  if (first === undefined) return work();
  return session.turnstile.pass(first, () => passAll(session, rest, work));
}

/** The locks between processes, in the same order; all of them within the time that one may take. */
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

/** A member's own write is never taken: the set asks for all its locks at once. */
const neverAsked: Lock = {
  kind: "lock",
  held: async () => false,
  release: async () => {},
};

const moved = refuse("busy", "The path came to mean another file while the lock was waited for; try again.");
const tooLarge = refuse(
  "too_large",
  "The files of this change set are together larger than can be changed at once.",
);
