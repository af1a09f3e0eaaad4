import { escapeForDisplay } from "../../text/index.js";
import {
  answerOfOne,
  namesInPlace,
  notWrittenWithSet,
  refusedSet,
  refuseWith,
  type SetAnswers,
  setOutcome,
  withoutInPlace,
} from "../access/answers.js";
import { askLast, type Call, cancelled, cancelledBy, rootReplaced } from "../access/call.js";
import { type Change, type PlannedWrite, withoutState } from "../access/change.js";
import { cannotKeep, isStoredAsSecret, keepBytes } from "../access/kept-states.js";
import { inPlace, type Site, siteOf, subjectOf } from "../access/landing.js";
import { compareAgreed, type Preview } from "../access/preview.js";
import type { Session, Ticket } from "../access/session.js";
import { digestOfPlan, secure } from "../change/around-step.js";
import { type Decision, decide, overtaken } from "../change/decide.js";
import { lastInForce } from "../change/past.js";
import { agreedFile, learnPlan, previewedFile } from "../change/planned-file.js";
import { withNearNames } from "../reading/near-names.js";
import type { Target } from "../values/disk.js";
import type {
  ApplyChangesOutcome,
  ChangedFile,
  Unchanged,
  WriteOutcome,
  WriteRefusal,
} from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { ApplyChangesRequest, Asked } from "../values/requests.js";
import {
  commitSet,
  entryUse,
  isAlone,
  type LockedSites,
  movedAway,
  namedTwice,
  replacesInPlace,
  underLocks,
  withFileLocked,
} from "./change-set-commit.js";
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
  const outcome = setOutcome(await carryOut(call, found.members, ticket));
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
  if ("kind" in found) return refusedSet(found);
  const preview = await previewMembers(call, found.members, ticket);
  return "files" in preview ? preview : setOutcome(preview);
}

/**
 * Carries several changes out as one, or one alone: all or none. Everything is looked at, held against its base and
 * planned before anything is staged, under the locks of all files at once.
 */
export function carryOut(call: Call, members: readonly Member[], ticket: Ticket): Promise<SetAnswers> {
  return underLocks<SetAnswers>(call, members, ticket, async (sites) => {
    for (let left = mostTries; ; left -= 1) {
      const results = await decideAll(call, members, sites);
      const done = await takeDecided(call, results, sites.isHeld, left > 1);
      if (done !== "overtaken") return done;
    }
  });
}

/** For a file that other programs keep writing: the whole change is decided anew on what they left. */
const mostTries = 16;

/** A set of one file: in place where it cannot be replaced, and that may be. */
export async function carryOutOne(call: Call, change: Change, ticket: Ticket): Promise<WriteOutcome> {
  const take = async (wanted: Change) =>
    answerOfOne(await carryOut(call, [{ kind: "changed", change: wanted, isOne: true }], ticket));
  const outcome = await take(change);
  const { inPlace: when } = call.session.guards;
  if (outcome.kind !== "refusal" || when === undefined || !namesInPlace(outcome)) return outcome;
  if (when !== "auto") {
    const plain = withoutInPlace(outcome);
    return { ...plain, message: plain.message + when.way };
  }
  const again = await take(inPlace(change));
  return again.kind === "written" ? { ...again, message: again.message + inPlaceNote } : again;
}

const inPlaceNote =
  " It was written in place, since it cannot be replaced: a crash meanwhile would have left it half written.";

/** Takes the step on what was decided. `overtaken`: other bytes came in between, and it may be decided anew. */
async function takeDecided(
  call: Call,
  results: readonly MemberResult[],
  isHeld: () => Promise<boolean>,
  mayTryAgain: boolean,
): Promise<SetAnswers | "overtaken"> {
  if (results.some(isRefused)) return results.map(setAside);
  const late = call.agreed === undefined ? undefined : await learnPlans(results);
  if (late !== undefined) return late;
  const disagreement = await holdAgainstAgreed(call, results);
  if (disagreement !== undefined) return disagreement;
  const secured = await secureAll(call.session, results);
  if (secured.some(isRefused)) return secured.map(setAside);
  const stopped = cancelledBy(call);
  if (stopped !== undefined) return stopped;
  const take = (held: () => Promise<boolean>) => commitAll(call, secured, held, mayTryAgain);
  const written = secured.filter(isPlanned).find(isInPlace);
  return written === undefined ? take(isHeld) : withFileLocked(written.site, isHeld, take);
}

function isInPlace({ site, decision }: PlannedMember): boolean {
  return replacesInPlace(site, decision);
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
): Promise<Preview | SetAnswers> {
  return underLocks<Preview | SetAnswers>(call, members, ticket, async (sites) => {
    const results = await decideAll(call, members, sites);
    const planned = results.filter(isPlanned);
    if (planned.length === 0 || results.some(isRefused)) return results.map(setAside);
    const late = await learnPlans(planned);
    if (late !== undefined) return late;
    const files = planned.map(({ site, decision }) => previewedFile(site, decision));
    const message = planned.map(({ decision }) => decision.plan.message).join("\n");
    return { kind: "preview", message, files };
  });
}

/** What one change alone comes to, without the step. */
export async function previewOne(
  call: Call,
  change: Change,
  ticket: Ticket,
): Promise<Preview | Unchanged | WriteRefusal> {
  const found = await previewMembers(call, [{ kind: "changed", change, isOne: true }], ticket);
  if ("files" in found) return found;
  const outcome = answerOfOne(found);
  if (outcome.kind === "written") throw new Error("a preview wrote");
  return outcome;
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

/** The refusal of what was not agreed to, if consent was needed. */
async function holdAgainstAgreed(
  { agreed }: Call,
  results: readonly MemberResult[],
): Promise<SetAnswers | undefined> {
  const planned = results.filter(isPlanned);
  if (agreed === undefined || planned.length === 0) return undefined;
  const files = planned.map(({ site, decision }) => agreedFile(site, decision));
  const difference = compareAgreed(agreed, files);
  if (difference === "none") return undefined;
  const [only] = planned;
  if (difference === "other" || only === undefined || results.length > 1) return results.map(disagreed);
  // The one file alone stands in another state than it did then, which is shown.
  const before = agreed.find(({ realPath }) => realPath === only.site.target.realPath)?.before ?? null;
  return [{ path: pathOf(only), outcome: await overtaken(only.site, { sha256: before }) }];
}

function disagreed(result: MemberResult): ChangedFile {
  if (result.kind === "answered") return answeredFile(result);
  const { site, decision } = result;
  return { path: pathOf(result), outcome: refuseWith(subjectOf(site), notAgreed, decision.current) };
}

const notAgreed = refuse(
  "not_agreed",
  "The change would come to something else than what was agreed to. Nothing was written; ask again with what it comes to now.",
);

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
  const other = movedFrom ?? plan.copyOf;
  const way = await secure(site, decision, movedTo);
  if (isRefusal(way)) return { kind: "answered", member, outcome: refuseWith(subjectOf(site), way, current) };
  if (plan.bytes !== null) {
    const sha256 = await digestOfPlan(site, plan.bytes);
    if (typeof sha256 !== "string")
      return { kind: "answered", member, outcome: refuseWith(subjectOf(site), sha256, current) };
    // Of one file alone the new state is kept when it stands: nothing is to be finished from it.
    const isKept = other === undefined && isAlone(results.filter(isPlanned));
    const state = { sha256, bytes: plan.bytes };
    const kept = isKept || (await keepBytes(session, site.target, state, { other }));
    // What came from the name of a secret would else be taken for a file like all others.
    if (kept === "failed" && other !== undefined)
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
  isHeld: () => Promise<boolean>,
  mayTryAgain: boolean,
): Promise<SetAnswers | "overtaken"> {
  const planned = results.filter(isPlanned);
  const last = askLast(call, isHeld);
  const committed =
    planned.length === 0 ? [] : await commitSet(call.session, planned, last.guard, mayTryAgain);
  if (last.isCancelled()) return cancelled;
  if (committed === "overtaken" || "kind" in committed) return committed;
  return results.map((result): ChangedFile => {
    if (result.kind === "answered") return answeredFile(result);
    const outcome = committed[planned.indexOf(result)];
    if (outcome === undefined) throw new Error("a planned file has no outcome");
    return { path: pathOf(result), outcome };
  });
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

async function decideAll(
  call: Call,
  members: readonly Member[],
  { arrivals, targets }: LockedSites,
): Promise<readonly MemberResult[]> {
  for (const target of targets.splice(0)) await target.close();
  const results: MemberResult[] = [];
  let bytes = 0;
  for (const [at, member] of members.entries()) {
    const arrival = arrivals[at];
    if (arrival === undefined) throw new Error("a member has no arrival");
    const decided = await decideOne(call, member, { arrival, targets, results });
    const result = results.some(isRefused) ? decided : await withNames(call.session, decided);
    bytes += sizeOf(result);
    const tooMuch = members.length > 1 && bytes > call.session.limits.changeBytes * wholeFactor;
    const twin = results.find((other) => areSameFile(other, result));
    if (tooMuch) results.push(refuseMember(member, tooLarge));
    else if (twin !== undefined) results.push(refuseMember(member, namedTwice(pathOf(twin), pathOf(result))));
    else if (isPlanned(result) && isInPlace(result) && (members.length > 1 || !isAlone([result])))
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
  const site = siteOf(call, await asItsWrite(call, change, target), target);
  const decision = await decide(site);
  const isOne = member.kind === "changed" && member.isOne;
  if (decision.kind === "answer" && decision.outcome.code === "is_directory" && !isOne)
    return refuseMember(member, refuse("is_directory", folderMessage(member)));
  if (member.kind === "pasted" && isHalfMoved(results.at(-1), decision))
    return refuseMember(member, halfMoved);
  if (decision.kind === "write") return { kind: "planned", member, site, decision };
  const { outcome, repeats } = decision;
  if (repeats === undefined) return { kind: "answered", member, outcome };
  return { kind: "answered", member, outcome, repeats: await asCopy(site, repeats) };
}

/** An undo writes as the write did that it takes back. */
async function asItsWrite({ session }: Call, change: Change, { realPath }: Target): Promise<Change> {
  if (change.isUndo !== true) return change;
  const last = lastInForce(await session.ports.history.entries(realPath));
  return last?.inPlace === true ? inPlace(change) : change;
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

function refuseMember(member: Member, refusal: Refusal): AnsweredMember {
  return { kind: "answered", member, outcome: withoutState(refusal) };
}

function folderMessage({ kind, change }: Member): string {
  const shown = change.path === "" ? "." : escapeForDisplay(change.path);
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

const tooLarge = refuse(
  "too_large",
  "The files of this change set are together larger than can be changed at once.",
);
