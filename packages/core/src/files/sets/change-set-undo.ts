import { names, setOutcome } from "../access/answers.js";
import { type Call, isMadeAlready, ownWrites } from "../access/call.js";
import { type Change, withoutState } from "../access/change.js";
import { isSecretState, type KeptState, readCurrent } from "../access/kept-states.js";
import type { PreviewOutcome } from "../access/preview.js";
import type { Session, Ticket } from "../access/session.js";
import { lastInForce, planUndo, type UndoneSet } from "../change/past.js";
import { resolveBase } from "../values/base.js";
import type { Target } from "../values/disk.js";
import type { ApplyChangesOutcome, WriteOutcome, WriteRefusal } from "../values/outcomes.js";
import { displacedNotes, withDisplacedNote } from "../values/outcomes.js";
import { bareName, tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { Asked, UndoRequest } from "../values/requests.js";
import { carryOut, previewMembers } from "./change-set.js";
import type { Member } from "./change-set-members.js";

/**
 * The change set that an undo of this file takes back; looked up without a lock, so it is checked again.
 *
 * @returns undefined, too, where the file is not in the state that the undo names, or this very undo was carried out
 *   already: the file alone is answered for.
 */
export async function setToUndo(call: Call, { path, base }: Asked<UndoRequest>): Promise<string | undefined> {
  const { session, repeats } = call;
  const tidy = tidyPath(path);
  if (isRefusal(tidy)) return undefined;
  const target = await enterWritten(session, tidy.path);
  if (isRefusal(target)) return undefined;
  try {
    const history = await session.ports.history.entries(target.realPath);
    const changeSet = lastInForce(history)?.changeSet;
    if (changeSet === undefined || (base === undefined && repeats === undefined)) return changeSet;
    const current = await readCurrent(target, session, session.limits.changeBytes);
    if (isRefusal(current)) return undefined;
    const disk = current.kind === "file" ? current.sha256 : null;
    if (isMadeAlready(call, disk)) return undefined;
    if (base === undefined) return changeSet;
    const known = () => history.flatMap(({ before, after }) => [before, after].filter((one) => one !== null));
    const resolved = resolveBase(base, disk, known);
    return resolved.kind === "matches" ? changeSet : undefined;
  } finally {
    await target.close();
  }
}

/** What was written last by a name: the name itself, or where that is a link now, what it leads to. */
async function enterWritten(session: Session, path: string): Promise<Target | Refusal> {
  const { disk, history } = session.ports;
  const own = lastInForce((await ownWrites(session, path)) ?? []);
  const file = await disk.enter(path, "allow");
  const last = isRefusal(file) ? undefined : lastInForce(await history.entries(file.realPath));
  if (own === undefined || own.time < (last?.time ?? 0)) return file;
  if (!isRefusal(file)) await file.close();
  return disk.enter(path, "allow", "entry");
}

/** Takes a whole change set back, as a change set of its own; answers for the file that was asked about. */
export async function undoSet(
  call: Call,
  changeSet: string,
  request: Asked<UndoRequest>,
  ticket: Ticket,
): Promise<WriteOutcome> {
  const undone = await membersToUndo(call, changeSet, request);
  if ("kind" in undone) return undone;
  const outcome = setOutcome(await carryOut(call, undone.members, ticket));
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
  const undone = await membersToUndo(call, changeSet, request);
  if ("kind" in undone) return undone;
  const preview = await previewMembers(call, undone.members, ticket);
  if ("files" in preview) return preview;
  const outcome = setOutcome(preview);
  if (outcome.kind === "refusal") return outcome;
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
    const refused = { ...refuse(outcome.code, message), success: false, state, shownBefore } as const;
    return withDisplacedNote(refused, displacedNotes([outcome], message));
  }
  if (files.length === 1) return mine;
  const others = files.map((file) => file.outcome).filter((other) => other !== asked);
  const told = withDisplacedNote(mine, displacedNotes(others, mine.message));
  const whole = `${told.message} The change set was undone as a whole: ${names(files)}.`;
  return { ...told, message: whole, together: others };
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
  call: Call,
  changeSet: string,
  { path, base, tool = "undo_edit" }: Asked<UndoRequest>,
): Promise<ToUndo | WriteRefusal> {
  const { session } = call;
  const written = await session.ports.history.together(changeSet);
  if (written === undefined) {
    return withoutState(
      refuse(
        "bytes_gone",
        "This file was changed together with others, and which they were is not kept any more. Nothing was changed.",
      ),
    );
  }
  // Backwards: what has another name now loses that first, and its attributes go with it.
  const realPaths = written.toReversed();
  const entry = await realPathOf(session, path, "entry");
  const asked = realPaths.includes(entry) ? entry : await realPathOf(session, path, undefined);
  const members: Member[] = [];
  for (const realPath of realPaths) {
    const options = realPath === asked && base !== undefined ? { base } : {};
    const findMoved = (sha256: string) =>
      moved(
        session,
        changeSet,
        realPaths.filter((other) => other !== realPath),
        sha256,
      );
    const change = {
      ...undoing(call, { changeSet, findMoved }, tool),
      options,
      isEntry: true,
      path: await nameOf(session, realPath),
    };
    members.push({ kind: "changed", change });
  }
  return { members, asked: realPaths.indexOf(asked) };
}

/** The file of the set that got a name by it and holds these bytes: a rename is taken back with the file itself. */
async function moved(
  session: Session,
  changeSet: string,
  realPaths: readonly string[],
  sha256: string,
): Promise<(KeptState & { readonly realPath: string }) | undefined> {
  for (const realPath of realPaths) {
    const last = lastInForce(await session.ports.history.entries(realPath));
    if (last?.changeSet !== changeSet || last.before !== null || last.after !== sha256) continue;
    const target = await session.ports.disk.enter(realPath, "allow", "entry");
    if (isRefusal(target)) continue;
    try {
      const current = await readCurrent(target, session, session.limits.changeBytes);
      if (isRefusal(current) || current.kind === "absent" || current.sha256 !== sha256) continue;
      const isApart = await isSecretState(session, target, sha256);
      return { bytes: current.bytes, isApart, realPath: target.realPath };
    } finally {
      await target.close();
    }
  }
  return undefined;
}

function undoing(call: Call, set: UndoneSet, tool: string): Omit<Change, "path" | "options"> {
  return {
    tool,
    needsBase: "never",
    plan: async (current, past) => planUndo(call, await past(), current, set),
    // A repeat is known before the set is (`setToUndo`); the other files must not be undone for it.
    wasMade: () => false,
  };
}

/** How a file of the set is called: from the first root where it is there, else by its real path. */
async function nameOf(session: Session, realPath: string): Promise<string> {
  const target = await session.ports.disk.enter(realPath, "allow", "entry");
  if (isRefusal(target)) return realPath;
  await target.close();
  const { relativePath } = target;
  return (await realPathOf(session, relativePath, "entry")) === realPath ? relativePath : realPath;
}

async function realPathOf(session: Session, path: string, use: "entry" | undefined): Promise<string> {
  const target = await session.ports.disk.enter(bareName(path), "allow", use);
  if (isRefusal(target)) return "";
  await target.close();
  return target.realPath;
}
