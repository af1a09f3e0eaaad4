import {
  type ChangeReport,
  type ChangeRequest,
  type FileOutcome,
  type Knowledge,
  type Preview,
  type RunScope,
  refuse,
  type WriteOutcome,
} from "../files/index.js";
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
  | { readonly kind: "instead"; readonly request: ChangeRequest };

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
): Promise<FileOutcome> {
  for (let asked = 0; asked < mostQuestions; asked++) {
    const preview = await workspace.preview(request, scope);
    if (preview.kind !== "preview") {
      // What would change nothing now may come to a change by then: that is asked about, too.
      const outcome = await workspace.run(request, { ...scope, agreed: [] });
      if (isNotAgreed(outcome)) continue;
      return outcome;
    }
    const approval = await approve({ request, preview });
    switch (approval.kind) {
      case "no":
        return denied(request, approval.message);
      case "instead":
        return byPerson(await workspace.run(approval.request, scopeOfPerson(scope)));
      case "yes": {
        const outcome = await workspace.run(request, { ...scope, agreed: agreedOf(preview) });
        // Another plan, or another state beneath it: what it comes to now is asked, or refused for itself.
        if (outcome.kind !== "refusal" || !overtakenCodes.has(outcome.code)) return outcome;
        break;
      }
      default:
        return approval satisfies never;
    }
  }
  // No write is what was agreed to: it is refused as such, with the state that is there.
  return workspace.run(request, { ...scope, agreed: [] });
}

const overtakenCodes: ReadonlySet<string> = new Set(["not_agreed", "state_mismatch"]);

/** A file that moves again and again is not asked about for ever. */
const mostQuestions = 3;

function isNotAgreed(outcome: FileOutcome): boolean {
  return outcome.kind === "refusal" && outcome.code === "not_agreed";
}

/** The model learns of a text that a person wrote what its answer shows, and no more. */
function scopeOfPerson(scope: RunScope): RunScope {
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

function byPerson(outcome: FileOutcome): FileOutcome {
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

function agreedOf({ files }: Preview) {
  return files.map(({ agreed }) => agreed);
}

function denied(request: ChangeRequest, said = "A person said no."): FileOutcome {
  const refusal = refuse("denied", `${said} Nothing was changed.`);
  if (request.kind === "apply_changes") return { ...refusal, success: false, files: [] };
  return { ...refusal, success: false, state: null, shownBefore: false };
}
