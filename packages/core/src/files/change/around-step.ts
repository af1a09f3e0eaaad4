import { stateOf, withoutContent } from "../access/answers.js";
import type { PlannedWrite } from "../access/change.js";
import {
  type Current,
  digestOf,
  isLarge,
  isSecretState,
  isStoredAsSecret,
  keepReplaced,
  keepState,
  type LeftState,
  learnState,
  type StatePlace,
  sharedBefore,
} from "../access/kept-states.js";
import { ownWrite, recordMade, type Site, subjectOf } from "../access/landing.js";
import { joined } from "../reading/line-stream.js";
import type { Target } from "../values/disk.js";
import type { Written } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { finishSteps, TimeBudget } from "../values/time-budget.js";
import type { WriteDecision } from "./decide.js";
import { removeEmptyFolders } from "./empty-folders.js";
import { stepsOfPast } from "./plans.js";

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

/** A step that added to a file, if another program had added to it in the moment before: the change of what stood there then. */
export async function stepOnto(
  { call: { session, budget }, target }: Site,
  { plan, before, next }: Step,
  onto: Uint8Array,
): Promise<Step> {
  if (before.kind === "absent" || next.kind === "absent") throw new Error("nothing was added to");
  const { ports } = session;
  const met = { ...before, bytes: onto, sha256: digestOf(ports, onto) };
  await keepReplaced(session, target, met);
  const bytes = joined(onto, next.bytes.subarray(before.bytes.length));
  const message = `${plan.message} Another program had added to the file in the same moment; that stands before it.`;
  const fresh = await finishSteps(
    stepsOfPast(session, met, bytes, { message, budget }),
    new TimeBudget(ports),
  );
  const after = { ...next, bytes, sha256: digestOf(ports, bytes) };
  return { plan: { ...fresh, keepsBeginning: true }, before: met, next: after };
}

/** The folders that were made for a write go with it, where nothing else is in them by now. */
export async function removeMadeFor({ call: { session }, target }: Site, undone: string): Promise<void> {
  const entries = await session.ports.history.entries(target.realPath);
  const made = entries.find(({ id, changeSet }) => undone === (changeSet ?? id))?.folders;
  if (made !== undefined) await removeEmptyFolders(session.ports.disk, made);
}

/** The hash of planned bytes: the last of the work that has to be over in time. */
export async function digestOfPlan({ call }: Site, bytes: Uint8Array): Promise<string | Refusal<"timeout">> {
  return (await call.budget.pause(bytes.length)) ?? digestOf(call.session.ports, bytes);
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
