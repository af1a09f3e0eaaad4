import { omissionIn } from "../../patch/index.js";
import { clip, showText, splitLines } from "../../text/index.js";
import type { Call } from "../access/call.js";
import { type Plan, withoutState } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import type { Unchanged, WriteRefusal } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { ApplyEditRequest, Asked } from "../values/requests.js";
import { planWrite, textOf } from "./plans.js";
import type { CarryOut } from "./replace.js";

/**
 * Lets an applier make the whole new text, without a lock, and then writes it on the very state that it was
 * made from, if it leaves nothing out: no omission of the sketch may be left in it, and it may not be much
 * shorter than the old text.
 */
export async function applyByModel<Done>(
  { session, budget }: Call,
  request: Asked<ApplyEditRequest>,
  carryOut: CarryOut<Done>,
): Promise<Done | Unchanged | WriteRefusal> {
  const { applier } = session.models;
  if (applier === undefined)
    return withoutState(
      refuseIn("invalid_arguments", "This workspace has no applier[; use {edit,patch:or}]."),
    );
  const probe = await lookAt(session, request, carryOut);
  if (probe.kind === "answered") return probe.outcome;
  const { path, instructions, codeEdit } = request;
  const { content, sha256 } = probe;
  const made = await applier({ path, content, instructions, codeEdit });
  if (made === undefined)
    return { ...probe.looked, ...refuseIn("internal_error", applierFailed), success: false };
  const plan = async (current: Current) =>
    refuseShrunk(session, request, current, made) ??
    sketched(await planWrite(session, { path, content: made }, current, budget));
  return carryOut({ options: { ...request, base: sha256 }, needsBase: "always", plan });
}

type Probe<Done> =
  | { readonly kind: "answered"; readonly outcome: Done | Unchanged | WriteRefusal }
  | {
      readonly kind: "looked";
      readonly looked: Unchanged;
      readonly content: string;
      readonly sha256: string;
    };

/** The state that the sketch is about, under the same checks as a change of it. */
async function lookAt<Done>(
  session: Session,
  request: Asked<ApplyEditRequest>,
  carryOut: CarryOut<Done>,
): Promise<Probe<Done>> {
  let isPlanned = false;
  const outcome = await carryOut({
    options: request,
    needsBase: "edit",
    plan: (current) => {
      if (current.kind === "absent") return refuse("file_missing", "There is no file to edit.");
      const text = textOf(session, request.encoding, current);
      if (isRefusal(text)) return text;
      isPlanned = true;
      return { kind: "unchanged", code: "no_change", message: "" };
    },
  });
  if (!isPlanned || !isUnchanged(outcome)) return { kind: "answered", outcome };
  const { content, sha256 } = outcome.state;
  if (content === null || sha256 === null) {
    const refused = { ...refuseIn("not_read", notRead), success: false, shownBefore: false } as const;
    return { kind: "answered", outcome: { ...refused, state: outcome.state } };
  }
  return { kind: "looked", looked: outcome, content, sha256 };
}

function isUnchanged<Done>(outcome: Done | Unchanged | WriteRefusal): outcome is Unchanged {
  return typeof outcome === "object" && outcome !== null && "code" in outcome && outcome.code === "no_change";
}

/** The caller sent a sketch and has not seen what came of it. */
function sketched(plan: Plan): Plan {
  if (plan.kind !== "write") return plan;
  const { literal: _, ...rest } = plan.report;
  const report = { ...rest, sentWhole: false, authored: [], derived: false };
  return { ...plan, report, message: "Edited by the applier." };
}

function refuseShrunk(
  session: Session,
  request: Asked<ApplyEditRequest>,
  current: Current,
  made: string,
): Refusal | undefined {
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const left = omissionIn(before.text, made);
  if (left !== undefined) {
    const quoted = showText(clip(left, 80));
    return refuse("placeholder", `The applier left something out: "${quoted}". Nothing was written.`);
  }
  const [old, fresh] = [filledLines(before.text), filledLines(made)];
  if (fresh >= old * leastKeptShare || old - fresh < leastLoss) return undefined;
  return refuseIn(
    "placeholder",
    "The applier's text has $fresh lines that are not blank, the file $old: it seems to leave out what was to stay. " +
      "Nothing was written.[ To take much away, use {edit,patch,write:or}.]",
    { fresh, old },
  );
}

function filledLines(text: string): number {
  const { contents } = splitLines(text);
  return contents.reduce((count, line) => (line.trim() === "" ? count : count + 1), 0);
}

/** A third of the lines may go, and always one. */
const leastKeptShare = 2 / 3;
const leastLoss = 2;
const notRead =
  "The file may hold secrets, and this session has not read it: [read it with {read}|it has to be read], then repeat the call. Nothing was written.";
const applierFailed =
  "Internal Error: The applier gave no text for this edit. Nothing was written[; use {edit,patch:or}].";
