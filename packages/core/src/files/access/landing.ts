import { defined, quoteForDisplay, shortHash } from "../../text/index.js";
import type { Committed, Target } from "../values/disk.js";
import { DiskFault } from "../values/disk-fault.js";
import { isRefusal } from "../values/refusal.js";
import type { HistoryEntry } from "../values/stores.js";
import type { PlannedWrite } from "./change.js";
import type { Current, CurrentFile, LeftState } from "./current.js";
import { digestOf } from "./digest.js";
import { isSecretState, keepBytes, readsOf } from "./kept-states.js";
import type { DisplacedWrite } from "./replaced-files.js";
import { defaultKeepSecrets, type Session } from "./session.js";
import type { Site } from "./site.js";
import { inside } from "./visit.js";

/** A history entry of a change that is about to be made. */
export async function entryOf(
  { call, change, target }: Pick<Site, "call" | "change" | "target">,
  current: Current,
  after: string | null,
  isApart: boolean,
): Promise<HistoryEntry> {
  const { caller } = call;
  const { sha256: before = null, access: known } = current.kind === "file" ? current : {};
  // More is looked at of a file that goes.
  const access = after === null ? await target.access?.() : known;
  const entry = { ...newEntry(call.session, target, change.tool, isApart), before, after, access };
  return caller === undefined ? entry : { ...entry, caller: { ...caller, path: change.path } };
}

/** Records a state that was read, so that it can be brought back though no tool wrote it. */
export async function recordRead(
  session: Session,
  target: Target,
  { sha256, access }: Pick<CurrentFile, "sha256" | "access">,
): Promise<void> {
  const entry = newEntry(session, target, "read", await isSecretState(session, target, sha256));
  const read = { ...entry, realPath: readsOf(target.realPath), before: sha256, after: sha256, access };
  await session.ports.history.noteRead?.(read);
}

/** The same of a state that a tool made where nothing was. The write is done: what fails here is not told. */
export async function recordMade(session: Session, { realPath }: Target, sha256: string): Promise<void> {
  try {
    await inside(session, realPath, async (made) => {
      const access = await made.access?.();
      if (access !== undefined) await recordRead(session, made, { sha256, access });
    });
  } catch (error) {
    if (!(error instanceof DiskFault)) throw error;
  }
}

/**
 * A history entry of now, without what changed.
 *
 * @param isApart the state before, or the one after, is kept apart.
 */
function newEntry(
  session: Session,
  target: Pick<Target, "realPath">,
  tool: string,
  isApart: boolean,
): Omit<HistoryEntry, "before" | "after"> {
  const { keepSecrets } = session;
  return {
    id: session.ports.newId(),
    realPath: target.realPath,
    time: session.ports.clock.now(),
    session: session.id,
    tool,
    ...(isApart && keepSecrets !== defaultKeepSecrets ? { keepSecrets } : {}),
  };
}

/**
 * Keeps and records bytes that another program, without our lock, wrote into a file that was replaced, so that
 * they can be restored.
 *
 * @param before the hash of what that file held; `null` where there was none.
 * @returns half a sentence that says where they are.
 */
async function keepDisplaced(
  session: Session,
  target: Pick<Target, "realPath" | "relativePath">,
  before: string | null,
  bytes: Uint8Array,
): Promise<string> {
  const sha256 = digestOf(session.ports, bytes);
  const madeFrom = before ?? undefined;
  const kept = await keepBytes(session, target, { sha256, bytes }, { care: "sure", madeFrom });
  const isApart = before !== null && (await isSecretState(session, target, before));
  await session.ports.history.record({
    ...newEntry(session, target, "another program", isApart),
    before,
    after: sha256,
    displaced: true,
  });
  const prefix = shortHash(sha256);
  return kept === "kept"
    ? `it is kept as state ${prefix} and can be restored (holdfast restore FILE@${prefix})`
    : "it could not be kept";
}

/**
 * The same for bytes of the very moment of the step; and what failed after it.
 *
 * @param member the file's name, where several are written as one.
 * @returns sentences for the end of the message.
 */
export async function noteStep(
  session: Session,
  target: Target,
  current: Current,
  { displaced, fault }: Pick<Committed, "displaced" | "fault">,
  member?: string,
): Promise<string> {
  const failed = fault === undefined ? "" : ` It was done, but then ${fault.message}.`;
  if (displaced === undefined) return failed;
  const before = current.kind === "file" ? current.sha256 : null;
  const where = await keepDisplaced(session, target, before, displaced);
  const name = member === undefined ? "" : ` ${quoteForDisplay(member)}`;
  return `${failed} At the same moment another program wrote to the old file${name}: ${where}.`;
}

/** What stands after a step. */
export function stateAfter({ bytes, isLink }: PlannedWrite, sha256: string | null): LeftState {
  if (bytes === null || sha256 === null) return { kind: "absent" };
  return { kind: "file", bytes, sha256, ...defined({ isLink }) };
}

/** The same for bytes that are found later in a replaced file. Must not be called under its lock. */
export async function recordStaleInodeWrite(
  session: Session,
  { target, before, bytes }: DisplacedWrite,
): Promise<string> {
  const lock = await session.ports.locks.acquire(target.realPath, session.limits.lockMs);
  try {
    // Without the lock they are kept and reported all the same; only the order of the history is at stake.
    const where = await keepDisplaced(session, target, before, bytes);
    const name = quoteForDisplay(target.relativePath);
    return `A displaced write was found: another program still had ${name} open as it was before an earlier write, and wrote to that; ${where}.`;
  } finally {
    if (!isRefusal(lock)) await lock.release();
  }
}
