import type { Ticket } from "./arrivals.js";
import type { Call } from "./call.js";
import { type Change, withoutState } from "./change.js";
import { carryOutSet, previewMembers } from "./change-set.js";
import { names } from "./change-set-answers.js";
import type { Member } from "./change-set-members.js";
import type { ApplyChangesOutcome, WriteOutcome, WriteRefusal } from "./outcomes.js";
import { lastInForce, planUndo } from "./past.js";
import { bareName, tidyPath } from "./path-policy.js";
import type { PreviewOutcome } from "./preview.js";
import { isRefusal, refuse } from "./refusal.js";
import type { Asked, UndoRequest } from "./requests.js";
import type { Session } from "./session.js";

/** The change set that an undo of this file takes back; looked up without a lock, so it is checked again. */
export async function setToUndo(session: Session, path: string): Promise<string | undefined> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return undefined;
  const target = await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(target)) return undefined;
  try {
    return lastInForce(await session.ports.history.entries(target.realPath))?.changeSet;
  } finally {
    await target.close();
  }
}

/** Takes a whole change set back, as a change set of its own; answers for the file that was asked about. */
export async function undoSet(
  call: Call,
  changeSet: string,
  request: Asked<UndoRequest>,
  ticket: Ticket,
): Promise<WriteOutcome> {
  const undone = await membersToUndo(call.session, changeSet, request);
  if ("kind" in undone) return undone;
  const outcome = await carryOutSet(call, undone.members, ticket);
  const asked = outcome.files[undone.asked]?.outcome;
  return asked === undefined
    ? withoutState(refuse("busy", outcome.message))
    : together(outcome, asked, request);
}

/** What taking a whole change set back comes to, without the step. */
export async function previewUndo(
  call: Call,
  changeSet: string,
  request: Asked<UndoRequest>,
  ticket: Ticket,
): Promise<PreviewOutcome> {
  const undone = await membersToUndo(call.session, changeSet, request);
  if ("kind" in undone) return undone;
  const outcome = await previewMembers(call, undone.members, ticket);
  if (outcome.kind !== "change_set") return outcome;
  const asked = outcome.files[undone.asked]?.outcome;
  return asked?.kind === "unchanged" ? asked : withoutState(refuse("busy", outcome.message));
}

/** The answer for one file of a set that was taken back as a whole. */
function together(
  outcome: ApplyChangesOutcome,
  asked: WriteOutcome,
  { path }: Asked<UndoRequest>,
): WriteOutcome {
  const { files, message } = outcome;
  const mine = asked.state === null ? asked : withName(asked, bareName(path));
  if (isRefusal(outcome)) {
    const state = mine.state;
    const shownBefore = mine.kind === "written" || mine.shownBefore;
    return { ...refuse(outcome.code, message), success: false, state, shownBefore };
  }
  if (files.length === 1) return mine;
  const others = files.map((file) => file.outcome).filter((other) => other !== asked);
  const whole = `${mine.message} The change set was undone as a whole: ${names(files)}.`;
  return { ...mine, message: whole, together: others };
}

function withName<Outcome extends WriteOutcome>(outcome: Outcome, path: string): Outcome {
  return outcome.state === null ? outcome : { ...outcome, state: { ...outcome.state, path } };
}

interface ToUndo {
  readonly members: readonly Member[];
  /** Which of them was asked about. */
  readonly asked: number;
}

async function membersToUndo(
  session: Session,
  changeSet: string,
  { path, tool = "undo_edit" }: Asked<UndoRequest>,
): Promise<ToUndo | WriteRefusal> {
  const realPaths = await session.ports.history.together(changeSet);
  if (realPaths === undefined) {
    return withoutState(
      refuse(
        "bytes_gone",
        "This file was changed together with others, and which they were is not kept any more. Nothing was changed.",
      ),
    );
  }
  const members: Member[] = [];
  for (const realPath of realPaths) {
    const change = { ...undoing(session, changeSet, tool), path: await nameOf(session, realPath) };
    members.push({ kind: "changed", change });
  }
  return { members, asked: realPaths.indexOf(await realPathOf(session, path)) };
}

function undoing(session: Session, changeSet: string, tool: string): Omit<Change, "path"> {
  return {
    tool,
    options: {},
    needsBase: "never",
    plan: async (current, past) => planUndo(session, await past(), current, changeSet),
  };
}

/** How a file of the set is called: from the first root where it is there, else by its real path. */
async function nameOf(session: Session, realPath: string): Promise<string> {
  const target = await session.ports.disk.enter(realPath, "allow");
  if (isRefusal(target)) return realPath;
  await target.close();
  const { relativePath } = target;
  return (await realPathOf(session, relativePath)) === realPath ? relativePath : realPath;
}

async function realPathOf(session: Session, path: string): Promise<string> {
  const target = await session.ports.disk.enter(bareName(path), "allow");
  if (isRefusal(target)) return "";
  await target.close();
  return target.realPath;
}
