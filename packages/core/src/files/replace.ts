import { clip, escapeForDisplay } from "../text/index.js";
import { emptySha256 } from "./base.js";
import type { Change, Plan } from "./change.js";
import type { Current } from "./current.js";
import { planEdits } from "./edit-plan.js";
import { refuse } from "./outcome.js";
import { planWrite } from "./plans.js";
import type { Session } from "./session.js";
import type { EditFileRequest, ReplaceRequest, WriteOutcome } from "./workspace-types.js";

/** Carries one change of the request's file out. */
export type CarryOut = (change: Omit<Change, "path" | "tool">) => Promise<WriteOutcome>;

/**
 * Gemini CLI's `replace` on our core: exact first; the inexact stages only tell where the text would be,
 * unless the host says `match: "flexible"`; then a corrector, if the host gives one.
 */
export async function replaceText(
  session: Session,
  request: ReplaceRequest,
  carryOut: CarryOut,
): Promise<WriteOutcome> {
  if (request.oldString === "") return createFile(session, request, carryOut);
  const outcome = await carryOut(asEdit(session, request));
  const { corrector } = session.models;
  const { state } = outcome;
  const mendable = outcome.code === "not_found" || outcome.code === "occurrence_mismatch";
  // A model that never saw this state must not choose what is replaced in it.
  if (corrector === undefined || !mendable || !outcome.shownBefore) return outcome;
  if (state === null || state.content === null || state.sha256 === null) return outcome;
  const { path, oldString, newString } = request;
  const { content, sha256 } = state;
  const corrected = await corrector({ path, content, oldString, newString, message: outcome.message });
  if (corrected === undefined) return outcome;
  const again = await carryOut(asEdit(session, { ...request, ...corrected, base: sha256 }));
  return { ...again, message: `${again.message}\n${tellCorrection(corrected)}` };
}

/** An empty old text creates; a file that stands there is never replaced by it. */
function createFile(session: Session, request: ReplaceRequest, carryOut: CarryOut): Promise<WriteOutcome> {
  const plan = (current: Current): Plan =>
    current.kind === "absent"
      ? planWrite(session, { path: request.path, content: request.newString }, current)
      : refuse(
          "exists",
          "The file exists, and old_string is empty: that would create it. Read it and name the text to replace.",
        );
  const base = request.base === undefined ? {} : { base: emptySha256 };
  return carryOut({ options: { ...request, ...base }, needsBase: "never", plan });
}

function asEdit(session: Session, request: ReplaceRequest): Omit<Change, "path" | "tool"> {
  const { oldString, newString, expectedReplacements = 1 } = request;
  const edits = [{ oldString, newString, expectedReplacements }];
  const edit: EditFileRequest = { ...request, edits };
  const inexact = session.models.match === "flexible" ? "use" : "hint";
  return {
    options: request,
    needsBase: "edit",
    plan: (current) => planEdits(session, edit, current, inexact),
  };
}

function tellCorrection({
  oldString,
  newString,
}: {
  readonly oldString: string;
  readonly newString: string;
}) {
  const quote = (text: string) => `"${escapeForDisplay(clip(text, 200))}"`;
  return `The edit was corrected before it was made: old_string ${quote(oldString)}, new_string ${quote(newString)}.`;
}
