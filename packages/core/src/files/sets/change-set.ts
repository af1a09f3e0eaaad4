import { escapeForDisplay } from "../../text/index.js";
import { refuseWith } from "../access/answers.js";
import { askLast, type Call, cancelled, cancelledBy, rootReplaced } from "../access/call.js";
import { type Change, type PlannedWrite, withoutState } from "../access/change.js";
import { notWrittenWithSet, refusedSet, setOutcome } from "../access/change-set-answers.js";
import { cannotKeep, isStoredAsSecret, keepBytes } from "../access/kept-states.js";
import type { Ticket } from "../access/keyed-mutex.js";
import { compareAgreed, type Preview } from "../access/preview.js";
import type { Session } from "../access/session.js";
import { type Site, siteOf, subjectOf } from "../access/site.js";
import {
  agreedFile,
  carryOut,
  learnPlan,
  movedAway,
  notAgreed,
  previewedFile,
  readOnly,
} from "../change/carry-out.js";
import { digestOfPlan, secure } from "../change/commit-change.js";
import { type Decision, decide } from "../change/decide.js";
import { withNearNames } from "../reading/near-names.js";
import type { Target } from "../values/disk.js";
import type { ApplyChangesOutcome, ChangedFile } from "../values/outcomes.js";
import type { Lock } from "../values/ports.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { ApplyChangesRequest, Asked } from "../values/requests.js";
import { commitSet } from "./change-set-commit.js";
import {
  type AnsweredMember,
  changeOfMember,
  isPlanned,
  isSameFile,
  leftOutOf,
  type Member,
  type MemberResult,
  membersOf,
  type PlannedMember,
  sourceOf,
} from "./change-set-members.js";
import { carryOutFolder, spreadFolder } from "./whole-folder.js";

/** Carries a change set out: all or none. */
export async function applySet(
  call: Call,
  request: Asked<ApplyChangesRequest>,
  ticket: Ticket,
): Promise<ApplyChangesOutcome> {
  const spread = await spreadFolder(call, request, ticket);
  if (spread === undefined) return applyMembers(call, request, ticket);
  if (spread.kind === "refusal") return refusedSet(spread);
  return carryOutFolder(call, spread, () => applyMembers(call, spread.request, ticket));
}

async function applyMembers(
  call: Call,
  request: Asked<ApplyChangesRequest>,
  ticket: Ticket,
): Promise<ApplyChangesOutcome> {
  const found = await membersOf(call, request);
  if ("kind" in found) return refusedSet(found);
  const outcome = await carryOutSet(call, found.members, ticket);
  return { ...outcome, message: outcome.message + leftOutOf(found.leftOut) };
}

/** Previews a change set: everything but the step. */
export async function previewSet(
  call: Call,
  request: Asked<ApplyChangesRequest>,
  ticket: Ticket,
): Promise<Preview | ApplyChangesOutcome> {
  const spread = await spreadFolder(call, request, ticket);
  if (spread?.kind === "refusal") return refusedSet(spread);
  const found = await membersOf(call, spread?.request ?? request);
  return "kind" in found ? refusedSet(found) : previewMembers(call, found.members, ticket);
}

/**
 * Carries several changes out as one: all or none. Everything is looked at, held against its base and
 * planned before anything is staged, under the locks of all files at once.
 */
export async function carryOutSet(
  call: Call,
  members: readonly Member[],
  ticket: Ticket,
): Promise<ApplyChangesOutcome> {
  const done = await atSites<ApplyChangesOutcome | Site>(call, members, ticket, async (results, guard) => {
    if (results.some(isRefused)) return setOutcome(results.map(setAside));
    const [only] = results;
    if (only !== undefined && replacesInPlace(only)) return only.site;
    const late = call.agreed === undefined ? undefined : await learnPlans(results);
    if (late !== undefined) return refusedSet(late);
    if (!isAgreed(call, results)) return setOutcome(results.map(disagreed));
    const secured = await secureAll(call.session, results);
    if (secured.some(isRefused)) return setOutcome(secured.map(setAside));
    const stopped = cancelledBy(call);
    return stopped === undefined ? commitAll(call, secured, guard) : refusedSet(stopped);
  });
  if (!("change" in done)) return done;
  // One file that is written in place is a change of its own.
  const { change } = done;
  return setOutcome([{ path: change.path, outcome: await carryOut(call, change, ticket) }]);
}

/** Whether other bytes go into the very file that is there. */
function replacesInPlace(result: MemberResult): result is PlannedMember {
  if (result.kind === "answered" || result.site.change.options.inPlace !== true) return false;
  const { plan, current } = result.decision;
  return plan.bytes !== null && current.kind === "file";
}

const inPlaceAlone = refuse(
  "cannot_preserve",
  "This file is written in place: its content changes by a call of its own, not together with other files, nor with its mode. Nothing was changed.",
);

/** The same without the step. */
export function previewMembers(
  call: Call,
  members: readonly Member[],
  ticket: Ticket,
): Promise<Preview | ApplyChangesOutcome> {
  return atSites<Preview | ApplyChangesOutcome>(call, members, ticket, async (results) => {
    const planned = results.filter(isPlanned);
    if (planned.length === 0 || results.some(isRefused)) return setOutcome(results.map(setAside));
    const late = await learnPlans(planned);
    if (late !== undefined) return refusedSet(late);
    const files = planned.map(({ site, decision }) => previewedFile(site, decision));
    const message = planned.map(({ decision }) => decision.plan.message).join("\n");
    return { kind: "preview", message, files };
  });
}

/** The results of all members, under all their locks. */
async function atSites<Result>(
  call: Call,
  members: readonly Member[],
  ticket: Ticket,
  work: (results: readonly MemberResult[], guard: () => Promise<boolean>) => Promise<Result>,
): Promise<Result | ApplyChangesOutcome> {
  const { session, signal } = call;
  if (session.readOnly) return refusedSet(readOnly);
  const arrivals = await arriveAll(session, members);
  const realPaths = arrivals.filter((arrival) => typeof arrival === "string").sort();
  await ticket.turn();
  const passed = session.mutex.run(
    realPaths,
    async () => {
      const locks = await lockAll(session, realPaths);
      if ("kind" in locks) return refusedSet(locks);
      call.budget.start();
      const targets: Target[] = [];
      try {
        const guard = async () =>
          targets.every((target) => target.rootChanged?.() === undefined) &&
          (await Promise.all(locks.map((lock) => lock.held()))).every(Boolean);
        return await work(await decideAll(call, members, arrivals, targets), guard);
      } finally {
        for (const target of targets) await target.close();
        await releaseAll(locks);
      }
    },
    { signal },
  );
  ticket.done();
  return (await passed) ?? refusedSet(cancelled);
}

async function learnPlans(results: readonly MemberResult[]): Promise<Refusal<"timeout"> | undefined> {
  for (const { site, decision } of results.filter(isPlanned)) {
    const late = await learnPlan(site, decision);
    if (late !== undefined) return late;
  }
  return undefined;
}

function isRefused(result: MemberResult): boolean {
  return result.kind === "answered" && !result.outcome.success;
}

/** Whether the set comes to exactly the agreed files, if consent was needed. */
function isAgreed({ agreed }: Call, results: readonly MemberResult[]): boolean {
  if (agreed === undefined) return true;
  const planned = results.filter(isPlanned).map(({ site, decision }) => agreedFile(site, decision));
  return planned.length === 0 || compareAgreed(agreed, planned) === "none";
}

function disagreed(result: MemberResult): ChangedFile {
  if (result.kind === "answered") return answeredFile(result);
  const { site, decision } = result;
  return { path: pathOf(result), outcome: refuseWith(subjectOf(site), notAgreed, decision.current) };
}

/** Keeps the old and the new states, so that either can be restored, whatever happens in between. */
async function secureAll(
  session: Session,
  results: readonly MemberResult[],
): Promise<readonly MemberResult[]> {
  const secured: MemberResult[] = [];
  for (const result of results) secured.push(await secureOne(session, result, results));
  return secured;
}

async function secureOne(
  session: Session,
  result: MemberResult,
  results: readonly MemberResult[],
): Promise<MemberResult> {
  if (result.kind === "answered") return result;
  const { member, site, decision } = result;
  const { plan, current } = decision;
  const { movedTo, movedFrom } = otherNames(result, results);
  const way = await secure(site, decision, movedTo);
  if (isRefusal(way)) return { kind: "answered", member, outcome: refuseWith(subjectOf(site), way, current) };
  if (plan.bytes !== null) {
    const sha256 = await digestOfPlan(site, plan.bytes);
    if (typeof sha256 !== "string")
      return { kind: "answered", member, outcome: refuseWith(subjectOf(site), sha256, current) };
    const state = { sha256, bytes: plan.bytes };
    const kept = await keepBytes(session, site.target, state, { other: movedFrom ?? plan.copyOf });
    // What came from the name of a secret would else be taken for a file like all others.
    if (kept === "failed" && (movedFrom ?? plan.copyOf) !== undefined)
      return { kind: "answered", member, outcome: refuseWith(subjectOf(site), cannotKeep, current) };
  }
  const message = plan.message + way.warning;
  return { ...result, decision: { ...decision, plan: { ...plan, message } } };
}

/** Of a move: the name that the content gets, and the one that it had. */
function otherNames(
  result: PlannedMember,
  results: readonly MemberResult[],
): { readonly movedTo?: Target | undefined; readonly movedFrom?: Target | undefined } {
  const planned = results.filter(isPlanned);
  return {
    movedTo: planned.find((other) => sourceOf(planned, other) === result)?.site.target,
    movedFrom: sourceOf(planned, result)?.site.target,
  };
}

async function commitAll(
  call: Call,
  results: readonly MemberResult[],
  guard: () => Promise<boolean>,
): Promise<ApplyChangesOutcome> {
  const planned = results.filter(isPlanned);
  const last = askLast(call, guard);
  const committed = planned.length === 0 ? [] : await commitSet(call.session, planned, last.guard);
  if (last.isCancelled()) return refusedSet(cancelled);
  if ("kind" in committed) return refusedSet(committed);
  const files = results.map((result): ChangedFile => {
    if (result.kind === "answered") return answeredFile(result);
    const outcome = committed[planned.indexOf(result)];
    if (outcome === undefined) throw new Error("a planned file has no outcome");
    return { path: pathOf(result), outcome };
  });
  return setOutcome(files);
}

function setAside(result: MemberResult): ChangedFile {
  if (result.kind === "answered") return answeredFile(result);
  const { site, decision } = result;
  return { path: pathOf(result), outcome: refuseWith(subjectOf(site), notWrittenWithSet, decision.current) };
}

function answeredFile(result: AnsweredMember): ChangedFile {
  return { path: pathOf(result), outcome: result.outcome };
}

function pathOf({ member }: MemberResult): string {
  return member.change.path;
}

/** The real path of each member, found without a lock; refuses a file that is named twice. */
async function arriveAll(
  session: Session,
  members: readonly Member[],
): Promise<readonly (string | Refusal)[]> {
  const arrivals: (string | Refusal)[] = [];
  for (const member of members) {
    const { change } = member;
    const found = await session.ports.disk.enter(change.path, "allow", entryUse(change));
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

async function decideAll(
  call: Call,
  members: readonly Member[],
  arrivals: readonly (string | Refusal)[],
  targets: Target[],
): Promise<readonly MemberResult[]> {
  const results: MemberResult[] = [];
  let bytes = 0;
  for (const [at, member] of members.entries()) {
    const arrival = arrivals[at];
    if (arrival === undefined) throw new Error("a member has no arrival");
    const decided = await decideOne(call, member, { arrival, targets, results });
    const result = results.some(isRefused) ? decided : await withNames(call.session, decided);
    bytes += sizeOf(result);
    const tooMuch = bytes > call.session.limits.changeBytes * wholeFactor;
    const twin = results.find((other) => areSameFile(other, result));
    if (tooMuch) results.push(refuseMember(member, tooLarge));
    else if (twin !== undefined) results.push(refuseMember(member, namedTwice(pathOf(twin), pathOf(result))));
    else if (replacesInPlace(result) && (members.length > 1 || result.decision.plan.executable !== undefined))
      results.push(refuseMember(member, inPlaceAlone));
    else results.push(result);
  }
  return results;
}

async function withNames(session: Session, result: MemberResult): Promise<MemberResult> {
  if (result.kind === "planned") return result;
  return { ...result, outcome: await withNearNames(session, pathOf(result), result.outcome) };
}

interface SetInProgress {
  readonly arrival: string | Refusal;
  readonly targets: Target[];
  readonly results: readonly MemberResult[];
}

async function decideOne(
  call: Call,
  member: Member,
  { arrival, targets, results }: SetInProgress,
): Promise<MemberResult> {
  if (typeof arrival !== "string") return refuseMember(member, arrival);
  const change: Change = changeOfMember(call, member, results);
  const target = await call.session.ports.disk.enter(change.path, "allow", entryUse(change));
  if (isRefusal(target)) return refuseMember(member, target);
  targets.push(target);
  const replaced = rootReplaced(call);
  if (replaced !== undefined) return refuseMember(member, replaced);
  if (target.realPath !== arrival) return refuseMember(member, movedAway);
  const site = siteOf(call, change, target);
  const decision = await decide(site);
  if (decision.kind === "answer" && decision.outcome.code === "is_directory")
    return refuseMember(member, refuse("is_directory", folderMessage(member)));
  if (member.kind === "pasted" && isHalfMoved(results.at(-1), decision))
    return refuseMember(member, halfMoved);
  if (decision.kind === "write") return { kind: "planned", member, site, decision };
  const { outcome, repeats } = decision;
  if (repeats === undefined) return { kind: "answered", member, outcome };
  return { kind: "answered", member, outcome, repeats: await asCopy(site, repeats) };
}

/** Of a move of lines that was made before: whether it stands in one of the two files alone. */
function isHalfMoved(cut: MemberResult | undefined, decision: Decision): boolean {
  if (cut?.kind === "answered") return cut.outcome.success && decision.kind === "write";
  return decision.kind === "answer" && decision.outcome.success;
}

const halfMoved = refuse(
  "state_mismatch",
  "The move stands in one of the two files already, and not in the other. Nothing was written: read both, and change the other one alone.",
);

/** Of the source of a copy: the copy, with the mode of the file, and as secret as that. */
async function asCopy({ change, target }: Site, plan: PlannedWrite): Promise<PlannedWrite> {
  if (change.isSource !== true) return plan;
  const { realPath } = target;
  const mode = ((await target.access?.())?.mode ?? plainMode) & 0o777;
  const unshown = isStoredAsSecret(target) ? ({ isUnshown: true } as const) : {};
  return { ...plan, access: { mode }, copyOf: { realPath }, ...unshown };
}

/** Where the disk knows no modes. */
const plainMode = 0o644;

/** How a change walks to its path: to the name itself, or to what a link there leads to. */
function entryUse({ isEntry }: Pick<Change, "isEntry">): "entry" | undefined {
  return isEntry === true ? "entry" : undefined;
}

function refuseMember(member: Member, refusal: Refusal): AnsweredMember {
  return { kind: "answered", member, outcome: withoutState(refusal) };
}

function folderMessage({ kind, change }: Member): string {
  const shown = escapeForDisplay(change.path);
  return kind === "arriving"
    ? `${shown} is a folder: name the whole new path of the file, with its own name at the end. Nothing was changed.`
    : `${shown} is a folder, and only files are changed, moved and deleted, each by its own path. Nothing was changed.`;
}

/** Old and new bytes of all files of a set together may be so many times what one file may have. */
const wholeFactor = 4;

function sizeOf(result: MemberResult): number {
  if (result.kind === "answered") return 0;
  const { current, plan } = result.decision;
  return (current.kind === "file" ? current.bytes.length : 0) + (plan.bytes?.length ?? 0);
}

/** Where a file system folds case, two real paths can be one file. */
function areSameFile(one: MemberResult, other: MemberResult): boolean {
  if (one.kind === "answered" || other.kind === "answered") return false;
  return isSameFile(one.decision.current, other.decision.current);
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

function namedTwice(path: string, again: string): Refusal {
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

const tooLarge = refuse(
  "too_large",
  "The files of this change set are together larger than can be changed at once.",
);
