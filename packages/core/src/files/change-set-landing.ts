import { standsAside } from "./change-set-answers.js";
import type { PlannedMember } from "./change-set-members.js";
import type { Current } from "./current.js";
import { isWatched, newEntry, tellDisplaced } from "./landing.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import type { Committed, Expected, Place, SetStep, SetStopped } from "./ports.js";
import type { Session } from "./session.js";
import type { WriteOutcome } from "./workspace-types.js";

/**
 * Writes what was planned, all or nothing, and answers for each file in the order given.
 *
 * @returns a refusal where the set as a whole could not even begin.
 */
export async function landSet(
  session: Session,
  planned: readonly PlannedMember[],
  guard: () => Promise<boolean>,
): Promise<readonly WriteOutcome[] | Refusal> {
  const changeSet = session.ports.newId();
  const steps = planned.map((member) => stepOf(session, changeSet, member, sourceOf(planned, member)));
  const done = await session.ports.changeSets.commit(changeSet, steps, guard);
  switch (done.kind) {
    case "refusal":
      return done;
    case "set_stopped":
      return Promise.all(planned.map((member, at) => answerStopped(member, at, done)));
    case "set_committed": {
      const outcomes: WriteOutcome[] = [];
      for (const [at, member] of planned.entries()) {
        outcomes.push(await answerLanded(session, planned, member, done.files[at]));
      }
      return outcomes;
    }
  }
}

/** The planned removal of the old name, for the new name of a file. */
function sourceOf(planned: readonly PlannedMember[], { member }: PlannedMember): PlannedMember | undefined {
  return planned.find((other) => other.member === member.movedFrom);
}

function stepOf(
  session: Session,
  changeSet: string,
  { member, place, plan, current }: PlannedMember,
  source: PlannedMember | undefined,
): SetStep {
  const before = current.kind === "file" ? current.sha256 : null;
  const after = plan.bytes === null ? null : session.ports.digest(plan.bytes);
  const expected: Expected =
    current.kind === "file"
      ? { kind: "file", sha256: current.sha256, identity: current.identity }
      : { kind: "absent" };
  return {
    entry: {
      ...newEntry(session, place, member.tool),
      before,
      after,
      changeSet,
      ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
    },
    enter: () => enterAgain(session, member.path, place, current.kind === "file" ? "refuse" : "create"),
    expected,
    bytes: plan.bytes,
    movedFrom: source?.place.realPath,
    hold: isWatched(place),
  };
}

async function enterAgain(
  session: Session,
  path: string,
  before: Place,
  missing: "refuse" | "create",
): Promise<Place | Refusal> {
  const place = await session.ports.disk.enter(path, missing);
  if (isRefusal(place) || place.realPath === before.realPath) return place;
  await place.close();
  return refuse("busy", "The path came to mean another file; try again.");
}

async function answerStopped(member: PlannedMember, at: number, done: SetStopped): Promise<WriteOutcome> {
  const { locked, current, place } = member;
  if (done.leftAlone.includes(place.realPath)) return locked.answerFresh(leftAlone);
  if (at !== done.at) return locked.answerFresh(standsAside);
  return done.reason.kind === "changed" ? locked.overtaken(current) : locked.answerFresh(done.reason);
}

async function answerLanded(
  session: Session,
  planned: readonly PlannedMember[],
  landed: PlannedMember,
  done: Committed | undefined,
): Promise<WriteOutcome> {
  const { locked, place, plan, current } = landed;
  const written = plan.bytes !== null && done?.identity !== undefined;
  const next: Current = written
    ? { kind: "file", bytes: plan.bytes, sha256: session.ports.digest(plan.bytes), identity: done.identity }
    : { kind: "absent" };
  const displaced = await tellDisplaced(session, place, current, done?.displaced);
  if (done?.held !== undefined && current.kind === "file") {
    session.heldFiles.hold(place, current.sha256, done.held);
  }
  // Of a file under a new name as much is known as of the old one.
  const source = sourceOf(planned, landed);
  const author = source?.locked.wasShown(source.current) === true ? "caller" : plan.author;
  const before = source === undefined ? current : source.current;
  const outcome = await locked.success(
    { ...plan, author, message: plan.message + displaced },
    place,
    before,
    next,
  );
  return { ...outcome, replaced: current.kind === "file" ? current.sha256 : null };
}

const leftAlone = refuse(
  "state_mismatch",
  "State Mismatch: Somebody else wrote this file while the change set was taken back: it stands as they left it.",
);
