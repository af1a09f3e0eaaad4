import {
  answerSection,
  differenceOf,
  type Heading,
  inFence,
  nestsAtOnce,
  type SectionAnswer,
  type SectionJob,
  type SectionMisfit,
  type SectionOutcome,
} from "../../patch/index.js";
import {
  clip,
  escapeForDisplay,
  firstDifference,
  type Steps,
  sameBytes,
  showText,
} from "../../text/index.js";
import type { Plan } from "../access/change.js";
import { encodeFile, type FileText } from "../access/file-text.js";
import type { Current } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { splicedReport } from "../values/change-report.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import type { Asked, UpdateSectionRequest } from "../values/requests.js";
import { type TimeBudget, takeSteps, timeUp } from "../values/time-budget.js";
import { textOf, tooManyLines } from "./plans.js";

/**
 * What new content makes of a Markdown document's section. The section reaches from its heading to the next
 * one of the same or a higher level; the heading, the blank lines around the content and everything outside
 * keep their bytes. The result is parsed again: its other headings must be the same ones.
 */
export async function planSection(
  session: Session,
  request: Asked<UpdateSectionRequest>,
  current: Current,
  budget: TimeBudget,
): Promise<Plan> {
  const tooLarge = refuseLarge(session, current);
  if (tooLarge !== undefined) return tooLarge;
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const { sectionHeader: header, newContent: content, create = false } = request;
  const edit = { header, content, create };
  const answer = await askSection(session, { kind: "update", text: before.text, edit }, budget);
  if (isRefusal(answer)) return answer;
  if (answer.kind !== "update") throw new Error("a section was asked for, and another answer came");
  const { outcome } = answer;
  if (outcome.kind === "unfit") return refuseSection(outcome.why, request, current.kind === "absent");
  return takeSteps(planUpdated(session, { before, outcome, path: request.path }, current), budget);
}

interface Updated {
  readonly before: FileText;
  readonly outcome: Exclude<SectionOutcome, { readonly kind: "unfit" }>;
  readonly path: string;
}

function* planUpdated(session: Session, { before, outcome, path }: Updated, current: Current): Steps<Plan> {
  const { text } = outcome;
  const tooLong = tooManyLines(session, text);
  if (tooLong !== undefined) return tooLong;
  const bytes = yield* encodeFile(text, before, session.ports.codec);
  if ("kind" in bytes) return bytes;
  if (current.kind === "file" && sameBytes(bytes, current.bytes))
    return { kind: "unchanged", code: "no_change", message: "The section already holds this content." };
  const report = yield* splicedReport(current.kind === "absent" ? null : before.text, text, [
    differenceOf(before.text, text),
  ]);
  return { kind: "write", bytes, text, message: sectionMessage(outcome, path), report };
}

/** A large document is parsed beside this thread, where there is a worker for it. */
export async function askSection(
  { ports }: Session,
  job: SectionJob,
  budget: TimeBudget,
): Promise<SectionAnswer | Refusal> {
  const isQuick = job.text.length <= parsedAtOnce && !nestsAtOnce(textsOf(job));
  if (ports.sections === undefined || isQuick) return (await ports.load?.("sections")) ?? answerSection(job);
  const answer = await ports.sections.ask(job, budget.leftMs());
  return answer === "late" ? timeUp : answer;
}

function textsOf(job: SectionJob): string {
  return job.kind === "update" ? `${job.text}\n${job.edit.content}` : job.text;
}

/** In UTF-16 units: parsed in about ten milliseconds, and each job parses its document twice. */
const parsedAtOnce = 64 * 1024;

/** The parser takes a document as a whole, and what it makes of it takes many times its memory. */
function refuseLarge(session: Session, current: Current): Refusal | undefined {
  const limit = session.limits.sectionBytes;
  if (current.kind === "absent" || current.bytes.length <= limit) return undefined;
  return refuseIn(
    "too_large",
    "A section is changed only in a document of at most $limit bytes; this one has $bytes.[ Use {edit,patch:or}.] Nothing was written.",
    { limit, bytes: current.bytes.length },
  );
}

function sectionMessage(made: Exclude<SectionOutcome, { readonly kind: "unfit" }>, path: string): string {
  const shown = (heading: string) => showText(clip(heading, 80));
  if (made.kind === "created") return `Edited: section "${shown(made.heading)}" created at the end.`;
  const { text, line } = made.heading;
  const dropped = made.dropped.slice(0, mostDropped).map((one) => `"${shown(one.text)}" (line ${one.line})`);
  const more = made.dropped.length > mostDropped ? [`${made.dropped.length - mostDropped} more`] : [];
  const what = made.dropped.length === 1 ? "this sub-section" : "these sub-sections";
  const gone =
    made.dropped.length === 0
      ? ""
      : ` With its old content went ${what}: ${[...dropped, ...more].join(", ")}.`;
  return `Edited ${escapeForDisplay(path)}: section "${shown(text)}" (line ${line}) replaced.${gone}`;
}

const mostDropped = 10;

function refuseSection(why: SectionMisfit, request: Asked<UpdateSectionRequest>, isNew: boolean): Refusal {
  switch (why.kind) {
    case "empty_header":
      return refuseIn(
        "invalid_arguments",
        "{sectionHeader} is empty; give the heading as it stands in the file.",
      );
    case "heading_in_content":
      return refuseIn(
        "invalid_arguments",
        '{newContent} holds a heading of the same or a higher level ("$heading"), which would end the section. ' +
          "Leave the section's own heading out[; for another section use {create}][, or {edit}].",
        { heading: showText(clip(why.heading, 80)) },
      );
    case "ambiguous":
      return refuseAmbiguous(request, why.found);
    case "missing":
      return refuseMissing(request, why, isNew);
    case "rest_needs":
      return refuseIn(
        "invalid_arguments",
        "The rest of the document needs of this section: $parts. Repeat that in {newContent}[, or change a part of the section with {edit}]. Nothing was written.",
        { parts: showText(clip(why.parts.join(", "), 300)) },
      );
    case "placeholder":
      return refuseIn(
        "placeholder",
        '{newContent} leaves something out: "$line". Write the whole section[, or change a part of it with {edit}].$way',
        { line: showText(clip(why.line, 80)), way: inFence },
      );
    case "swallows_rest":
      return refuseIn(
        "invalid_arguments",
        "{newContent} would swallow what follows the section: is a code fence, an HTML comment or a list left open there? Nothing was written.",
      );
    case "level_missing":
      return refuse(
        "invalid_arguments",
        'To create a section, give its heading with its marks, such as "## Notes".',
      );
    case "end_is_open":
      return refuse(
        "invalid_arguments",
        "A heading at the end of this file would not be one: a code fence or an HTML block is left open there. Nothing was written.",
      );
    case "nested_too_deep":
      return refuseIn(
        "too_large",
        "Lists or quotes of this document or of {newContent} are nested too deep to tell the headings behind them. Nothing was written[; change it with {edit}].",
      );
    default:
      return why satisfies never;
  }
}

function refuseAmbiguous({ path }: Asked<UpdateSectionRequest>, found: readonly Heading[]): Refusal {
  const lines = found.map(({ line, level }) => `line ${line} (level ${level})`).join(", ");
  return refuseIn(
    "ambiguous",
    "The heading stands $times times in $path: $lines. Give it with its marks if the levels differ[; else use {edit}].",
    { times: found.length, path: escapeForDisplay(path), lines },
  );
}

function refuseMissing(
  request: Asked<UpdateSectionRequest>,
  { outline, near }: Extract<SectionMisfit, { readonly kind: "missing" }>,
  isNew: boolean,
): Refusal {
  if (isNew)
    return refuseIn(
      "file_missing",
      "There is no file of this name.[ With {create} it is made, with this section.]",
    );
  const shown = outline.slice(0, mostHeadings).map(({ level, text, line }) => {
    return `${line}: ${"#".repeat(level)} ${showText(clip(text, 100))}`;
  });
  const more = outline.length > mostHeadings ? `\n… ${outline.length - mostHeadings} more` : "";
  const told = outline.length === 0 ? "It has no headings." : `Its headings are:\n${shown.join("\n")}${more}`;
  const header = showText(clip(request.sectionHeader, 80));
  const difference = firstDifference(request.sectionHeader.replace(/^[\s#]+/, ""), near?.text ?? "");
  const twin = `"${showText(clip(near?.text ?? "", 80))}" at line ${near?.line} looks the same (${difference}): name that one.`;
  return refuseIn(
    "section_missing",
    `There is no section "$header" in $path.${near === undefined ? "[ With {create} it is added at the end.]" : " $twin"} $told${more === "" ? "" : "\n[{read} shows them.]"}`,
    { header, path: escapeForDisplay(request.path), told, twin },
  );
}

const mostHeadings = 50;
