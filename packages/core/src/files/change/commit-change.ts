import { refuseWith, stateOf, withoutContent } from "../access/answers.js";
import { askLast, cancelled, cancelledBy } from "../access/call.js";
import { type PlannedWrite, withoutState } from "../access/change.js";
import { type Current, isLarge, type LeftState, learnState } from "../access/current.js";
import { digestInSteps } from "../access/digest.js";
import {
  isSecretState,
  isStoredAsSecret,
  keepReplaced,
  keepState,
  type StatePlace,
  sharedBefore,
} from "../access/kept-states.js";
import { entryOf, noteStep, recordMade, stateAfter, takeStep } from "../access/landing.js";
import { ownWrite } from "../access/own-changes.js";
import { type Site, subjectOf } from "../access/site.js";
import { joined } from "../reading/line-stream.js";
import type { Changed, Committed, Target } from "../values/disk.js";
import type { WriteRefusal, Written } from "../values/outcomes.js";
import { withDisplacedNote } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { takeAll, takeLarge } from "../values/time-budget.js";
import { overtaken, refuseFresh, type WriteDecision } from "./decide.js";
import { removeEmptyFolders } from "./empty-folders.js";
import { bytesInSteps } from "./plans.js";

/**
 * Makes sure, before anything is replaced, that there is a way back and a way on: the old state is kept,
 * and the new one is not too large to be read again.
 *
 * @param movedTo the other name under which the content goes on, so that nothing is taken away.
 * @returns what has to be said after the step; `protected_path` where there would be no way back and no person
 *   agreed to that.
 */
export async function secure(
  { call, target }: Site,
  { plan, current }: WriteDecision,
  movedTo?: StatePlace,
): Promise<Secured | Refusal> {
  const limit = call.session.limits.changeBytes;
  const size = plan.bytes?.length ?? 0;
  if (size > limit) {
    return refuse(
      "too_large",
      `The new content has ${size} bytes; at most ${limit} are written. Nothing was changed.`,
    );
  }
  if (current.kind === "absent") return { kind: "secured", warning: "" };
  const kept = await keepReplaced(call.session, target, current, movedTo);
  if (isRefusal(kept)) return kept;
  if (kept.wayBack || movedTo !== undefined) return { kind: "secured", warning: "" };
  // A person who agreed to these very bytes, or opened the path, was asked.
  const isAgreed = call.agreed !== undefined || call.session.allowsProtected(target.relativePath);
  return isAgreed ? { kind: "secured", warning: secretReplaced } : unkeptSecret;
}

/** There is a way back, or a warning that there is none. */
interface Secured {
  readonly kind: "secured";
  /** A sentence for the end of the message, or nothing. */
  readonly warning: string;
}

/**
 * Takes the step of one file: keeps, records the intent, writes, records the write. `overtaken`: it may be tried again
 * on new bytes.
 */
export async function commitOne(
  site: Site,
  decision: WriteDecision,
  isHeld: () => Promise<boolean>,
  mayTryAgain: boolean,
): Promise<Written | WriteRefusal | "overtaken"> {
  const { call, change, target: found } = site;
  const { current } = decision;
  const secured = await secure(site, decision);
  if (isRefusal(secured)) return refuseWith(subjectOf(site), secured, current);
  const plan = { ...decision.plan, message: decision.plan.message + secured.warning };
  const { disk } = call.session.ports;
  // Before folders are made that nobody takes away again.
  const stopped = cancelledBy(call);
  if (stopped !== undefined) return refuseWith(subjectOf(site), stopped, current);
  const target =
    current.kind === "file"
      ? found
      : await disk.enter(change.path, "create", change.isEntry === true ? "entry" : "name", plan.access);
  if (isRefusal(target)) return refuseWith(subjectOf(site), target, current);
  try {
    return await commitTo(site, target, { ...decision, plan }, isHeld, mayTryAgain);
  } finally {
    if (target !== found) await target.close();
  }
}

async function commitTo(
  site: Site,
  target: Target,
  { plan, current }: WriteDecision,
  isHeld: () => Promise<boolean>,
  mayTryAgain: boolean,
): Promise<Written | WriteRefusal | "overtaken"> {
  const { call, change, target: found } = site;
  const { session } = call;
  const stopped = cancelledBy(call);
  if (stopped !== undefined) return refuseWith(subjectOf(site), stopped, current);
  const after = plan.bytes === null ? null : await digestOfPlan(site, plan.bytes);
  if (after !== null && typeof after !== "string") return refuseWith(subjectOf(site), after, current);
  const isApart =
    current.kind === "file" ? await isSecretState(session, found, current.sha256) : isStoredAsSecret(found);
  const intent = await session.ports.history.begin({
    ...(await entryOf(site, current, after, isApart)),
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes }),
    ...(change.options.inPlace && plan.bytes !== null && current.kind === "file" ? { inPlace: true } : {}),
    ...(target.madeFolders === undefined ? {} : { folders: target.madeFolders }),
  });
  if (isRefusal(intent)) return refuseWith(subjectOf(site), intent, current);
  // A throw leaves the intent behind: whoever takes the lock next finds out which state the disk is in.
  const { guard, isCancelled } = askLast(call, isHeld);
  const done = await takeStep(target, plan.bytes, current, {
    guard,
    inPlace: change.options.inPlace === true,
    followsOthers: plan.keepsBeginning === true && change.options.base === undefined,
    stageName: intent.stageName,
    access: plan.access,
    keepOpen: session.keepSecrets !== "none" || !isApart,
  });
  watch(site, current, done, after);
  if (done.kind !== "committed") {
    await intent.dropped();
    const moved = found.rootChanged?.();
    if (moved !== undefined) return withoutState(moved);
    if (done.kind !== "changed") return refuseFresh(site, isCancelled() ? cancelled : done);
    const note = await noteStep(session, found, current, done);
    if (mayTryAgain && note === "" && current.kind === "file") return "overtaken";
    const refused = await overtaken(site, { sha256: current.kind === "file" ? current.sha256 : null });
    return withDisplacedNote(refused, note);
  }
  const planned = { plan, before: current, next: stateAfter(plan, after) };
  const step = done.addedTo === undefined ? planned : await stepOnto(site, planned, done.addedTo);
  await intent.done(done, { before: hashOf(step.before), after: hashOf(step.next) });
  if (plan.undoes !== undefined && after === null) await removeMadeFor(site, plan.undoes);
  const note = await noteStep(session, found, current, done);
  return withDisplacedNote(await written(site, target, step), note);
}

/** A step that added to a file, if another program had added to it in the moment before: the change of what stood there then. */
async function stepOnto(
  { call: { session, budget }, target }: Site,
  { plan, before, next }: Step,
  onto: Uint8Array,
): Promise<Step> {
  if (before.kind === "absent" || next.kind === "absent") throw new Error("nothing was added to");
  const { ports } = session;
  const hashed = (bytes: Uint8Array) => takeAll(digestInSteps(ports, bytes), ports);
  const met = { ...before, bytes: onto, sha256: await hashed(onto) };
  await keepReplaced(session, target, met);
  const bytes = joined(onto, next.bytes.subarray(before.bytes.length));
  const message = `${plan.message} Another program had added to the file in the same moment; that stands before it.`;
  const fresh = await takeAll(bytesInSteps(session, met, bytes, { message, budget }), ports);
  const after = { ...next, bytes, sha256: await hashed(bytes) };
  return { plan: { ...fresh, keepsBeginning: true }, before: met, next: after };
}

function hashOf(state: Current | LeftState): string | null {
  return state.kind === "file" ? state.sha256 : null;
}

/** The folders that were made for a write go with it, where nothing else is in them by now. */
async function removeMadeFor({ call: { session }, target }: Site, undone: string): Promise<void> {
  const entries = await session.ports.history.entries(target.realPath);
  const made = entries.find(({ id }) => id === undone)?.folders;
  if (made !== undefined) await removeEmptyFolders(session.ports.disk, made);
}

/** The hash of planned bytes: the last of the work that has to be over in time. */
export function digestOfPlan(
  { call }: Site,
  bytes: Uint8Array,
): string | Refusal<"timeout"> | Promise<string | Refusal<"timeout">> {
  return takeLarge(digestInSteps(call.session.ports, bytes), bytes.length, call.budget);
}

/** The file that lost its name: the old one, or the new one where it was taken away again. */
function watch(
  { call, target: found }: Site,
  current: Current,
  done: Committed | Changed | Refusal,
  after: string | null,
): void {
  if (done.kind === "refusal" || done.replacedFile === undefined) return;
  const content = done.kind === "changed" ? after : current.kind === "file" ? current.sha256 : null;
  if (content === null) done.replacedFile.close();
  else call.session.replacedFiles.watch(found, content, done.replacedFile);
}

/** What a step did. */
export interface Step {
  readonly plan: PlannedWrite;
  readonly before: Current;
  readonly next: LeftState;
  /** For the new name of a file: its old one, whose lines are known under the new one from here on. */
  readonly from?: Site;
}

/** The answer after the step was taken, and what the caller knows from it. */
export async function written(site: Site, target: Target, step: Step): Promise<Written> {
  const { plan, before, next, from } = step;
  const { session } = site.call;
  if (next.kind === "file") {
    const isLonger = plan.keepsBeginning === true && before.kind === "file";
    const shared = isLonger ? await sharedBefore(session, target, before) : undefined;
    await keepState(session, target, next, { other: from?.target ?? plan.copyOf, before: shared });
    if (before.kind === "absent" || from !== undefined) await recordMade(session, target, next.sha256);
  }
  const { encodings } = session;
  const named =
    site.change.options.encoding ??
    (before.kind === "file" ? encodings.get(before.sha256) : before.format?.encoding);
  if (next.kind === "file" && named !== undefined) encodings.set(next.sha256, named);
  // The step was taken: from here on nothing is refused, however long it takes.
  if (isLarge(next)) await learnState(session, next, site.change.options.encoding);
  const replaced = before.kind === "file" ? before.sha256 : null;
  const subject = subjectOf(site);
  const { encoding } = subject;
  // Before the state is handed out, so that whoever is told of it finds its lines.
  const { changes, authored, derived, total } = plan.report;
  const isSecret = await isOfSecret(site, target, step);
  const own = ownWrite(site, plan.madeFor ?? replaced);
  site.call.knowledge.learn({
    kind: "changed",
    file: subject.file,
    before: replaced,
    after: next.kind === "file" ? next.sha256 : null,
    version: 0,
    authored,
    derived,
    // Nothing is known of what became of the lines of a file that is no text.
    ...(total === undefined ? {} : { total, changes }),
    ...(from === undefined ? {} : { from: subjectOf(from).file }),
    ...(encoding === undefined ? {} : { encoding }),
    own,
  });
  return {
    kind: "written",
    success: true,
    code: "applied",
    message: plan.message,
    state: plan.isUnshown === true ? withoutContent(stateOf(subject, next)) : stateOf(subject, next),
    replaced,
    ...(from === undefined ? {} : { movedFrom: from.change.path }),
    ...(isSecret ? { isSecret: true } : {}),
    change: plan.report,
    own,
  };
}

/** Whether what was replaced, or what stands there now, belongs to a secret: by a name or by where it came from. */
async function isOfSecret(
  { call }: Site,
  target: Target,
  { plan, before, next, from }: Step,
): Promise<boolean> {
  if (plan.isUnshown === true || isStoredAsSecret(target)) return true;
  const source = from?.target ?? plan.copyOf;
  if (source !== undefined && isStoredAsSecret(source)) return true;
  for (const state of [before, next])
    if (state.kind === "file" && (await isSecretState(call.session, target, state.sha256))) return true;
  return false;
}

const unkeptSecret = refuseIn(
  "protected_path",
  "The file looks like a secret or came from the name of one, and no state of those is kept here: this could not be undone, so it needs a person's explicit approval[ ({approval})]. Nothing was changed.",
);
const secretReplaced =
  " The file looks like a secret or came from the name of one, and no state of those is kept here: this cannot be undone.";
