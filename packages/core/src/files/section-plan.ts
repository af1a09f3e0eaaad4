import {
  addedLines,
  differenceOf,
  type Heading,
  type SectionMisfit,
  type SectionOutcome,
  updateSection,
} from "../patch/index.js";
import { clip, escapeForDisplay } from "../text/index.js";
import type { Plan } from "./change.js";
import { splicedReport } from "./change-report.js";
import type { Current } from "./current.js";
import { encodeFile } from "./file-text.js";
import { sameHash, textOf, tooManyLines } from "./plans.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "./refusal.js";
import type { Asked, UpdateSectionRequest } from "./requests.js";
import type { Session } from "./session.js";

/**
 * What new content makes of a Markdown document's section. The section reaches from its heading to the next
 * one of the same or a higher level; the heading, the blank lines around the content and everything outside
 * keep their bytes. The result is parsed again: its other headings must be the same ones.
 */
export async function planSection(
  session: Session,
  request: Asked<UpdateSectionRequest>,
  current: Current,
): Promise<Plan> {
  const tooLarge = refuseLarge(session, current);
  if (tooLarge !== undefined) return tooLarge;
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const { text, format } = before;
  const { sectionHeader: header, newContent: content, create = false } = request;
  const next = await updateSection(text, { header, content, create });
  if (next.kind === "unfit") return refuseSection(next.why, request, current.kind === "absent");
  const tooLong = tooManyLines(session, next.text);
  if (tooLong !== undefined) return tooLong;
  const bytes = encodeFile(next.text, () => addedLines(text, next.text), format, session.ports.codec);
  if ("kind" in bytes) return bytes;
  if (current.kind === "file" && sameHash(session, bytes, current.sha256))
    return { kind: "unchanged", code: "no_change", message: "The section already holds this content." };
  const report = splicedReport(current.kind === "absent" ? null : text, next.text, [
    differenceOf(text, next.text),
  ]);
  return { kind: "write", bytes, text: next.text, message: sectionMessage(next, request.path), report };
}

/** The parser takes a document as a whole, so that nobody else has a turn meanwhile. */
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
  const shown = (heading: string) => escapeForDisplay(clip(heading, 80));
  if (made.kind === "created") return `Edited: section "${shown(made.heading)}" created at the end.`;
  const { text, line } = made.heading;
  return `Edited ${escapeForDisplay(path)}: section "${shown(text)}" (line ${line}) replaced.`;
}

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
        { heading: escapeForDisplay(clip(why.heading, 80)) },
      );
    case "ambiguous":
      return refuseAmbiguous(request, why.found);
    case "missing":
      return refuseMissing(request, why.outline, isNew);
    case "placeholder":
      return refuseIn(
        "placeholder",
        '{newContent} leaves something out: "$line". Write the whole section[, or change a part of it with {edit}].',
        { line: escapeForDisplay(clip(why.line, 80)) },
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
  outline: readonly Heading[],
  isNew: boolean,
): Refusal {
  if (isNew)
    return refuseIn(
      "file_missing",
      "There is no file of this name.[ With {create} it is made, with this section.]",
    );
  const shown = outline.slice(0, mostHeadings).map(({ level, text, line }) => {
    return `${line}: ${"#".repeat(level)} ${escapeForDisplay(clip(text, 100))}`;
  });
  const more = outline.length > mostHeadings ? `\n… ${outline.length - mostHeadings} more` : "";
  const told = outline.length === 0 ? "It has no headings." : `Its headings are:\n${shown.join("\n")}${more}`;
  const header = escapeForDisplay(clip(request.sectionHeader, 80));
  return refuseIn(
    "section_missing",
    'There is no section "$header" in $path.[ With {create} it is added at the end.] $told',
    { header, path: escapeForDisplay(request.path), told },
  );
}

const mostHeadings = 50;
