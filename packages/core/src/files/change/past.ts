import { shortHash } from "../../text/index.js";
import type { Planning } from "../access/call.js";
import type { Past, Plan } from "../access/change.js";
import type { Current, KeptState } from "../access/kept-states.js";
import { emptySha256, parseHash } from "../values/base.js";
import type { FileAccess } from "../values/disk.js";
import type { HistoryEntry } from "../values/operation.js";
import { refuse, refuseIn } from "../values/refusal.js";
import { nounOfWrite } from "../values/write-noun.js";
import { mismatchMessage } from "./mismatch.js";
import { planBytes, planKept } from "./plans.js";

/**
 * What undo does now: the last recorded write that was not taken back yet, if the disk still holds it.
 *
 * @param set the set that is taken back as a whole; undefined where one file is taken back alone.
 */
export async function planUndo(
  { session, budget }: Planning,
  past: Past,
  current: Current,
  set?: UndoneSet,
): Promise<Plan> {
  const last = lastInForce(past.history);
  const own = set === undefined ? lastInForce(await past.named()) : undefined;
  if (own !== undefined && own.isLink !== true && own.time >= (last?.time ?? 0))
    return refuse("state_mismatch", linkInPlace);
  const plan = await planUndoOf(last, { session, budget }, past, current, set);
  if (plan.kind === "write" && last?.executable !== undefined)
    return { ...plan, executable: !last.executable };
  return plan.kind === "write" && last?.isLink === true && plan.bytes !== null
    ? { ...plan, isLink: true, message: "Undone: the link is there again." }
    : plan;
}

async function planUndoOf(
  last: HistoryEntry | undefined,
  { session, budget }: Planning,
  past: Past,
  current: Current,
  set: UndoneSet | undefined,
): Promise<Plan> {
  const changeSet = set?.changeSet;
  if (last === undefined)
    return refuse("nothing_to_undo", (await past.hasOthers()) ? onlyOthers : nothingLeft);
  if (last.changeSet !== changeSet) return notTogether(last, changeSet);
  const disk = current.kind === "file" ? current.sha256 : null;
  if (disk !== last.after || (current.kind === "file" && current.isLink !== last.isLink)) {
    return refuse("state_mismatch", movedOn(nounOfWrite(last.tool), current));
  }
  const undoes = last.changeSet ?? last.id;
  if (last.before === null)
    return planBytes(session, current, null, {
      message: `Undone: the ${nounOfWrite(last.tool)} had created this file; it is deleted again.`,
      undoes,
      budget,
    });
  const noun = nounOfWrite(last.tool);
  const how = last.inPlace === true ? " It was written in place, as that was." : "";
  const message = `Undone: the file is as it was before the ${noun}.${how}`;
  const plan = { message, undoes, budget };
  // Of a file that only has another name the bytes are there, however little is kept.
  const moved = disk === null ? await set?.findMoved(last.before) : undefined;
  if (moved !== undefined) {
    const back = await planKept(session, current, moved, plan);
    return back.kind === "write" ? { ...back, movedFrom: moved.realPath } : back;
  }
  const kept = await past.find(last.before);
  if (kept === undefined) return bytesGone(last.before);
  if (disk !== null) return planKept(session, current, kept, plan);
  return planKept(session, current, kept, { ...plan, message: madeAgain(noun, kept.access) });
}

function madeAgain(noun: string, access: FileAccess | undefined): string {
  if (access === undefined)
    return `Undone: the file has the content that it had before the ${noun}. Its mode was not recorded then.`;
  if (access.hadMore === undefined) return `Undone: the file is as it was before the ${noun}.`;
  return `Undone: the file has the content that it had before the ${noun}, and its mode as far as that opens it to nobody else. Owner, access list and extended attributes are not all brought back.`;
}

/** A change set that is taken back as a whole. */
export interface UndoneSet {
  readonly changeSet: string;
  /** The state in the file of the set that has it by another name now, and loses that name by the undo. */
  findMoved(sha256: string): Promise<(KeptState & { readonly realPath: string }) | undefined>;
}

/** Which state a person means by `FILE@sha`, and its bytes. */
export async function planRestore(
  { session, budget }: Planning,
  past: Past,
  wanted: string,
  current: Current,
): Promise<Plan> {
  const hash = parseHash(wanted);
  if (typeof hash !== "string") return refuseIn("invalid_hash", noState);
  const fitting = [...new Set(past.known())].filter((sha256) => sha256.startsWith(hash));
  const [sha256] = fitting;
  const isNamed = ({ before, after }: HistoryEntry) =>
    before?.startsWith(hash) === true || after?.startsWith(hash) === true;
  const own = sha256 === undefined ? (await past.named()).find(isNamed) : undefined;
  if (own !== undefined) return refuse("not_a_file", own.isLink === true ? onlyUndone : linkInPlace);
  if (sha256 === undefined)
    return refuseIn("bytes_gone", "No state $wanted of this file is known.[ {log} lists those that are.]", {
      wanted,
    });
  if (fitting.length > 1)
    return refuse(
      "invalid_hash",
      `${wanted} is the beginning of ${fitting.length} states of this file; give more digits.`,
    );
  if (current.kind === "file" && current.sha256 === sha256) {
    return { kind: "unchanged", code: "no_change", message: "The file is in this state already." };
  }
  if (wasLink(past, sha256)) return refuse("not_a_file", onlyUndone);
  const kept = await past.find(sha256);
  return kept === undefined
    ? bytesGone(sha256)
    : planKept(session, current, kept, { message: restored(sha256), budget });
}

/** Whether a state of this name was that of a link: its bytes are the link's text, and no file's. */
function wasLink({ history }: Past, sha256: string): boolean {
  return history.some(({ isLink, before, after }) => isLink === true && (before ?? after) === sha256);
}

const linkInPlace =
  "A symbolic link stands in the place of the file now: delete or move the link first. Nothing was changed.";
const onlyUndone = "This state was a symbolic link, which comes back by an undo alone. Nothing was changed.";

function restored(sha256: string): string {
  return `Restored to ${shortHash(sha256)}.`;
}

/** An earlier state in the place of the very one that is named; of a state that is there already, nothing. */
export async function planState(
  { session, budget }: Planning,
  { from, sha256 }: { readonly from: string | null; readonly sha256: string | null },
  current: Current,
  past: () => Promise<Past>,
): Promise<Plan> {
  const disk = current.kind === "file" ? current.sha256 : null;
  if (disk === sha256)
    return { kind: "unchanged", code: "no_change", message: "The file is in this state already." };
  if (disk !== from)
    return refuse("state_mismatch", `${mismatchMessage} It is not in the state that was to be replaced.`);
  if (sha256 === null)
    return planBytes(session, current, null, { message: "Deleted: there was no such file.", budget });
  const known = await past();
  const isLink = wasLink(known, sha256);
  if (isLink && current.kind === "file") return refuse("not_a_file", onlyUndone);
  const kept = (await known.find(sha256)) ?? (sha256 === emptySha256 ? noContent : undefined);
  if (kept === undefined) return bytesGone(sha256);
  const plan = await planKept(session, current, kept, { message: restored(sha256), budget });
  return isLink && plan.kind === "write" ? { ...plan, isLink } : plan;
}

/**
 * The newest write in force: an undo takes back the write that it names, and is no write itself, so that
 * each further undo goes one step further.
 */
export function lastInForce(history: readonly HistoryEntry[]): HistoryEntry | undefined {
  const undone = new Set(history.map((entry) => entry.undoes).filter((id) => id !== undefined));
  return history.findLast(
    ({ id, changeSet = id, undoes, displaced }) =>
      undoes === undefined && displaced !== true && !undone.has(id) && !undone.has(changeSet),
  );
}

/** Whether the last undo of this state left the present one: the undo is asked for a second time. */
export function wasUndone(base: string, current: Current, { history }: Past): boolean {
  const undo = history.findLast(
    (entry) => entry.undoes !== undefined && (entry.before ?? emptySha256) === base,
  );
  return undo !== undefined && undo.after === (current.kind === "file" ? current.sha256 : null);
}

const nothingLeft = "No write of these tools to this file is left to take back.";
const onlyOthers = `${nothingLeft} Those that are recorded were made in another folder, which had this place before and is gone.`;

const noContent: KeptState = { bytes: new Uint8Array(), isApart: false };

function notTogether(last: HistoryEntry, changeSet: string | undefined): Plan {
  if (changeSet === undefined)
    return refuse("busy", "A change set wrote this file while the undo waited for its lock; try again.");
  return refuse(
    "state_mismatch",
    `State Mismatch: The file was written again (${nounOfWrite(last.tool)}) after the change set that is to be undone as a whole; undo that write first.`,
  );
}

/** Why the last write is not taken back: the disk holds other than it left. */
function movedOn(write: string, current: Current): string {
  const happened =
    current.kind === "absent"
      ? "The file is gone: somebody deleted or moved it"
      : "The file has changed on disk";
  return `State Mismatch: ${happened} since the last write (${write}), so that write is not taken back. Nothing was changed.`;
}

const noState =
  "A state is named by its sha256: 64 hexadecimal digits, or at least the first 12.[ {log} lists those of the file.]";

function bytesGone(sha256: string): Plan {
  return refuseIn(
    "bytes_gone",
    "The bytes of state $state are not kept any more. Nothing was changed.[ {log} lists the states that are kept.]",
    { state: shortHash(sha256) },
  );
}
