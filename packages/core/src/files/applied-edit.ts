import { isPlaceholder } from "../patch/index.js";
import { clip, escapeForDisplay, splitLines } from "../text/index.js";
import { withoutState } from "./change.js";
import type { Current } from "./current.js";
import { isRefusal, type Refusal, refuse } from "./outcome.js";
import { planWrite, textOf } from "./plans.js";
import type { CarryOut } from "./replace.js";
import type { Session } from "./session.js";
import type { ApplyEditRequest, WriteOutcome } from "./workspace-types.js";

/**
 * Lets an applier make the whole new text, without a lock, and then writes it on the very state that it was
 * made from, if it leaves nothing out: no omission of the sketch may be left in it, and it may not be much
 * shorter than the old text.
 */
export async function applyByModel(
  session: Session,
  request: ApplyEditRequest,
  carryOut: CarryOut,
): Promise<WriteOutcome> {
  const { applier } = session.models;
  if (applier === undefined)
    return withoutState(
      refuse("invalid_arguments", "This workspace has no applier; use edit_file or safe_patch."),
    );
  const probe = await lookAt(session, request, carryOut);
  if (probe.content === undefined || probe.sha256 === undefined) return probe.outcome;
  const { path, instructions, codeEdit } = request;
  const { content, sha256 } = probe;
  const made = await applier({ path, content, instructions, codeEdit });
  if (made === undefined)
    return { ...probe.outcome, success: false, code: "internal_error", message: applierFailed };
  const plan = (current: Current) =>
    refuseShrunk(session, request, current, made) ??
    author(planWrite(session, { path, content: made }, current));
  return carryOut({ options: { ...request, base: sha256 }, needsBase: "always", plan });
}

interface Probe {
  readonly outcome: WriteOutcome;
  readonly content?: string;
  readonly sha256?: string;
}

/** The state that the sketch is about, under the same checks as a change of it. */
async function lookAt(session: Session, request: ApplyEditRequest, carryOut: CarryOut): Promise<Probe> {
  const outcome = await carryOut({
    options: request,
    needsBase: "edit",
    plan: (current) => {
      if (current.kind === "absent") return refuse("file_missing", "There is no file to edit.");
      const text = textOf(session, request.encoding, current);
      return isRefusal(text) ? text : { kind: "settled", code: "no_change", message: "" };
    },
  });
  const { state } = outcome;
  if (outcome.code !== "no_change" || state === null) return { outcome };
  if (state.content === null || state.sha256 === null) return { outcome };
  return { outcome, content: state.content, sha256: state.sha256 };
}

/** The caller sent a sketch and has not seen what came of it. */
function author<P extends { readonly kind: string }>(plan: P): P {
  return plan.kind === "write" ? { ...plan, author: "change", message: "Edited by the applier." } : plan;
}

function refuseShrunk(
  session: Session,
  request: ApplyEditRequest,
  current: Current,
  made: string,
): Refusal | undefined {
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const left = splitLines(made).contents.find(
    (line) => isPlaceholder(line) && !before.text.includes(line.trim()),
  );
  if (left !== undefined) {
    const quoted = escapeForDisplay(clip(left.trim(), 80));
    return refuse("placeholder", `The applier left something out: "${quoted}". Nothing was written.`);
  }
  const [old, fresh] = [filledLines(before.text), filledLines(made)];
  if (fresh >= old * leastKeptShare || old - fresh < leastLoss) return undefined;
  return refuse(
    "placeholder",
    `The applier's text has ${fresh} lines that are not blank, the file ${old}: it seems to leave out what was to stay. ` +
      "Nothing was written. To take much away, use edit_file, safe_patch or write_file.",
  );
}

function filledLines(text: string): number {
  return splitLines(text).contents.reduce((count, line) => (line.trim() === "" ? count : count + 1), 0);
}

/** A third of the lines may go, and always one. */
const leastKeptShare = 2 / 3;
const leastLoss = 2;
const applierFailed =
  "Internal Error: The applier gave no text for this edit. Nothing was written; use edit_file or safe_patch.";
