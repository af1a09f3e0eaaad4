import { defined } from "../../text/index.js";
import { refuseWith } from "../access/answers.js";
import { type Call, cancelled, cancelledBy, rootReplaced } from "../access/call.js";
import { type Change, withoutState } from "../access/change.js";
import { linkText } from "../access/current.js";
import { digestInSteps, digestOf } from "../access/digest.js";
import { learnText } from "../access/file-text.js";
import type { Ticket } from "../access/keyed-mutex.js";
import { leadsTo, pathNames } from "../access/path-names.js";
import { type AgreedFile, compareAgreed, type Preview, type PreviewedFile } from "../access/preview.js";
import { inPlace, type Site, siteOf, subjectOf } from "../access/site.js";
import type { FileIdentity, Target } from "../values/disk.js";
import type { Unchanged, WriteOutcome, WriteRefusal } from "../values/outcomes.js";
import type { Lock } from "../values/ports.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { largeSize, takeSteps } from "../values/time-budget.js";
import { say } from "../values/vocabulary.js";
import { commit } from "./commit-change.js";
import { decide, overtaken, type WriteDecision } from "./decide.js";
import { lastInForce } from "./past.js";
import { decodedText } from "./plans.js";

/** Takes the locks, walks to the target, and carries the change out: in place where nothing else can be, and that may be. */
export async function carryOut(call: Call, change: Change, ticket: Ticket): Promise<WriteOutcome> {
  const outcome = await carryOnce(call, change, ticket);
  if (outcome.kind !== "refusal") return outcome;
  const { sentence, ...plain } = outcome;
  const { inPlace: when } = call.session.guards;
  if (sentence?.template.includes("{inPlace}") !== true || when === undefined) return outcome;
  if (when !== "auto") return { ...plain, message: say(sentence, {}) + when.way };
  const again = await carryOnce(call, inPlace(change), ticket);
  return again.kind === "written" ? { ...again, message: again.message + inPlaceNote } : again;
}

const inPlaceNote =
  " It was written in place, since it cannot be replaced: a crash meanwhile would have left it half written.";

function carryOnce(call: Call, change: Change, ticket: Ticket): Promise<WriteOutcome> {
  return atSite(call, change, ticket, async (first, lock) => {
    for (let left = mostTries; ; left -= 1) {
      const site = siteOf(call, first.change, first.target);
      const decision = await decide(site);
      if (decision.kind === "answer") return decision.outcome;
      const late = call.agreed === undefined ? undefined : await learnPlan(site, decision);
      if (late !== undefined) return refuseWith(subjectOf(site), late, decision.current);
      const disagreement = await holdAgainstAgreed(site, decision);
      const done = disagreement ?? (await commit(site, decision, lock, left > 1));
      if (done !== "overtaken") return done;
    }
  });
}

/** For a file that other programs keep writing: the whole change is decided anew on what they left. */
const mostTries = 16;

/** The same without the step. */
export function previewChange(
  call: Call,
  change: Change,
  ticket: Ticket,
): Promise<Preview | Unchanged | WriteRefusal> {
  return atSite(call, change, ticket, async (site) => {
    const decision = await decide(site);
    if (decision.kind === "answer") return decision.outcome;
    const late = await learnPlan(site, decision);
    if (late !== undefined) return refuseWith(subjectOf(site), late, decision.current);
    const { message } = decision.plan;
    return { kind: "preview", message, files: [previewedFile(site, decision)] };
  });
}

/** Goes through large planned bytes in slices, so that their preview, and what was agreed to, is known at once. */
export async function learnPlan(
  { call, change }: Site,
  { plan, current }: WriteDecision,
): Promise<Refusal<"timeout"> | undefined> {
  const { ports } = call.session;
  const { encoding } = change.options;
  const known = [plan.bytes, call.isPreview && current.kind === "file" ? current.bytes : null];
  for (const bytes of known) {
    if (bytes === null || bytes.length <= largeSize) continue;
    const sha256 = await takeSteps(digestInSteps(ports, bytes), call.budget);
    if (typeof sha256 !== "string") return sha256;
    const isShown = call.isPreview && (bytes !== plan.bytes || plan.text === undefined);
    const late = isShown ? await takeSteps(learnText(bytes, ports.codec, encoding), call.budget) : undefined;
    if (late !== undefined) return late;
  }
  return undefined;
}

/** The preview of a decision, for its file. */
export function previewedFile(site: Site, decision: WriteDecision): PreviewedFile {
  const { plan, current } = decision;
  const { session } = site.call;
  const { encoding } = site.change.options;
  const before = current.kind === "file" ? decodedText(session, current.bytes, encoding) : null;
  const after = plan.bytes === null ? null : (plan.text ?? decodedText(session, plan.bytes, encoding));
  const isUnshown = plan.isUnshown === true ? { isUnshown: true as const } : {};
  const agreed = agreedFile(site, decision);
  const { path } = site.change;
  const names = pathNames(session.ports.disk, path, agreed.realPath);
  const link = current.kind === "file" && current.isLink === true ? current.bytes : undefined;
  const shown = link ?? (plan.isLink === true ? plan.bytes : null);
  const leads =
    shown === null ? leadsTo(session.ports.disk, { path, realPath: agreed.realPath }) : linkText(shown);
  return {
    path,
    ...defined({ leadsTo: leads }),
    names,
    before,
    after,
    sizes: {
      before: current.kind === "file" ? current.bytes.length : null,
      after: plan.bytes?.length ?? null,
    },
    change: plan.report,
    ...isUnshown,
    agreed,
  };
}

/** The facts that a person agrees to when this decision is shown. */
export function agreedFile({ call, change, target }: Site, { plan, current }: WriteDecision): AgreedFile {
  return {
    realPath: target.realPath,
    before: current.kind === "file" ? current.sha256 : null,
    after: plan.bytes === null ? null : digestOf(call.session.ports, plan.bytes),
    inPlace: change.options.inPlace === true,
  };
}

/** Why the decision is not the agreed one; undefined if it is, or if no consent was needed. */
async function holdAgainstAgreed(site: Site, decision: WriteDecision): Promise<WriteRefusal | undefined> {
  const { agreed } = site.call;
  if (agreed === undefined) return undefined;
  switch (compareAgreed(agreed, [agreedFile(site, decision)])) {
    case "none":
      return undefined;
    case "moved":
      return overtaken(site, agreedBefore(site, agreed));
    case "other":
      return refuseWith(subjectOf(site), notAgreed, decision.current);
  }
}

/** The state at the time of the consent, by its hash alone. */
function agreedBefore({ target }: Site, agreed: readonly AgreedFile[]): { readonly sha256: string | null } {
  return { sha256: agreed.find(({ realPath }) => realPath === target.realPath)?.before ?? null };
}

export const notAgreed = refuse(
  "not_agreed",
  "The change would come to something else than what was agreed to. Nothing was written; ask again with what it comes to now.",
);

/** The target of a change under both of its locks. */
async function atSite<Result>(
  call: Call,
  change: Change,
  ticket: Ticket,
  work: (site: Site, lock: Lock) => Promise<Result>,
): Promise<Result | WriteRefusal> {
  const { session, signal } = call;
  if (session.readOnly) return withoutState(readOnly);
  const found = await session.ports.disk.enter(change.path, "allow", "name");
  if (isRefusal(found)) return withoutState(found);
  const { realPath } = found;
  await found.close();
  await ticket.turn();
  const passed = session.mutex.run([realPath], () => locked(call, change, realPath, work), { signal });
  ticket.done();
  return (await passed) ?? withoutState(cancelled);
}

async function locked<Result>(
  call: Call,
  change: Change,
  realPath: string,
  work: (site: Site, lock: Lock) => Promise<Result>,
): Promise<Result | WriteRefusal> {
  const { ports, limits } = call.session;
  const stopped = cancelledBy(call);
  if (stopped !== undefined) return withoutState(stopped);
  const lock = await ports.locks.acquire(realPath, limits.lockMs);
  if (isRefusal(lock)) return withoutState(lock);
  call.budget.start();
  try {
    const target = await ports.disk.enter(change.path, "allow");
    if (isRefusal(target)) return withoutState(target);
    try {
      if (target.realPath !== realPath) return withoutState(movedAway);
      const replaced = rootReplaced(call);
      if (replaced !== undefined) return withoutState(replaced);
      const site = siteOf(call, await asItsWrite(call, change, target), target);
      return site.change.options.inPlace === true
        ? await withFileLocked(site, lock, work)
        : await work(site, lock);
    } finally {
      await target.close();
    }
  } finally {
    await lock.release();
  }
}

/** An undo writes as the write did that it takes back. */
async function asItsWrite({ session }: Call, change: Change, { realPath }: Target): Promise<Change> {
  if (change.isUndo !== true) return change;
  const last = lastInForce(await session.ports.history.entries(realPath));
  return last?.inPlace === true ? inPlace(change) : change;
}

/**
 * Under the lock of the file beside that of its name: a write in place reaches every name of the file. (A write
 * that replaces a file refuses one with several names.)
 */
async function withFileLocked<Result>(
  site: Site,
  lock: Lock,
  work: (site: Site, lock: Lock) => Promise<Result>,
): Promise<Result | WriteRefusal> {
  const { ports, limits } = site.call.session;
  const found = await site.target.look();
  // What stands there otherwise is answered for by the work.
  if (isRefusal(found) || found.kind !== "file") return work(site, lock);
  const fileLock = await ports.locks.acquire(fileKey(found.identity), limits.lockMs);
  if (isRefusal(fileLock)) return withoutState(fileLock.code === "busy" ? otherName : fileLock);
  try {
    // Asked again before the step: a second try may meet another file, which is not locked.
    const isSame = async () => {
      const now = await site.target.look();
      return !isRefusal(now) && now.kind === "file" && fileKey(now.identity) === fileKey(found.identity);
    };
    if (!(await isSame())) return withoutState(movedAway);
    const held = async () => (await fileLock.held()) && (await lock.held()) && (await isSame());
    return await work(site, { kind: "lock", held, release: () => lock.release() });
  } finally {
    await fileLock.release();
  }
}

/** A key for the lock of a file, whatever its name; no real path looks so. */
function fileKey({ device, inode }: FileIdentity): string {
  return `file:${device}:${inode}`;
}

const otherName = refuse(
  "busy",
  "The file is being written under another of its names; nothing was changed. Try again.",
);

export const readOnly = refuse("read_only", "This workspace is read-only; nothing was written.");

export const movedAway = refuse(
  "busy",
  "The path came to mean another file while the lock was waited for; try again.",
);
