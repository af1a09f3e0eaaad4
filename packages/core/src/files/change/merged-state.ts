import { enterNamed } from "../access/call.js";
import {
  type CurrentFile,
  digestOf,
  findState,
  isLarge,
  isSecretState,
  keepBytes,
  readCurrent,
} from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { comparingReport } from "../values/change-report.js";
import type { Target } from "../values/disk.js";
import type { MergeAsked } from "../values/outcomes.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal } from "../values/refusal.js";
import { finishSteps, TimeBudget } from "../values/time-budget.js";
import { noIdentity } from "./newer-state.js";
import { textOf } from "./plans.js";
import { moveChange } from "./rebase.js";

/**
 * Takes a change back in the lines that it made, where others changed other lines of the file since. The state that
 * results is kept, as every state is, so that the file can be brought into it; the file itself stays as it is.
 *
 * @returns the hash of that state; null where both touched a line, a state is not kept or no text, or the file is
 *   large or may hold secrets.
 */
export async function mergedState(session: Session, asked: MergeAsked): Promise<string | null> {
  const tidy = tidyPath(asked.path);
  const target = isRefusal(tidy) ? tidy : await enterNamed(session, tidy.path);
  if (isRefusal(target)) return null;
  try {
    return await mergedAt(session, target, asked);
  } finally {
    await target.close();
  }
}

async function mergedAt(
  session: Session,
  target: Target,
  { left, wanted, present }: MergeAsked,
): Promise<string | null> {
  const budget = new TimeBudget(session.ports, session.limits.patchMs);
  const now = await readCurrent(target, session, session.limits.changeBytes, budget);
  if (isRefusal(now) || now.kind !== "file" || now.sha256 !== present || now.isLink === true || isLarge(now))
    return null;
  if (await isSecretState(session, target, present)) return null;
  const [then, back] = [await keptFile(session, target, left), await keptFile(session, target, wanted)];
  if (then === undefined || back === undefined) return null;
  const [thenText, backText, nowText] = [then, back, now].map((state) => textOf(session, undefined, state));
  if (thenText === undefined || backText === undefined || nowText === undefined) return null;
  if (isRefusal(thenText) || isRefusal(backText) || isRefusal(nowText)) return null;
  const report = await finishSteps(comparingReport(thenText.text, backText.text), budget);
  const { changes } = await finishSteps(comparingReport(thenText.text, nowText.text), budget);
  const planned = { kind: "write", bytes: back.bytes, text: backText.text, message: "", report } as const;
  const since = { by: "any", steps: [changes] } as const;
  const plan = await moveChange({
    session,
    budget,
    encoding: undefined,
    then,
    now,
    since,
    planned,
    named: [],
  });
  if (plan.kind !== "write" || plan.bytes === null) return null;
  const sha256 = digestOf(session.ports, plan.bytes);
  const kept = await keepBytes(session, target, { sha256, bytes: plan.bytes });
  return kept === "kept" ? sha256 : null;
}

async function keptFile(session: Session, target: Target, sha256: string): Promise<CurrentFile | undefined> {
  const kept = await findState(session, target, sha256);
  if (kept === undefined || kept.isApart) return undefined;
  const state: CurrentFile = { kind: "file", bytes: kept.bytes, sha256, identity: noIdentity };
  return isLarge(state) ? undefined : state;
}
