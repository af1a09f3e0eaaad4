import { defined, escapeForDisplay } from "../../text/index.js";
import { notWrittenWithSet } from "../access/answers.js";
import { type Call, cancelled, cancelledBy } from "../access/call.js";
import { type Change, type PlannedWrite, withoutState } from "../access/change.js";
import { type Current, digestOf, isSecretState, isStoredAsSecret } from "../access/kept-states.js";
import { entryOf, noteStep, type Site, stateAfter } from "../access/landing.js";
import type { Session, Ticket } from "../access/session.js";
import { written as answerWritten, removeMadeFor, stepOnto } from "../change/around-step.js";
import { overtaken, refuseFresh, type WriteDecision } from "../change/decide.js";
import type { Committed, Expected, FileIdentity, GivenAccess, Target } from "../values/disk.js";
import { type WriteOutcome, type WriteRefusal, withDisplacedNote } from "../values/outcomes.js";
import type { Lock } from "../values/ports.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { SetStep, SetStopped } from "../values/stores.js";
import { type Member, type PlannedMember, sourceOf } from "./change-set-members.js";

/**
 * Writes what was planned, all or nothing, and answers for each file in the order given.
 *
 * @returns a refusal where the set as a whole could not even begin; `overtaken` where other bytes came in between, and
 *   one file alone may be decided anew.
 */
export async function commitSet(
  session: Session,
  planned: readonly PlannedMember[],
  guard: () => Promise<boolean>,
  mayTryAgain: boolean,
): Promise<readonly WriteOutcome[] | Refusal | "overtaken"> {
  const changeSet = isAlone(planned) ? undefined : session.ports.newId();
  const entered: Target[] = [];
  try {
    const steps: SetStep[] = [];
    for (const member of planned) {
      const source = sourceOf(planned, member);
      steps.push(await stepOf(session, member, { changeSet, source, entered }));
    }
    const done = await session.ports.changeSets.commit(changeSet, steps, guard);
    if (done.kind === "refusal") return done;
    if (done.kind === "set_stopped") return await answerStopped(planned, done, mayTryAgain);
    const outcomes: WriteOutcome[] = [];
    for (const [at, member] of planned.entries())
      outcomes.push(await answerCommitted(session, planned, member, done.files[at]));
    return outcomes;
  } finally {
    for (const target of entered) await target.close();
  }
}

/** Whether one file of bytes comes, changes or goes: the exchange is the decision then, and needs no record beside it. */
export function isAlone(planned: readonly PlannedMember[]): boolean {
  const [only] = planned;
  if (only === undefined || planned.length > 1) return false;
  const { plan, current } = only.decision;
  return linkOf(plan, current) === undefined && plan.executable === undefined;
}

function linkOf({ isLink }: PlannedWrite, current: Current): true | undefined {
  return isLink ?? (current.kind === "file" ? current.isLink : undefined);
}

/** What a step is taken with beside its own plan. */
interface InSet {
  readonly changeSet: string | undefined;
  readonly source: PlannedMember | undefined;
  /** What the step opens, to be closed after the set. */
  readonly entered: Target[];
}

async function stepOf(
  session: Session,
  { site, decision }: PlannedMember,
  { changeSet, source, entered }: InSet,
): Promise<SetStep> {
  const { change, target } = site;
  const { plan, current } = decision;
  const before = current.kind === "file" ? current.sha256 : null;
  const after = plan.bytes === null ? null : digestOf(session.ports, plan.bytes);
  const link = defined({ isLink: linkOf(plan, current) });
  const expected: Expected =
    current.kind === "file"
      ? { kind: "file", sha256: current.sha256, identity: current.identity, ...link }
      : { kind: "absent" };
  const replaced = before ?? after;
  const isApart =
    replaced === null ? isStoredAsSecret(target) : await isSecretState(session, target, replaced);
  const inPlace = replacesInPlace(site, decision) ? ({ inPlace: true } as const) : {};
  const enter = async () => {
    if (changeSet === undefined && current.kind === "file") return target;
    const missing = current.kind === "file" ? "refuse" : "create";
    const again = await enterAgain(session, change, target, missing, plan.access);
    if (!isRefusal(again)) entered.push(again);
    return again;
  };
  return {
    entry: {
      ...(await entryOf(site, current, after, isApart)),
      ...link,
      ...inPlace,
      ...defined({ changeSet, undoes: plan.undoes, executable: plan.executable }),
    },
    enter,
    expected,
    bytes: plan.bytes,
    isLink: plan.isLink,
    movedFrom: source?.site.target.realPath,
    access: plan.access,
    executable: plan.executable,
    keepOpen: session.keepSecrets !== "none" || !isApart,
    ...inPlace,
    followsOthers: plan.keepsBeginning === true && change.options.base === undefined,
  };
}

/** Whether other bytes go into the very file that is there. */
export function replacesInPlace({ change }: Site, { plan, current }: WriteDecision): boolean {
  return change.options.inPlace === true && plan.bytes !== null && current.kind === "file";
}

async function enterAgain(
  session: Session,
  { path, isEntry }: Pick<Change, "path" | "isEntry">,
  before: Target,
  missing: "refuse" | "create",
  access: GivenAccess | undefined,
): Promise<Target | Refusal> {
  const use = isEntry === true ? "entry" : undefined;
  const target = await session.ports.disk.enter(path, missing, use, access);
  if (isRefusal(target) || target.realPath === before.realPath) return target;
  await target.close();
  return refuse("busy", "The path came to mean another file; try again.");
}

async function answerStopped(
  planned: readonly PlannedMember[],
  done: SetStopped,
  mayTryAgain: boolean,
): Promise<readonly WriteOutcome[] | "overtaken"> {
  const notes: string[] = [];
  for (const [at, member] of planned.entries())
    notes.push(await noteStopped(member, at, done, nameIn(planned, member)));
  const isOvertaken = done.reason.kind === "changed" && planned[0]?.decision.current.kind === "file";
  if (mayTryAgain && isAlone(planned) && isOvertaken && notes.join("") === "") return "overtaken";
  return Promise.all(
    planned.map(async (member, at) =>
      withDisplacedNote(await refuseStopped(member, at, done), notes[at] ?? ""),
    ),
  );
}

/** By what name a note tells of a file, where there are several. */
function nameIn(planned: readonly PlannedMember[], { site }: PlannedMember): string | undefined {
  return isAlone(planned) ? undefined : site.change.path;
}

/** Keeps what other programs lost to the steps of a set that was stopped. @returns sentences that say so. */
async function noteStopped(
  { site, decision }: PlannedMember,
  at: number,
  { reason, displaced = [], takenAway = [], ...done }: SetStopped,
  name: string | undefined,
): Promise<string> {
  const { target } = site;
  const { session } = site.call;
  const moved = at === done.at && reason.kind === "changed" ? reason : undefined;
  const after = decision.plan.bytes === null ? null : digestOf(session.ports, decision.plan.bytes);
  if (moved?.replacedFile !== undefined && after !== null)
    session.replacedFiles.watch(target, after, moved.replacedFile);
  for (const { realPath, sha256, file } of takenAway)
    if (realPath === target.realPath) session.replacedFiles.watch(target, sha256, file);
  const lost = displaced.filter(({ realPath }) => realPath === target.realPath).map(({ bytes }) => bytes);
  let words = "";
  for (const bytes of moved?.displaced === undefined ? lost : [moved.displaced, ...lost])
    words += await noteStep(session, target, decision.current, { displaced: bytes }, name);
  return words;
}

async function refuseStopped(member: PlannedMember, at: number, done: SetStopped): Promise<WriteRefusal> {
  const { site, decision } = member;
  if (done.leftAlone.includes(site.target.realPath)) return refuseFresh(site, leftAlone);
  if (at !== done.at) return refuseFresh(site, notWrittenWithSet);
  const moved = site.target.rootChanged?.();
  if (moved !== undefined) return withoutState(moved);
  if (done.reason.kind !== "changed") return refuseFresh(site, done.reason);
  return overtaken(site, { sha256: decision.current.kind === "file" ? decision.current.sha256 : null });
}

async function answerCommitted(
  session: Session,
  planned: readonly PlannedMember[],
  member: PlannedMember,
  done: Committed | undefined,
): Promise<WriteOutcome> {
  const { site, decision } = member;
  const { plan, current } = decision;
  const { target } = site;
  const after = plan.bytes === null ? null : digestOf(session.ports, plan.bytes);
  const note = await noteStep(session, target, current, done ?? {}, nameIn(planned, member));
  if (done?.replacedFile !== undefined && current.kind === "file") {
    session.replacedFiles.watch(target, current.sha256, done.replacedFile);
  }
  if (plan.undoes !== undefined && after === null) await removeMadeFor(site, plan.undoes);
  const next = stateAfter(plan, after);
  // Of a file under a new name as much is known as of the old one.
  const source = member.member.kind === "arriving" ? sourceOf(planned, member) : undefined;
  if (source !== undefined) {
    const from = { before: source.decision.current, from: source.site };
    const outcome = await answerWritten(site, target, { plan, next, ...from });
    return withDisplacedNote({ ...outcome, replaced: current.kind === "file" ? current.sha256 : null }, note);
  }
  const step = { plan, before: current, next };
  const taken = done?.addedTo === undefined ? step : await stepOnto(site, step, done.addedTo);
  return withDisplacedNote(await answerWritten(site, target, taken), note);
}

const leftAlone = refuse(
  "state_mismatch",
  "State Mismatch: Somebody else wrote this file while the change set was taken back: it stands as they left it.",
);

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
