import type { Call } from "../access/call.js";
import type { Change } from "../access/change.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal } from "../values/refusal.js";
import type { ApplyEditRequest, OneFileRequest, ReplaceRequest } from "../values/requests.js";
import { planAddition, planInsert } from "./added-text.js";
import { planEdits } from "./edit-plan.js";
import { planLines } from "./line-edits.js";
import { planRestore, planUndo, wasUndone } from "./past.js";
import { planPatch, planWrite } from "./plans.js";
import {
  appendByLines,
  editByLines,
  insertByLines,
  linesByLines,
  patchByLines,
  prependByLines,
  sectionByLines,
} from "./rebase-requests.js";
import { planSection } from "./section-plan.js";

/** The requests of one file that are one change; the others ask a model in between. */
type PlainRequest = Exclude<OneFileRequest, ReplaceRequest | ApplyEditRequest>;

/** A request as a change: what it needs to have named, and what it makes of a state. */
export function changeOf(call: Call, request: PlainRequest): Change | Refusal {
  const tidy = tidyPath(request.path);
  if (isRefusal(tidy)) return tidy;
  return { ...wanted(call, request), path: tidy.path, tool: request.tool ?? toolOf[request.kind] };
}

function wanted(
  { session, applier, budget, isByPerson = false }: Call,
  request: PlainRequest,
): Omit<Change, "path" | "tool"> {
  switch (request.kind) {
    case "patch":
      return {
        options: request,
        needsBase: "always",
        plan: (current) => planPatch(session, request, current, budget, applier),
        lines: patchByLines({ session, budget }, request),
      };
    case "write":
      return {
        options: request,
        needsBase: "over_files",
        replacesWhole: true,
        plan: (current) => planWrite(session, { ...request, isLiteral: isByPerson }, current, budget),
      };
    case "edit":
      return {
        options: request,
        needsBase: "edit",
        plan: (current) => planEdits(session, request, current, budget),
        lines: editByLines({ session, budget }, request),
      };
    case "append":
      return {
        options: request,
        needsBase: "never",
        plan: (current) => planAddition(session, request, current, budget, "end"),
        lines: appendByLines({ session, budget }, request),
      };
    case "prepend":
      return {
        options: request,
        needsBase: "never",
        plan: (current) => planAddition(session, request, current, budget, "start"),
        lines: prependByLines({ session, budget }, request),
      };
    case "insert_lines":
      return {
        options: request,
        needsBase: "always",
        plan: (current) => planInsert(session, request, current, budget),
        lines: insertByLines({ session, budget }, request),
      };
    case "edit_lines":
      return {
        options: request,
        needsBase: "always",
        needsShown: true,
        plan: (current) => planLines(session, request, current, budget),
        lines: linesByLines({ session, budget }, request),
      };
    case "update_section":
      return {
        options: request,
        needsBase: "never",
        plan: (current) => planSection(session, request, current, budget),
        lines: sectionByLines({ session, budget }, request),
      };
    case "undo":
      return {
        options: request,
        needsBase: "never",
        plan: async (current, past) => planUndo({ session, budget }, await past(), current),
        isUndo: true,
        wasMade: wasUndone,
      };
    case "restore":
      return {
        options: request,
        needsBase: "never",
        plan: async (current, past) =>
          planRestore({ session, budget }, await past(), request.sha256, current),
      };
    default:
      return request satisfies never;
  }
}

/** What a request without a tool's name is called in the history. */
export const toolOf = {
  patch: "safe_patch",
  write: "write_file",
  edit: "edit_file",
  append: "append_to_file",
  prepend: "prepend_to_file",
  insert_lines: "insert_lines",
  edit_lines: "edit_file",
  update_section: "update_section",
  replace: "replace",
  apply_edit: "apply_edit",
  undo: "undo_edit",
  restore: "restore",
} as const satisfies Record<OneFileRequest["kind"], string>;
