import { clip, showText } from "../../text/index.js";
import type { Call } from "../access/call.js";
import type { Change, Plan } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import { emptySha256 } from "../values/base.js";
import type { Unchanged, WriteRefusal } from "../values/outcomes.js";
import { refuseIn } from "../values/refusal.js";
import type { Asked, EditFileRequest, ReplaceRequest } from "../values/requests.js";
import { planEdits } from "./edit-plan.js";
import { planWrite } from "./plans.js";
import { editByLines } from "./rebase-requests.js";

/** Carries one change of the request's file out, or previews it. */
export type CarryOut<Done> = (
  change: Omit<Change, "path" | "tool">,
) => Promise<Done | Unchanged | WriteRefusal>;

/** What carrying out, or previewing, gives where there is something to write. */
export interface DoneChange {
  readonly kind: "written" | "preview";
  readonly message: string;
}

/**
 * Gemini CLI's `replace` on our core: exact first; the inexact stages only tell where the text would be,
 * unless the host says `match: "flexible"`; then a corrector, if the host gives one.
 */
export async function replaceText<Done extends DoneChange>(
  call: Call,
  request: Asked<ReplaceRequest>,
  carryOut: CarryOut<Done>,
): Promise<Done | Unchanged | WriteRefusal> {
  if (request.oldString === "") return createFile(call, request, carryOut);
  const outcome = await carryOut(asEdit(call, request));
  const { corrector } = call.session.models;
  if (outcome.kind !== "refusal") return outcome;
  const { state } = outcome;
  const mendable = outcome.code === "not_found" || outcome.code === "occurrence_mismatch";
  // A model that never saw this state must not choose what is replaced in it.
  if (corrector === undefined || !mendable || !outcome.shownBefore) return outcome;
  if (state === null || state.content === null || state.sha256 === null) return outcome;
  const { path, oldString, newString } = request;
  const { content, sha256 } = state;
  const corrected = await corrector({ path, content, oldString, newString, message: outcome.message });
  if (corrected === undefined) return outcome;
  const again = await carryOut(asEdit(call, { ...request, ...corrected, base: sha256 }));
  return { ...again, message: `${again.message}\n${describeCorrection(corrected)}` };
}

/** An empty old text creates; a file that stands there is never replaced by it. */
function createFile<Done>(
  { session, budget }: Call,
  request: Asked<ReplaceRequest>,
  carryOut: CarryOut<Done>,
): Promise<Done | Unchanged | WriteRefusal> {
  const plan = (current: Current): Plan | Promise<Plan> =>
    current.kind === "absent"
      ? planWrite(session, { path: request.path, content: request.newString }, current, budget)
      : refuseIn(
          "exists",
          "The file exists, and {oldString} is empty: that would create it. Read it and name the text to replace.",
        );
  const base = request.base === undefined ? {} : { base: emptySha256 };
  return carryOut({ options: { ...request, ...base }, needsBase: "never", plan });
}

function asEdit({ session, budget }: Call, request: Asked<ReplaceRequest>): Omit<Change, "path" | "tool"> {
  const { oldString, newString, expectedReplacements = 1 } = request;
  const edits = [{ oldString, newString, expectedReplacements }];
  const edit: Asked<EditFileRequest> = { ...request, edits };
  const inexact = session.models.match === "flexible" ? "use" : "off";
  return {
    options: request,
    needsBase: "edit",
    plan: (current) => planEdits(session, edit, current, budget, inexact),
    lines: editByLines({ session, budget }, edit, inexact),
  };
}

function describeCorrection({
  oldString,
  newString,
}: {
  readonly oldString: string;
  readonly newString: string;
}) {
  const quote = (text: string) => `"${showText(clip(text, 200))}"`;
  return `The edit was corrected before it was made: the old text is ${quote(oldString)}, the new ${quote(newString)}.`;
}
