import type { PlannedWrite, Since } from "../access/change.js";
import { sharePast } from "../access/file-text.js";
import { type Current, type CurrentFile, findState, isLarge, learnState } from "../access/kept-states.js";
import { ownChangesBetween, type Site, subjectOf } from "../access/landing.js";
import { carrySpans } from "../lines/line-spans.js";
import { emptySha256 } from "../values/base.js";
import { comparingReport, rangesOf } from "../values/change-report.js";
import type { FileIdentity } from "../values/disk.js";
import { isSeen } from "../values/knowledge.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import { takeSteps } from "../values/time-budget.js";
import { absentAt } from "./new-file-format.js";
import { textOf } from "./plans.js";

/**
 * The change on the present state, where the host allows it and its lines are certain there (docs/edits.md, on
 * mismatch).
 *
 * @param base the hash of the state that it was made for; not the present one.
 * @returns `state_mismatch` with a sentence that says why not; undefined where it was not to be expected.
 */
export async function rebase(
  site: Site,
  base: string,
  current: CurrentFile,
): Promise<PlannedWrite | Refusal<"state_mismatch"> | undefined> {
  const { change } = site;
  if (change.lines === undefined) return undefined;
  const since = await changesSince(site, base, current);
  if (since === undefined || since.kind === "refusal") return since;
  const then = await stateBehind(site, base, current);
  const planned = then === undefined ? undefined : await change.lines.rebase(then, current, since.changes);
  if (planned?.kind === "write") return { ...showingOthers(planned, since.changes), madeFor: base };
  // Why it does not even fit its base says nothing of the mismatch.
  return planned?.kind === "refusal" && planned.code === "state_mismatch"
    ? refuse("state_mismatch", planned.message)
    : undefined;
}

/** What others changed is news to the caller. */
function showingOthers(planned: PlannedWrite, { by, steps: [changes = []] }: Since): PlannedWrite {
  if (by === "own") return planned;
  const { report } = planned;
  // Where lines were removed, the lines around that place.
  const spans = rangesOf(changes).map(({ from, to }) =>
    to < from ? { from: Math.max(1, to), to: from } : { from, to },
  );
  return { ...planned, report: { ...report, others: carrySpans(spans, report.changes) } };
}

/** What became of the base, as far as the host lets a change be made on it; undefined where it does not. */
async function changesSince(
  site: Site,
  base: string,
  current: CurrentFile,
): Promise<{ readonly kind: "since"; readonly changes: Since } | Refusal<"state_mismatch"> | undefined> {
  const { call } = site;
  const { onMismatch } = call.session.guards;
  if (onMismatch === "refuse") return undefined;
  const way = isSeen(call.knowledge.find(subjectOf(site).file, base))
    ? ownChangesBetween(site, base, current.sha256)
    : undefined;
  if (way?.kind === "lines") return { kind: "since", changes: { by: "own", steps: way.steps } };
  if (onMismatch === "rebase" && current.bytes.length <= mostCompared) {
    const steps = await computedSince(site, base, current);
    return steps === undefined ? undefined : { kind: "since", changes: { by: "any", steps } };
  }
  return way === undefined ? undefined : wholeSince;
}

/** Two states, their texts and the new one are held at once: of 50 MB that was a third more memory than a server has. */
const mostCompared = 16 * 1024 * 1024;

/** The difference of the two texts, as the one step between them. */
async function computedSince(
  site: Site,
  base: string,
  current: CurrentFile,
): Promise<Since["steps"] | undefined> {
  const { session } = site.call;
  const { encoding } = site.change.options;
  const then = await stateBehind(site, base, current);
  if (then === undefined) return undefined;
  const [before, after] = [textOf(session, encoding, then), textOf(session, encoding, current)];
  if (isRefusal(before) || isRefusal(after)) return undefined;
  const report = await takeSteps(comparingReport(before.text, after.text), site.call.budget);
  return "kind" in report ? undefined : [report.changes];
}

/**
 * A state of the file that is kept, to plan a change on; no file for the hash of no content. A large one is read once a
 * call, and shares its text with the present one.
 *
 * @param current the present state, whose text was decoded.
 * @returns undefined, too, where the time is up before its text is known.
 */
export async function stateBehind(
  site: Site,
  sha256: string,
  current: Current,
): Promise<Current | undefined> {
  if (sha256 === emptySha256) return absentAt(site);
  const known = lastBehind.get(site);
  if (known?.sha256 === sha256) return known;
  const kept = await findState(site.call.session, site.target, sha256);
  if (kept === undefined) return undefined;
  const state: CurrentFile = { kind: "file", bytes: kept.bytes, sha256, identity: noIdentity };
  if (!isLarge(state)) return state;
  const learned = await learnBehind(site, state, current);
  if (learned !== undefined) lastBehind.set(site, learned);
  return learned;
}

async function learnBehind(
  { call, change }: Site,
  state: CurrentFile,
  current: Current,
): Promise<CurrentFile | undefined> {
  const { session, budget } = call;
  const { encoding } = change.options;
  if (encoding !== undefined || !isLarge(current)) {
    const late = await learnState(session, state, encoding, budget);
    return late === undefined ? state : undefined;
  }
  const late = await budget.pause();
  if (late !== undefined) return undefined;
  return { ...state, bytes: sharePast(state.bytes, current.bytes) };
}

/** Of each call the last large state that it asked for: it is asked for again where the change is made anew. */
const lastBehind = new WeakMap<Site, CurrentFile>();

const wholeSince = refuse(
  "state_mismatch",
  "It was not made on the present state: since your base the file was written as a whole, moved, or brought back to an earlier state.",
);

/** For a state on which a change is only planned, never written. */
export const noIdentity: FileIdentity = {
  device: 0n,
  inode: 0n,
  size: 0n,
  mtimeNs: 0n,
  ctimeNs: 0n,
  isFirm: false,
};
