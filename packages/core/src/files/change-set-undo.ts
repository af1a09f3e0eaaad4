import { type Change, withoutState } from "./change.js";
import { carryOutSet } from "./change-set.js";
import { names } from "./change-set-answers.js";
import type { Member } from "./change-set-members.js";
import { isRefusal, refuse } from "./outcome.js";
import { lastStanding, planUndo } from "./past.js";
import { bareName, tidyPath } from "./path-policy.js";
import type { Session } from "./session.js";
import type { UndoRequest, WriteOutcome } from "./workspace-types.js";

/** The change set that an undo of this file takes back; looked up without a lock, so it is checked again. */
export async function setToUndo(session: Session, path: string): Promise<string | undefined> {
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return undefined;
  const place = await session.ports.disk.enter(tidy.path, "allow");
  if (isRefusal(place)) return undefined;
  try {
    return lastStanding(await session.ports.history.entries(place.realPath))?.changeSet;
  } finally {
    await place.close();
  }
}

/** Takes a whole change set back, as a change set of its own; answers for the file that was asked about. */
export async function undoSet(
  session: Session,
  changeSet: string,
  { path, tool = "undo_edit" }: UndoRequest,
): Promise<WriteOutcome> {
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
    members.push({ ...undoing(session, changeSet, tool), path: await nameOf(session, realPath) });
  }
  const outcome = await carryOutSet(session, members);
  const { code, message } = outcome;
  const asked = outcome.files[realPaths.indexOf(await realPathOf(session, path))]?.outcome;
  if (asked === undefined) return { ...withoutState(refuse("busy", message)), code };
  const mine = { ...asked, state: asked.state === null ? null : { ...asked.state, path: bareName(path) } };
  if (!outcome.success) return { ...mine, success: false, code, message };
  if (realPaths.length === 1) return mine;
  const together = `${mine.message} The change set was undone as a whole: ${names(outcome.files)}.`;
  const others = outcome.files.map((file) => file.outcome).filter((other) => other !== asked);
  return { ...mine, message: together, together: others };
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
  const place = await session.ports.disk.enter(realPath, "allow");
  if (isRefusal(place)) return realPath;
  await place.close();
  const { relativePath } = place;
  return (await realPathOf(session, relativePath)) === realPath ? relativePath : realPath;
}

async function realPathOf(session: Session, path: string): Promise<string> {
  const place = await session.ports.disk.enter(bareName(path), "allow");
  if (isRefusal(place)) return "";
  await place.close();
  return place.realPath;
}
