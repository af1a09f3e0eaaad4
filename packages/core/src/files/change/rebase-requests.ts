import { finish, type InexactUse } from "../../patch/index.js";
import { sameBytes } from "../../text/index.js";
import type { Call, Planning } from "../access/call.js";
import type { Change, LineByLine, Plan, PlannedWrite, Since } from "../access/change.js";
import type { Current } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import type { LineSpan } from "../lines/line-spans.js";
import { namedLines } from "../lines/named-lines.js";
import { tidyPath } from "../values/path-policy.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type {
  AddTextRequest,
  ApplyEditRequest,
  Asked,
  EditFileRequest,
  EditLinesRequest,
  InsertLinesRequest,
  OneFileRequest,
  PatchFileRequest,
  ReplaceRequest,
  UpdateSectionRequest,
} from "../values/requests.js";
import { asEdits, insertMessage, planAddition, planInsert } from "./added-text.js";
import { planEdits } from "./edit-plan.js";
import { editSteps } from "./exact-edits.js";
import { linesMessage, namedByEdits, planLines } from "./line-edits.js";
import { planRestore, planUndo, wasUndone } from "./past.js";
import { patchMessage, planPatch, planWrite, textOf, unquoted } from "./plans.js";
import { moveChange, type Rebasing } from "./rebase.js";
import { rebasedWords } from "./rebased-words.js";
import { askSection, planSection } from "./section-plan.js";

/** A diff: each hunk where its lines, context included, stand by now. */
export function patchByLines({ session, budget }: Planning, request: Asked<PatchFileRequest>): LineByLine {
  return {
    asked: request,
    rebase: async (then, now, since) => {
      const planned = await planPatch(session, request, then, budget);
      if (planned.kind !== "write") return planned;
      const { landed, repairs } = planned.report;
      const named = landed.map(({ oldStart, oldLines }) => ({ from: oldStart, to: oldStart + oldLines - 1 }));
      const message: Rebasing["message"] = (_, places, quotes) =>
        patchMessage({ landed: places, repairs: quotes ? repairs : unquoted(repairs) }, rebasedWords(since));
      const { encoding } = request;
      const moved = moveChange({ session, budget, encoding, then, now, since, planned, named, message });
      return since.by === "own"
        ? moved
        : agreeing(await moved, await patchByText({ session, budget }, request, then, now));
    },
  };
}

/** Exact edits: each where the lines of its old text stand by now. */
export function editByLines(
  { session, budget }: Planning,
  request: Asked<EditFileRequest>,
  inexact: InexactUse = "off",
): LineByLine {
  return {
    asked: request,
    rebase: async (then, now, since) => {
      const planned = await planEdits(session, request, then, budget, inexact);
      if (planned.kind !== "write") return planned;
      const named = editedLines(session, request, then, inexact);
      if (named === undefined) return unplaced;
      const { encoding } = request;
      const moved = moveChange({ session, budget, encoding, then, now, since, planned, named });
      // All places are meant, also those that came since; and others' texts have no lines of their own.
      return since.by === "own" && !request.edits.some(meansAll)
        ? moved
        : agreeing(await moved, await planEdits(session, request, now, budget, inexact));
    },
  };
}

/** An addition to the end: it stands behind what others added there, but never in one of their lines. */
function appendByLines({ session, budget }: Planning, request: Asked<AddTextRequest>): LineByLine {
  return {
    asked: request,
    rebase: async (then, now, since) => {
      const [before, present] = [
        textOf(session, request.encoding, then),
        textOf(session, request.encoding, now),
      ];
      if (isRefusal(before)) return before;
      if (isRefusal(present)) return present;
      const ends = [before.text, present.text].every((text) => text === "" || /[\n\r]$/.test(text));
      return ends ? withWords(await planAddition(session, request, now, budget, "end"), since) : openEnd;
    },
  };
}

/** An addition to the beginning, where nothing was added there since. */
function prependByLines({ session, budget }: Planning, request: Asked<AddTextRequest>): LineByLine {
  return {
    asked: request,
    rebase: async (then, now, since) => {
      const planned = await planAddition(session, request, then, budget, "start");
      if (planned.kind !== "write") return planned;
      if (since.by === "any")
        return withWords(await planAddition(session, request, now, budget, "start"), since);
      const { encoding } = request;
      return moveChange({ session, budget, encoding, then, now, since, planned, named: [] });
    },
  };
}

/** Whole lines behind the line that they were put behind in the base. */
function insertByLines(planning: Planning, request: Asked<InsertLinesRequest>): LineByLine {
  const { afterLine } = request;
  const message = (by: number) => insertMessage({ ...request, afterLine: afterLine + by });
  const plan = (then: Current) => planInsert(planning.session, request, then, planning.budget);
  return { asked: request, rebase: numberedLines(planning, asEdits(request), plan, message) };
}

/** Edits by lines, each where its lines stand by now. */
function linesByLines(planning: Planning, request: Asked<EditLinesRequest>): LineByLine {
  const message = () => linesMessage(request);
  const plan = (then: Current) => planLines(planning.session, request, then, planning.budget);
  return { asked: request, rebase: numberedLines(planning, request, plan, message) };
}

/**
 * A change whose lines are named by their numbers, where they stand by now.
 *
 * @param plan the change on its base.
 * @param words the message for it, by how many lines further down it is made.
 */
export function numberedLines(
  { session, budget }: Planning,
  request: Asked<EditLinesRequest>,
  plan: (then: Current) => Plan | Promise<Plan>,
  words: (by: number) => string,
): LineByLine["rebase"] {
  return async (then, now, since) => {
    // A number says nothing that a computed difference could be held against.
    if (since.by === "any") return unplaced;
    const planned = await plan(then);
    if (planned.kind !== "write") return planned;
    const message = (by: number) => `${words(by)} ${rebasedWords(since)}`;
    const { encoding } = request;
    const named = namedByEdits(request);
    return moveChange({ session, budget, encoding, then, now, since, planned, named, message });
  };
}

/** A section that reads as it did in the base; a new one at the end, where there still is none. */
function sectionByLines({ session, budget }: Planning, request: Asked<UpdateSectionRequest>): LineByLine {
  return {
    asked: request,
    rebase: async (then, now, since) => {
      const planned = await planSection(session, request, then, budget);
      if (planned.kind !== "write") return planned;
      const again = await planSection(session, request, now, budget);
      if (again.kind !== "write") return changedSection;
      const [before, present] = await sectionsOf({ session, budget }, request, then, now);
      if (before !== present) return changedSection;
      if (since.by === "any" || before === undefined) return withWords(again, since);
      const { encoding } = request;
      const moved = moveChange({ session, budget, encoding, then, now, since, planned, named: [] });
      return agreeing(await moved, withWords(again, since));
    },
  };
}

async function sectionsOf(
  { session, budget }: Planning,
  { encoding, sectionHeader: header }: Asked<UpdateSectionRequest>,
  ...states: readonly Current[]
): Promise<readonly (string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  for (const state of states) {
    const read = textOf(session, encoding, state);
    const job = { kind: "text", text: isRefusal(read) ? "" : read.text, header } as const;
    const answer = await askSection(session, job, budget);
    texts.push(answer.kind === "text" ? answer.text : undefined);
  }
  return texts;
}

/**
 * A diff on the present text by its lines alone: its numbers are taken away, so that every hunk must have one
 * place in its base and in the present text, and nothing but numbers may need repair.
 */
async function patchByText(
  { session, budget }: Planning,
  request: Asked<PatchFileRequest>,
  then: Current,
  now: Current,
): Promise<Plan> {
  const unnumbered = { ...request, diff: request.diff.replace(/^@@ -\d[\d, +-]*@@/gm, "@@ @@") };
  const planned = await planPatch(session, unnumbered, then, budget);
  if (planned.kind !== "write" || !fitsExactly(planned)) return unplaced;
  const again = await planPatch(session, unnumbered, now, budget);
  return again.kind === "write" && fitsExactly(again) ? again : unplaced;
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

/** The moved change, if the request comes to the very same by its text. */
function agreeing(moved: Plan, byText: Plan): Plan {
  if (moved.kind !== "write") return moved;
  if (byText.kind !== "write" || moved.bytes === null || byText.bytes === null) return unplaced;
  return sameBytes(moved.bytes, byText.bytes) ? moved : unplaced;
}

function withWords(plan: Plan, since: Since): Plan {
  if (plan.kind !== "write") return plan;
  const words = rebasedWords(since);
  const plain = plan.plainMessage === undefined ? {} : { plainMessage: `${plan.plainMessage} ${words}` };
  return { ...plan, message: `${plan.message} ${words}`, ...plain };
}

function meansAll({ replaceAll, expectedReplacements = 1 }: EditFileRequest["edits"][number]): boolean {
  return replaceAll === true || expectedReplacements > 1;
}

/** The lines of the base in which the old texts stand; those that an earlier edit of the call wrote are not of it. */
function editedLines(
  session: Session,
  { encoding, edits, path }: Asked<EditFileRequest>,
  then: Current,
  inexact: InexactUse,
): readonly LineSpan[] | undefined {
  const before = textOf(session, encoding, then);
  if (isRefusal(before)) return undefined;
  const edited = finish(editSteps(before.text, edits, { path, inexact }));
  if (isRefusal(edited)) return undefined;
  return namedLines(edited.steps);
}

const notMade = (why: string): Refusal =>
  refuse("state_mismatch", `It was not made on the present state: ${why}`);
const unplaced = notMade("its places there cannot be said for certain.");
const openEnd = notMade(
  "the last line has no newline, so that the text would run into a line that was changed.",
);
const changedSection = notMade(
  "the section was changed since your base, or is not the only one of its name.",
);

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
