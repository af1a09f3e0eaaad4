import type { Preview, RunScope } from "../../files/index.js";
import type { Knowledge } from "../../files/seen/index.js";
import {
  type ChangeOutcome,
  type ChangeReport,
  type ChangeRequest,
  displacedNoteOf,
  hasTrait,
  isRefusal,
  refuse,
  type WriteFileRequest,
  type WriteOutcome,
  withDisplacedNote,
} from "../../files/values/index.js";
import { defined } from "../../text/index.js";
import type { ToolWorkspace } from "./tool.js";

/** What a person is asked: this request, and what it comes to now. */
export interface Question {
  readonly request: ChangeRequest;
  readonly preview: Preview;
}

/** What a person says. A text that the person edited is a new request: authored by nobody the model is. */
export type Approval =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message?: string }
  /** `said`: a sentence for the model on how it differs. */
  | { readonly kind: "instead"; readonly request: ChangeRequest; readonly said?: string };

/** Asks a person before a change. Must not throw; nothing is held while it waits. */
export type Approve = (question: Question) => Promise<Approval>;

/**
 * Carries a change out that a person agrees to, bound to what was shown: what would be refused, or changes
 * nothing, asks nothing; what comes to something else by the time of the answer is asked again.
 */
export async function carryApproved(
  workspace: ToolWorkspace,
  request: ChangeRequest,
  scope: RunScope,
  approve: Approve,
): Promise<ChangeOutcome> {
  // What a dropped outcome tells of other programs' writes is told once: the one that is shown tells it.
  let note = "";
  for (let asked = 0; asked < mostQuestions; asked++) {
    const outcome = await askOnce(workspace, request, scope, approve);
    if (outcome.kind !== "overtaken") return withDisplacedNote(outcome, note);
    note += displacedNoteOf(outcome.by);
  }
  // No write is what was agreed to: it is refused as such, with the state that is there.
  return withDisplacedNote(await workspace.run(request, { ...scope, agreed: [] }), note);
}

/** Another plan, or another state beneath it: what it comes to now is asked, or refused for itself. */
interface Overtaken {
  readonly kind: "overtaken";
  readonly by: ChangeOutcome;
}

async function askOnce(
  workspace: ToolWorkspace,
  request: ChangeRequest,
  scope: RunScope,
  approve: Approve,
): Promise<ChangeOutcome | Overtaken> {
  const preview = await workspace.preview(request, scope);
  if (preview.kind !== "preview") {
    // What would change nothing now may come to a change by then: that is asked about, too.
    const outcome = await workspace.run(request, { ...scope, agreed: [] });
    return isRefusal(outcome) && outcome.code === "not_agreed" ? { kind: "overtaken", by: outcome } : outcome;
  }
  const approval = await approve({ request, preview });
  switch (approval.kind) {
    case "no":
      return denied(request, approval.message);
    case "instead": {
      const meant = inPlaceOf(request, approval.request);
      const outcome = byPerson(await runBound(workspace, meant, scopeOfPerson(scope), preview));
      if (outcome.kind === "unchanged") return denied(request, "A person left the file as it was.");
      return withWords(outcome, approval.said);
    }
    case "yes": {
      const agreed = preview.files.map((file) => file.agreed);
      const outcome = await workspace.run(request, { ...scope, agreed });
      const isOvertaken = isRefusal(outcome) && hasTrait(outcome.code, "overtaken");
      return isOvertaken ? { kind: "overtaken", by: outcome } : outcome;
    }
    default:
      return approval satisfies never;
  }
}

/** A file that moves again and again is not asked about for ever. */
const mostQuestions = 3;

/** Carries out what a person asks for instead, where the files are still those that the person was shown. */
async function runBound(
  workspace: ToolWorkspace,
  meant: ChangeRequest,
  scope: RunScope,
  { files }: Preview,
): Promise<ChangeOutcome> {
  const planned = await workspace.preview(meant, scope);
  const shown = new Map(files.map(({ path, agreed }) => [path, agreed]));
  const agreed = (planned.kind === "preview" ? planned.files : []).map((file) => {
    const { realPath, before } = shown.get(file.path) ?? file.agreed;
    return { ...file.agreed, realPath, before };
  });
  return workspace.run(meant, { ...scope, agreed });
}

/** The text of a person, written in the way in which the request would write the file. */
function inPlaceOf(request: ChangeRequest, text: ChangeRequest): ChangeRequest {
  const one: Partial<Pick<WriteFileRequest, "path" | "encoding" | "within" | "inPlace">> =
    request.kind === "apply_changes" && "changes" in request ? (request.changes[0] ?? {}) : request;
  const { encoding, within, inPlace } = one;
  return text.kind === "write" ? { ...defined({ encoding, within, inPlace }), ...text } : text;
}

/** The model learns of a text that a person wrote what its answer shows, and no more. */
function scopeOfPerson(given: RunScope): RunScope {
  const scope = { ...given, isByPerson: true };
  const { knowledge } = scope;
  if (knowledge === undefined) return scope;
  const told: Knowledge = {
    find: (file, sha256) => knowledge.find(file, sha256),
    latest: (file) => knowledge.latest(file),
    states: (file) => knowledge.states(file),
    ownChanges: (file) => knowledge.ownChanges?.(file) ?? [],
    learn: (event) =>
      knowledge.learn(event.kind === "changed" ? { ...event, authored: [], derived: false } : event),
  };
  return { ...scope, knowledge: told };
}

function withWords(outcome: ChangeOutcome, said: string | undefined): ChangeOutcome {
  if (said === undefined || isRefusal(outcome)) return outcome;
  return { ...outcome, message: `${outcome.message} ${said}` };
}

function byPerson(outcome: ChangeOutcome): ChangeOutcome {
  if (outcome.kind === "written") return oneByPerson(outcome);
  if (outcome.kind !== "change_set") return outcome;
  const files = outcome.files.map(({ path, outcome: one }) => ({ path, outcome: oneByPerson(one) }));
  return { ...outcome, files };
}

function oneByPerson(outcome: WriteOutcome): WriteOutcome {
  return outcome.kind === "written"
    ? { ...outcome, change: notSent(outcome.change), ...togetherByPerson(outcome) }
    : outcome;
}

function togetherByPerson({ together }: WriteOutcome): Pick<WriteOutcome, "together"> {
  return together === undefined ? {} : { together: together.map(oneByPerson) };
}

function notSent({ literal: _, ...change }: ChangeReport): ChangeReport {
  return { ...change, sentWhole: false, authored: [], derived: false };
}

function denied(request: ChangeRequest, said = "A person said no."): ChangeOutcome {
  const refusal = refuse("denied", `${said} Nothing was changed.`);
  if (request.kind === "apply_changes") return { ...refusal, success: false, files: [] };
  return { ...refusal, success: false, state: null, shownBefore: false };
}
