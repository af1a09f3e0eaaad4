import type { StrictApplier } from "../../patch/index.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import type { Target } from "../values/disk.js";
import type { FileName, Knowledge } from "../values/knowledge.js";
import type { HistoryEntry, WriteCaller } from "../values/operation.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { TimeBudget } from "../values/time-budget.js";
import { plainPath } from "./path-names.js";
import type { AgreedFile } from "./preview.js";
import type { Session, Ticket } from "./session.js";

/** What enters with one request beside the request itself. */
export interface RunScope {
  /** What the caller was shown; the workspace's own session unless given. */
  readonly knowledge?: Knowledge;
  /** Stops the request with `cancelled`, up to the last look at the file; from then on it is ignored. */
  readonly signal?: AbortSignal;
  /** What a person agreed to, from a preview: anything else is `not_agreed`, and nothing is written. */
  readonly agreed?: readonly AgreedFile[];
  /**
   * The same request was carried out and came to this state, and its answer was never delivered: as long as the file is
   * in it, the request is `already_applied`. Else it is a new one. For one file; a change set has its bases.
   */
  readonly repeats?: MadeState;
  /**
   * Of a read: the caller did not ask for it, it comes with a refusal. Of a file that may hold secrets, and of which
   * nothing was shown before, it gives a window of no lines.
   */
  readonly isUnasked?: boolean;
  /**
   * Of a read: the caller shows no `notice`. What was found of other programs' writes, which is told once, waits for an
   * answer that does.
   */
  readonly isSilent?: boolean;
  /**
   * A person wrote the content, in the place of what the caller asked for. It is written as it stands, whatever the caller was
   * shown of the file; of one that may hold secrets the caller is shown no more by it.
   */
  readonly isByPerson?: boolean;
  /** The call of a conversation that asks: each of its writes is recorded with it. Nobody's unless given. */
  readonly caller?: WriteCaller;
  /** The strict last stage of a patch, so that its failure can be shown. */
  readonly applier?: StrictApplier;
}

/** The state that a request came to; its hash is `null` where no file was left. */
export interface MadeState {
  readonly sha256: string | null;
}

/** Whether this is the state that the call came to when it was carried out the first time. */
export function isMadeAlready({ repeats }: Pick<Call, "repeats">, sha256: string | null): boolean {
  return repeats !== undefined && repeats.sha256 === sha256;
}

/** For the files of a change set: the state is that of one file, and the others have their bases. */
export function withoutRepeat(call: Call): Call {
  const { repeats: _, ...others } = call;
  return others;
}

/** One request under way. */
export interface Call extends Omit<RunScope, "knowledge"> {
  readonly session: Session;
  readonly knowledge: Knowledge;
  /** A preview learns nothing, keeps nothing and takes no version. */
  readonly isPreview: boolean;
  /** For the work up to the step: it begins when the locks are had. */
  readonly budget: TimeBudget;
  /** `Disk.replacements` when the request arrived. */
  readonly replacements: number | undefined;
}

/** What a plan works with: of a call its session and its time. */
export type Planning = Pick<Call, "session" | "budget">;

/** Refuses a request that arrived when another folder was the root: what it is based on is known of that one. */
export function rootReplaced({ session, replacements }: Call): Refusal | undefined {
  return session.ports.disk.replacements === replacements ? undefined : otherRoot;
}

const otherRoot = refuse(
  "root_changed",
  "The folder that is worked in was replaced by another one; nothing was read or written. From now on the new folder is worked in, and what was known of the old one counts no more: read again what you need, then repeat the call.",
);

/** A refusal where the caller does not want the request any more. */
export function cancelledBy({ signal }: Pick<Call, "signal">): Refusal<"cancelled"> | undefined {
  return signal?.aborted === true ? cancelled : undefined;
}

export const cancelled = refuse("cancelled", "Cancelled before anything was changed.");

/** What a step is asked for the last time, right before the last look at the disk. */
interface LastQuestion {
  /** Whether the step may be taken. */
  readonly guard: () => Promise<boolean>;
  /** Whether it may not because the caller does not want it any more; else a lock was lost. */
  isCancelled(): boolean;
}

/** @param isHeld whether all locks are still held. */
export function askLast(call: Pick<Call, "signal">, isHeld: () => Promise<boolean>): LastQuestion {
  let isStopped = false;
  const guard = async () => {
    if (!(await isHeld())) return false;
    isStopped = cancelledBy(call) !== undefined;
    return !isStopped;
  };
  return { guard, isCancelled: () => isStopped };
}

/** A state handed out: its version, and that the caller was told of it. */
export function handOut(call: Call, file: FileName, sha256: string, total: number | undefined): number {
  if (call.isPreview) return call.knowledge.find(file, sha256)?.version ?? 0;
  const version = call.session.versions.getNextVersion();
  call.knowledge.learn({ kind: "met", file, sha256, version, ...(total === undefined ? {} : { total }) });
  return version;
}

/** Walks to a folder or file for a look, without waiting for its turn. */
export async function inside<Result>(
  session: Session,
  path: string | undefined,
  look: (target: Target, name: string) => Promise<Result>,
): Promise<Result | Refusal> {
  const tidy = await plainPath(session, path ?? ".");
  if (isRefusal(tidy)) return tidy;
  const target = await session.ports.disk.enter(tidy.path, "refuse");
  if (isRefusal(target)) return target;
  try {
    return await look(target, tidy.path === "" ? "." : tidy.path);
  } finally {
    await target.close();
  }
}

/** What a name is spoken of for: a link that our writes made or moved itself, else what a link leads to. */
export async function enterNamed(session: Pick<Session, "ports">, path: string): Promise<Target | Refusal> {
  const isOwn = (await ownWrites(session, path))?.at(-1)?.isLink === true;
  return session.ports.disk.enter(path, "allow", isOwn ? "entry" : undefined);
}

/** The recorded writes of a name itself where a link stands now, oldest first; undefined where no link does. */
export async function ownWrites(
  { ports: { disk, history } }: Pick<Session, "ports">,
  path: string,
): Promise<readonly HistoryEntry[] | undefined> {
  const entry = await disk.enter(path, "allow", "entry");
  if (isRefusal(entry)) return undefined;
  const isLink = (await entry.look()).kind === "link";
  await entry.close();
  return isLink ? history.entries(entry.realPath) : undefined;
}

/** Walks to a path, waits for its turn there, and closes the target after the work. */
export async function atTurn<Result>(
  session: Session,
  path: string,
  work: (target: Target) => Promise<Result>,
  { missing = "refuse", ticket, signal }: AtOptions = {},
): Promise<Result | Refusal> {
  const { disk } = session.ports;
  const found = await disk.enter(path, missing);
  // An earlier request may make its folder.
  const isEarly = isRefusal(found) && found.code === "file_missing" && ticket !== undefined;
  const target = isEarly ? await disk.enter(path, "allow") : found;
  if (isRefusal(target)) return target;
  try {
    await ticket?.turn();
    const run = async () =>
      isEarly ? enterAgain(session, path, work) : ((await excludedByOwner(disk, target)) ?? work(target));
    const passed = session.mutex.run([target.realPath], run, { shared: true, signal });
    ticket?.done();
    return (await passed) ?? cancelled;
  } finally {
    await target.close();
  }
}

/** By who has the path's turn already. */
async function enterAgain<Result>(
  { ports }: Session,
  path: string,
  work: (target: Target) => Promise<Result>,
): Promise<Result | Refusal> {
  const { disk } = ports;
  const target = await disk.enter(path, "refuse");
  if (isRefusal(target)) return target;
  try {
    return (await excludedByOwner(disk, target)) ?? (await work(target));
  } finally {
    await target.close();
  }
}

interface AtOptions {
  readonly missing?: "refuse" | "allow";
  readonly ticket?: Ticket | undefined;
  readonly signal?: AbortSignal | undefined;
}
