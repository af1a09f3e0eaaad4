import { defined, quoteForDisplay, shortHash } from "../../text/index.js";
import type { LineEdit } from "../lines/line-spans.js";
import { areStillInPlace } from "../lines/moved-lines.js";
import { emptySha256 } from "../values/base.js";
import type { Committed, Target } from "../values/disk.js";
import { DiskFault } from "../values/disk-fault.js";
import type { OwnChange, OwnWrite } from "../values/knowledge.js";
import type { HistoryEntry } from "../values/operation.js";
import { isRefusal } from "../values/refusal.js";
import type { Subject } from "./answers.js";
import { type Call, inside, ownWrites } from "./call.js";
import type { Change, Past, PlannedWrite } from "./change.js";
import {
  type Current,
  type CurrentFile,
  digestOf,
  findState,
  isSecretState,
  keepBytes,
  type LeftState,
  readsOf,
} from "./kept-states.js";
import type { DisplacedWrite } from "./replaced-files.js";
import { defaultKeepSecrets, type Session } from "./session.js";

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

/** A change and its target, under the target's lock. */
export interface Site {
  readonly call: Call;
  readonly change: Change;
  readonly target: Target;
  /** The past of the file; read once, and only for those who ask. */
  readonly past: () => Promise<Past>;
}

/** @param target open as long as the site is used, its lock held. */
export function siteOf(call: Call, asked: Change, target: Target): Site {
  const change = call.session.guards.isInPlace(target.relativePath) ? inPlace(asked) : asked;
  let loaded: Promise<Past> | undefined;
  const past = () => {
    loaded ??= loadPast(call, change, target);
    return loaded;
  };
  return { call, change, target: target, past };
}

/** The same change, written into the file that is there. */
export function inPlace(change: Change): Change {
  return { ...change, options: { ...change.options, inPlace: true } };
}

/** What an answer about the site is about. */
export function subjectOf({ call, change, target }: Site): Subject {
  const file = { path: change.path, realPath: target.realPath };
  return { call, file, encoding: change.options.encoding };
}

async function loadPast(call: Call, change: Change, target: Target): Promise<Past> {
  const history = await call.session.ports.history.entries(target.realPath);
  const reads = await call.session.ports.history.entries(readsOf(target.realPath));
  const entries = [...history, ...reads].toSorted((one, other) => one.time - other.time);
  const known = () => {
    const told = call.knowledge.states({ path: change.path, realPath: target.realPath });
    const written = entries.flatMap((entry) => [entry.before, entry.after]);
    return [...told, ...written.filter((sha256) => sha256 !== null)];
  };
  const hasOthers = async () =>
    ((await call.session.ports.history.ofOtherFolder?.(target.realPath)) ?? []).length > 0;
  const named = async () => (await ownWrites(call.session, change.path)) ?? [];
  const find = async (sha256: string) => {
    const kept = await findState(call.session, target, sha256);
    const told = entries.filter(({ access }) => access !== undefined);
    const last = told.findLast(({ before, after }) => before === sha256 || after === sha256) ?? told.at(-1);
    return kept === undefined ? undefined : { ...kept, access: last?.access };
  };
  return { history, named, known, hasOthers, find };
}

/** How the caller's own calls made one state of another. */
type OwnWay =
  /** Line by line: what each of them changed, oldest first. */
  | { readonly kind: "lines"; readonly steps: readonly (readonly LineEdit[])[] }
  /** A whole write, an undo, a restore or a move was among them. */
  | { readonly kind: "whole" };

/**
 * The way from one state of the file to another by calls of this caller alone; undefined where there is none that is
 * known. States are told by their bytes: who brings an earlier one back has changed nothing.
 */
export function ownChangesBetween(site: Site, from: string, to: string): OwnWay | undefined {
  const found = wayBetween(ownChanges(site), from, to);
  if (found === undefined) return undefined;
  const steps = found.flatMap(({ byLines, changes }) =>
    byLines === true && changes !== undefined ? [changes] : [],
  );
  return steps.length === found.length ? { kind: "lines", steps } : { kind: "whole" };
}

/**
 * What is left of the same request that was carried out from this base before; undefined where it never was, or
 * where what it comes to tells.
 */
export function doneBefore(site: Site, base: string, present: string): "stands" | "gone" | undefined {
  const request = requestDigest(site);
  if (request === "") return undefined;
  const known = ownChanges(site);
  const done = known.find((change) => change.request === request && change.base === base);
  if (done === undefined) return undefined;
  const since = wayBetween(known, done.after, present)?.map(({ changes }) => changes);
  if (done.changes === undefined || since === undefined) return "gone";
  const steps = since.filter((changes) => changes !== undefined);
  return steps.length === since.length && areStillInPlace(done.changes, steps) ? "stands" : "gone";
}

/**
 * What is recorded of a call that writes.
 *
 * @param base the hash of the state that it was made for.
 */
export function ownWrite(site: Site, base: string | null): OwnWrite {
  const named = base ?? emptySha256;
  const request = requestDigest(site);
  return request === "" ? { base: named, request } : { base: named, request, byLines: true };
}

/** Tool, path and arguments, without the base; empty for a change that is not one of single lines. */
function requestDigest({ call, change }: Site): string {
  if (change.lines === undefined) return "";
  const { tool, path, lines } = change;
  const asked = JSON.stringify([tool, path, lines.asked], (key, value: unknown) =>
    key === "base" || key === "path" ? undefined : value,
  );
  return call.session.ports.digest(new TextEncoder().encode(asked)).slice(0, digestDigits);
}

/** As much as tells the requests of one file apart. */
const digestDigits = 32;

function ownChanges(site: Site): readonly OwnChange[] {
  return site.call.knowledge.ownChanges?.(subjectOf(site).file) ?? [];
}

/** Backwards by the change that led to each state last; oldest first. */
function wayBetween(known: readonly OwnChange[], from: string, to: string): readonly OwnChange[] | undefined {
  const last = new Map<string, OwnChange>();
  for (const change of known) if (!last.has(change.after)) last.set(change.after, change);
  const way: OwnChange[] = [];
  for (let at = to; at !== from; ) {
    const change = last.get(at);
    if (change === undefined) return undefined;
    last.delete(at);
    way.push(change);
    at = change.before;
  }
  return way.reverse();
}
