import { defined } from "../../text/index.js";
import type { Change } from "../access/change.js";
import { notWrittenWithSet } from "../access/change-set-answers.js";
import { digestOf } from "../access/digest.js";
import { isSecretState, isStoredAsSecret } from "../access/kept-states.js";
import { entryOf, noteStep, stateAfter } from "../access/landing.js";
import type { Session } from "../access/session.js";
import { written as answerWritten } from "../change/commit-change.js";
import { overtaken, refuseFresh } from "../change/decide.js";
import type { CommitOptions, Committed, Expected, Target } from "../values/disk.js";
import type { WriteOutcome, WriteRefusal } from "../values/outcomes.js";
import { withDisplacedNote } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { SetStep, SetStopped } from "../values/stores.js";
import { type PlannedMember, sourceOf } from "./change-set-members.js";

/**
 * Writes what was planned, all or nothing, and answers for each file in the order given.
 *
 * @returns a refusal where the set as a whole could not even begin.
 */
export async function commitSet(
  session: Session,
  planned: readonly PlannedMember[],
  guard: () => Promise<boolean>,
): Promise<readonly WriteOutcome[] | Refusal> {
  const changeSet = session.ports.newId();
  const steps: SetStep[] = [];
  for (const member of planned)
    steps.push(await stepOf(session, changeSet, member, sourceOf(planned, member)));
  const done = await session.ports.changeSets.commit(changeSet, steps, guard);
  switch (done.kind) {
    case "refusal":
      return done;
    case "set_stopped":
      return Promise.all(planned.map((member, at) => answerStopped(member, at, done)));
    case "set_committed": {
      const outcomes: WriteOutcome[] = [];
      for (const [at, member] of planned.entries()) {
        outcomes.push(await answerCommitted(session, planned, member, done.files[at]));
      }
      return outcomes;
    }
  }
}

async function stepOf(
  session: Session,
  changeSet: string,
  { site, decision }: PlannedMember,
  source: PlannedMember | undefined,
): Promise<SetStep> {
  const { change, target } = site;
  const { plan, current } = decision;
  const before = current.kind === "file" ? current.sha256 : null;
  const after = plan.bytes === null ? null : digestOf(session.ports, plan.bytes);
  const isLink = plan.isLink ?? (current.kind === "file" ? current.isLink : undefined);
  const link = isLink === undefined ? {} : { isLink };
  const expected: Expected =
    current.kind === "file"
      ? { kind: "file", sha256: current.sha256, identity: current.identity, ...link }
      : { kind: "absent" };
  const replaced = before ?? after;
  const isApart =
    replaced === null ? isStoredAsSecret(target) : await isSecretState(session, target, replaced);
  return {
    entry: {
      ...(await entryOf(site, current, after, isApart)),
      changeSet,
      ...link,
      ...defined({ undoes: plan.undoes, executable: plan.executable }),
    },
    enter: () =>
      enterAgain(session, change, target, current.kind === "file" ? "refuse" : "create", plan.access),
    expected,
    bytes: plan.bytes,
    isLink: plan.isLink,
    movedFrom: source?.site.target.realPath,
    access: plan.access,
    executable: plan.executable,
    keepOpen: session.keepSecrets !== "none" || !isApart,
  };
}

async function enterAgain(
  session: Session,
  { path, isEntry }: Pick<Change, "path" | "isEntry">,
  before: Target,
  missing: "refuse" | "create",
  access: CommitOptions["access"],
): Promise<Target | Refusal> {
  const use = isEntry === true ? "entry" : undefined;
  const target = await session.ports.disk.enter(path, missing, use, access);
  if (isRefusal(target) || target.realPath === before.realPath) return target;
  await target.close();
  return refuse("busy", "The path came to mean another file; try again.");
}

async function answerStopped(member: PlannedMember, at: number, done: SetStopped): Promise<WriteOutcome> {
  const words = await noteStopped(member, at, done);
  const refused = await refuseStopped(member, at, done);
  return withDisplacedNote(refused, words);
}

/** Keeps what other programs lost to the steps of a set that was stopped. @returns sentences that say so. */
async function noteStopped(
  { site, decision }: PlannedMember,
  at: number,
  { reason, displaced = [], takenAway = [], ...done }: SetStopped,
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
    words += await noteStep(session, target, decision.current, { displaced: bytes }, site.change.path);
  return words;
}

async function refuseStopped(member: PlannedMember, at: number, done: SetStopped): Promise<WriteRefusal> {
  const { site, decision } = member;
  if (done.leftAlone.includes(site.target.realPath)) return refuseFresh(site, leftAlone);
  if (at !== done.at) return refuseFresh(site, notWrittenWithSet);
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
  const note = await noteStep(session, target, current, done ?? {}, site.change.path);
  if (done?.replacedFile !== undefined && current.kind === "file") {
    session.replacedFiles.watch(target, current.sha256, done.replacedFile);
  }
  // Of a file under a new name as much is known as of the old one.
  const source = member.member.kind === "arriving" ? sourceOf(planned, member) : undefined;
  const before = source === undefined ? current : source.decision.current;
  const outcome = await answerWritten(site, target, {
    plan,
    before,
    next: stateAfter(plan, after),
    ...(source === undefined ? {} : { from: source.site }),
  });
  const replaced = current.kind === "file" ? current.sha256 : null;
  return withDisplacedNote({ ...outcome, replaced }, note);
}

const leftAlone = refuse(
  "state_mismatch",
  "State Mismatch: Somebody else wrote this file while the change set was taken back: it stands as they left it.",
);
