import type { Plan, PlannedWrite } from "./change.js";
import type { Current } from "./current.js";
import { planPatch } from "./plans.js";
import { refuse } from "./refusal.js";
import type { PatchFileRequest } from "./requests.js";
import type { Session } from "./session.js";
import type { TimeBudget } from "./time-budget.js";

/**
 * A diff on the present text: its line numbers are taken away, so that every hunk must have one place by
 * its lines alone, in its base and in the present text, and nothing but numbers may need repair.
 */
export async function rebasePatch(
  session: Session,
  request: PatchFileRequest,
  then: Current,
  now: Current,
  budget: TimeBudget,
): Promise<Plan> {
  const unnumbered = { ...request, diff: request.diff.replace(/^@@ -\d[\d, +-]*@@/gm, "@@ @@") };
  for (const state of [then, now]) {
    const plan = await planPatch(session, unnumbered, state, budget);
    if (plan.kind !== "write") return plan;
    if (!fitsExactly(plan)) return refuse("invalid_diff", "The diff's lines do not stand there as they are.");
  }
  return planPatch(session, unnumbered, now, budget);
}

function fitsExactly({ report }: PlannedWrite): boolean {
  return report.repairs.every(({ kind }) => harmless.has(kind));
}

/** Repairs of the diff's form, not of its lines. */
const harmless: ReadonlySet<string> = new Set([
  "line_number",
  "line_counts",
  "fence_removed",
  "prose_removed",
  "header_mended",
  "dialect",
  "empty_hunk",
]);
