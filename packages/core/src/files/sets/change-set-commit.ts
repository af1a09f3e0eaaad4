import { defined } from "../../text/index.js";
import { type Change, type PlannedWrite, withoutState } from "../access/change.js";
import { notWrittenWithSet } from "../access/change-set-answers.js";
import type { Current } from "../access/current.js";
import { digestOf } from "../access/digest.js";
import { isSecretState, isStoredAsSecret } from "../access/kept-states.js";
import { entryOf, noteStep, stateAfter } from "../access/landing.js";
import type { Session } from "../access/session.js";
import type { Site } from "../access/site.js";
import { written as answerWritten, removeMadeFor, stepOnto } from "../change/around-step.js";
import { overtaken, refuseFresh, type WriteDecision } from "../change/decide.js";
import type { Committed, Expected, GivenAccess, Target } from "../values/disk.js";
import type { WriteOutcome, WriteRefusal } from "../values/outcomes.js";
import { withDisplacedNote } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { SetStep, SetStopped } from "../values/stores.js";
import { type PlannedMember, sourceOf } from "./change-set-members.js";

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
