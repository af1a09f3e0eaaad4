import { escapeForDisplay, formChange, sameBytes } from "../../text/index.js";
import { answer, maySee, refuseWith, type Subject, unchanged, withoutContent } from "../access/answers.js";
import { cancelledBy, isMadeAlready } from "../access/call.js";
import { type Change, type Plan, type PlannedWrite, withoutState } from "../access/change.js";
import {
  type Current,
  type CurrentFile,
  isLarge,
  keepReplaced,
  keepState,
  learnState,
  readCurrent,
  refuseProtected,
} from "../access/kept-states.js";
import { doneBefore, ownChangesBetween, recordRead, type Site, subjectOf } from "../access/landing.js";
import { excludedByOwner } from "../ignore/ignore-rules.js";
import { judgeName } from "../reading/near-names.js";
import { type Base, currentBase, emptySha256, resolveBase, shownBase } from "../values/base.js";
import { isSeen, latestSeen } from "../values/knowledge.js";
import type { Unchanged, WriteRefusal } from "../values/outcomes.js";
import { outsideFolder } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { ruleWithoutBase } from "./guard-rules.js";
import { explainMismatch, type MismatchFacts } from "./mismatch.js";
import { absentAt } from "./new-file-format.js";
import { rebase, stateBehind } from "./newer-state.js";
import { modeUnseen } from "./plans.js";
import { findUnseen, findUnshown, formatNote } from "./unseen.js";

/** A change on the present state: a write, or the answer if there is nothing to write. */
export type Decision = WriteDecision | AnswerDecision;

/** Nothing is to be written. */
interface AnswerDecision {
  readonly kind: "answer";
  readonly outcome: Unchanged | WriteRefusal;
  /** The change was made before: what it came to then. Of the source of a copy: the copy. */
  readonly repeats?: PlannedWrite;
}

/** The change fits: this plan is to be carried out on exactly the state in `current`. */
export interface WriteDecision {
  readonly kind: "write";
  readonly plan: PlannedWrite;
  readonly current: Current;
}

/** Everything but the write: looks, holds the base against the disk, asks the guards, plans. */
export async function decide(site: Site): Promise<Decision> {
  const { call, change, target } = site;
  const refused = (refusal: Refusal, current: Current) =>
    answered(refuseWith(subjectOf(site), refusal, current));
  const { session } = call;
  const barred =
    cancelledBy(call) ??
    (await excludedByOwner(session.ports.disk, target)) ??
    outsideFolder(target.relativePath, change.options.within);
  if (barred !== undefined) return answered(withoutState(barred));
  const { encoding } = change.options;
  const found = await readCurrent(target, session, session.limits.changeBytes, call.budget);
  if (isRefusal(found)) return answered(withoutState(found));
  const current = found.kind === "absent" ? await absentAt(site) : found;
  const late = isLarge(current) ? await learnState(session, current, encoding, call.budget) : undefined;
  if (late !== undefined) return refused(late, current);
  const barrier = change.isSource === true ? undefined : await refuseProtected(session, target, change.path);
  const guarded = barrier ?? cancelledBy(call) ?? refuseKind(change, current);
  if (guarded !== undefined) return refused(guarded, current);
  const disk = current.kind === "file" ? current.sha256 : null;
  if (isMadeAlready(call, disk)) return answered(unchanged(subjectOf(site), undelivered, current));
  const base = await baseAgainst(site, current);
  if (isRefusal(base)) return refused(base, current);
  switch (base.kind) {
    case "none":
      return withoutBase(site, current);
    case "current":
      return plan(site, current);
    case "matches":
      return plan(
        site,
        current,
        call.isByPerson ? {} : { isSeen: change.needsBase !== "never", isWhole: true },
      );
    case "stale":
    case "unknown":
      return onMismatch(site, base, current);
    default:
      return base satisfies never;
  }
}

/** A diff of git names the kind of each entry: another kind is not what it was made for. */
function refuseKind({ path, isLink }: Change, current: Current): Refusal | undefined {
  const isOther = current.kind === "file" && isLink !== undefined && isLink !== (current.isLink === true);
  if (!isOther) return undefined;
  const [meant, found, way] = isLink
    ? ["symbolic link (mode 120000)", "regular file", "write it for the file"]
    : ["regular file", "symbolic link", "write it for the file that the link leads to, by its own name"];
  const message = `Invalid Diff: It is about a ${meant}, and ${escapeForDisplay(path)} is a ${found}. Nothing was changed. Leave that part out, or ${way}.`;
  return refuse("invalid_diff", message);
}

/** A refusal with the state that is there now. */
export async function refuseFresh(site: Site, refusal: Refusal): Promise<WriteRefusal> {
  const now = await readNow(site);
  return isRefusal(now) ? withoutState(refusal) : refuseWith(subjectOf(site), refusal, now);
}

/**
 * Another program wrote after the look on which the change was planned. Its bytes were not touched.
 *
 * @param before the hash of that state; `null` where there was no file.
 */
export async function overtaken(
  site: Site,
  before: { readonly sha256: string | null },
): Promise<WriteRefusal> {
  const { session } = site.call;
  const now = await readNow(site);
  if (isRefusal(now)) return withoutState(now);
  if (now.kind === "absent") return refuseWith(subjectOf(site), refuseIn("file_missing", goneMessage), now);
  if (!namesBase(site, before.sha256)) return refuseSaved(site, now);
  const sha256 = before.sha256 ?? emptySha256;
  const history = await session.ports.history.entries(site.target.realPath);
  return refuseMismatch(site, "state_mismatch", { kind: "stale", sha256 }, now, { history });
}

/** The state after a step that was not taken: what is said of it takes as long as it takes. */
async function readNow({ call, change, target }: Site): Promise<Current | Refusal> {
  const { session } = call;
  const now = await readCurrent(target, session, session.limits.changeBytes);
  if (!isRefusal(now) && isLarge(now)) await learnState(session, now, change.options.encoding);
  return now;
}

/** Whether the call was made against a state: the one that it names, or for an edit without one the one it was shown. */
function namesBase({ call, change, target }: Site, before: string | null): boolean {
  const { base } = change.options;
  if (base !== undefined) return base !== currentBase;
  if (change.needsBase !== "edit" || before === null) return false;
  return isSeen(call.knowledge.find({ path: change.path, realPath: target.realPath }, before));
}

/** The same for a call that was made against no state: it is to be made again, and who needs no file is shown none. */
function refuseSaved(site: Site, now: CurrentFile): WriteRefusal {
  const refused = refuseWith(subjectOf(site), refuse("state_mismatch", savedMessage), now);
  if (site.change.needsBase !== "never" || refused.state === null) return refused;
  return { ...refused, state: withoutContent(refused.state) };
}

/** Looks in the past of a file only for a base that is not the disk, since the past grows with every write. */
async function baseAgainst(site: Site, current: Current): Promise<Base | Refusal> {
  const { base: asked } = site.change.options;
  const disk = current.kind === "file" ? current.sha256 : null;
  const named = asked === shownBase ? shownTo(site) : asked;
  const given = await ofLink(site, current, named);
  const base = resolveBase(given, disk, () => []);
  return base.kind === "stale" || base.kind === "unknown"
    ? resolveBase(given, disk, (await site.past()).known)
    : base;
}

/** A link may be named by the state of the file that it leads to, which is what a read of the link shows. */
async function ofLink<Given>(site: Site, current: Current, given: Given): Promise<Given | string> {
  if (current.kind === "absent" || current.isLink !== true || typeof given !== "string") return given;
  const { ports, limits } = site.call.session;
  const target = await ports.disk.enter(site.change.path, "refuse");
  if (isRefusal(target)) return given;
  try {
    const file = await readCurrent(target, site.call.session, limits.changeBytes);
    return file.kind === "file" && file.sha256 === given.toLowerCase() ? current.sha256 : given;
  } finally {
    await target.close();
  }
}

/** What `shownBase` means to this caller. */
function shownTo(site: Site): string | typeof currentBase {
  const { call, file } = subjectOf(site);
  return latestSeen(call.knowledge, file)?.sha256 ?? currentBase;
}

/** On what terms a change is planned. */
interface Terms {
  /** The lines that it touches must have been shown, where the host asks for that. */
  readonly isSeen?: boolean;
  /** A replacement of the whole needs that the whole was shown. */
  readonly isWhole?: boolean;
  /** A sentence for the end of the message. */
  readonly warning?: string;
  /** Where it does not fit, it may be the last write once more. */
  readonly isRepeatable?: boolean;
}

async function plan(site: Site, current: Current, terms: Terms = {}): Promise<Decision> {
  const planned = await site.change.plan(current, site.past);
  const healed = await withStatesHealed(site, planned, current);
  if (healed.kind === "refusal" && terms.isRepeatable === true && (await wasLast(site, current)))
    return answered(unchanged(subjectOf(site), repeated, current));
  const judged = judge(site, healed, current, terms);
  if (judged.kind !== "write") return judged;
  const name = await judgeName(site, judged.plan, current);
  if (typeof name !== "string") return answered(refuseWith(subjectOf(site), name, current));
  const note = await formatNote(site.call.session, site.target.relativePath, current, judged.plan);
  const { report, text = report.beforeText ?? "", isUnshown } = judged.plan;
  const form = isUnshown === true ? "" : formChange(report.beforeText ?? "", text);
  return write(judged.plan, current, name + note + form);
}

/** Earlier states may be kept as beginnings of a state that is damaged in the store but whole on the disk. */
async function withStatesHealed(site: Site, planned: Plan, current: Current): Promise<Plan> {
  if (planned.kind !== "refusal" || planned.code !== "bytes_gone" || current.kind === "absent")
    return planned;
  const kept = await keepReplaced(site.call.session, site.target, current);
  return isRefusal(kept) || !kept.wayBack ? planned : site.change.plan(current, site.past);
}

/** Holds a plan against what the caller was shown. */
function judge(site: Site, planned: Plan, current: Current, terms: Terms): Decision {
  const subject = subjectOf(site);
  if (planned.kind === "unchanged" && planned.copies !== undefined)
    return { ...answered(answer(subject, planned, current)), repeats: planned.copies };
  if (planned.kind !== "write") return answered(answer(subject, planned, current));
  const isWhole = site.change.replacesWhole === true && terms.isWhole === true;
  const unseen =
    (isWhole ? findUnshown(subject, current) : undefined) ??
    (terms.isSeen === true ? findUnseen(subject, planned, current, site.change.needsShown) : undefined);
  if (unseen === undefined)
    return write(isShown(subject, planned, current) ? planned : unshown(planned), current, terms.warning);
  const { refusal, quoted } = unseen;
  const refused = refuseWith(subject, refusal, current);
  return answered(quoted === undefined || !maySee(subject, current) ? refused : { ...refused, quoted });
}

/** A caller that sent all of the new text itself is shown nothing by it. */
function isShown(subject: Subject, { report }: PlannedWrite, current: Current): boolean {
  return (report.sentWhole && subject.call.isByPerson !== true) || maySee(subject, current);
}

/** A write whose answer quotes nothing of the file. */
function unshown({ plainMessage, ...planned }: PlannedWrite): PlannedWrite {
  const repairs = planned.report.repairs.map((repair) => ({ ...repair, detail: "" }));
  const report = { ...planned.report, repairs };
  return { ...planned, message: plainMessage ?? planned.message, report, isUnshown: true };
}

function answered(outcome: Unchanged | WriteRefusal): AnswerDecision {
  return { kind: "answer", outcome };
}

function write(planned: PlannedWrite, current: Current, warning = ""): WriteDecision {
  return { kind: "write", plan: { ...planned, message: planned.message + warning }, current };
}

/** Without a base the guards decide (guards.ts); a fulfilled request writes nothing. */
async function withoutBase(site: Site, current: Current): Promise<Decision> {
  const meant = await baseOfAnswer(site, current);
  if (meant !== undefined) return onMismatch(site, { kind: "stale", sha256: meant }, current);
  const ruling = ruleWithoutBase(site, current);
  const isRepeatable = site.change.needsBase === "edit";
  if (ruling.kind === "allowed") return plan(site, current, { ...ruling, isRepeatable });
  if (current.kind === "file" && (await isFulfilled(site, current)))
    return answered(unchanged(subjectOf(site), repeated, current));
  if (ruling.kind === "refusal") return answered(refuseWith(subjectOf(site), ruling, current));
  return onMismatch(site, { kind: "stale", sha256: ruling.sha256 }, current);
}

/**
 * The state that an edit without a hash was written against, where earlier calls of the same answer made another of
 * it: the one that was shown before the answer. An edit that does not fit that one was written against what those
 * calls were to make.
 */
async function baseOfAnswer(site: Site, current: Current): Promise<string | undefined> {
  const { call, change } = site;
  if (change.needsBase !== "edit" || change.lines === undefined || current.kind === "absent")
    return undefined;
  if (call.session.guards.onMismatch === "refuse" || change.options.atomic === true) return undefined;
  const shown = call.knowledge.shownBeforeAnswer?.(subjectOf(site).file);
  if (shown === undefined || shown === current.sha256) return undefined;
  if (ownChangesBetween(site, shown, current.sha256) === undefined) return undefined;
  const then = await stateBehind(site, shown, current);
  const planned = then === undefined ? undefined : await change.plan(then, site.past);
  return planned?.kind === "write" ? shown : undefined;
}

/** A whole new content that is there already. */
async function isFulfilled({ change, past }: Site, current: Current): Promise<boolean> {
  return change.needsBase === "over_files" && (await change.plan(current, past)).kind === "unchanged";
}

/** Whether this request was the last write: its answer was lost, and it was sent again. */
async function wasLast(site: Site, current: Current): Promise<boolean> {
  const last = (await site.past()).history.at(-1);
  if (last === undefined || last.session !== site.call.session.id || last.before === null) return false;
  if (current.kind !== "file" || last.after !== current.sha256) return false;
  return (await repeatedPlan(site, { kind: "stale", sha256: last.before }, current)) !== undefined;
}

async function onMismatch(site: Site, base: Base, current: Current): Promise<Decision> {
  const { wasMade } = site.change;
  if (base.kind === "stale" && wasMade?.(base.sha256, current, await site.past()) === true)
    return answered(unchanged(subjectOf(site), repeated, current));
  const repeats = await repeatedPlan(site, base, current);
  if (repeats !== undefined) {
    const unseen = repeats.access === "executable" || repeats.executable !== undefined ? modeUnseen : "";
    const plan = { ...repeated, message: repeated.message + unseen };
    return { ...answered(unchanged(subjectOf(site), plan, current)), repeats };
  }
  if (current.kind === "absent") {
    const message = base.kind === "stale" ? goneMessage : neverMessage;
    return answered(refuseWith(subjectOf(site), refuseIn("file_missing", message), current));
  }
  const done = base.kind === "stale" ? doneBefore(site, base.sha256, current.sha256) : undefined;
  if (done === "stands") return answered(unchanged(subjectOf(site), stillThere, current));
  const rebased =
    done === "gone" ? notTwice : base.kind === "stale" ? await rebase(site, base.sha256, current) : undefined;
  if (rebased?.kind === "write") return judge(site, rebased, current, { isSeen: true });
  const { history } = await site.past();
  if (base.kind !== "stale")
    return answered(await refuseMismatch(site, "unknown_base", base, current, { history }));
  return answered(
    await refuseMismatch(site, "state_mismatch", base, current, { history, reason: rebased?.message }),
  );
}

async function refuseMismatch(
  site: Site,
  code: "state_mismatch" | "unknown_base",
  base: Base,
  current: CurrentFile,
  facts: MismatchFacts,
): Promise<WriteRefusal> {
  const { session } = site.call;
  // What the answer shows can be brought back, as what a read shows.
  await keepState(session, site.target, current);
  await recordRead(session, site.target, current);
  const explained = await explainMismatch(subjectOf(site), base, current, facts);
  return { ...explained, ...refuseWith(subjectOf(site), refuse(code, explained.message), current) };
}

/**
 * The plan of the same request on its known base, if it gives exactly what is on disk: a call whose answer
 * was lost.
 */
async function repeatedPlan(site: Site, base: Base, current: Current): Promise<PlannedWrite | undefined> {
  const { change, past } = site;
  if (base.kind !== "stale" || change.wasMade !== undefined) return undefined;
  const then = await stateBehind(site, base.sha256, current);
  if (then === undefined) return undefined;
  const planned = await change.plan(then, past);
  if (planned.kind !== "write") return undefined;
  const { bytes } = planned;
  const isSame =
    bytes === null || current.kind === "absent"
      ? bytes === null && current.kind === "absent"
      : sameBytes(bytes, current.bytes);
  return isSame ? planned : undefined;
}

const repeated = {
  kind: "unchanged",
  code: "already_applied",
  message: "Already applied: the file is already as this request asks. Nothing was written.",
} as const;
const undelivered = {
  kind: "unchanged",
  code: "already_applied",
  message:
    "Already applied: this call was carried out before, and its answer was not delivered. Nothing was written again; to do the same once more, repeat the call.",
} as const;
const stillThere = {
  kind: "unchanged",
  code: "already_applied",
  message:
    "Already applied: this very call was carried out before from this base, and what it did still stands. Nothing was written.",
} as const;
const notTwice = refuse(
  "state_mismatch",
  "This very call was carried out before from this base, and what it did was changed since: it is not made a second time.",
);
const savedMessage =
  "State Mismatch: File has changed on disk since it was last read. Another program saved it while this call was carried out, so nothing was written; the call names no base, so it can be repeated as it is.";
const neverMessage =
  "There is no file of this name, and the base hash is not known of any earlier state of it. To create the file, write it without a hash, or patch it with the SHA-256 of no content.";
const goneMessage =
  "[{?base}The file that the base hash names is gone|The file is gone]: somebody deleted or moved it. Nothing was written.";
