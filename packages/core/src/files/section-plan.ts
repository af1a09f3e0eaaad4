import { addedLines, isPlaceholder } from "../patch/index.js";
import { clip, escapeForDisplay, splitLines } from "../text/index.js";
import type { Plan } from "./change.js";
import { splicedReport } from "./change-report.js";
import type { Current } from "./current.js";
import { encodeFile } from "./file-text.js";
import { type Heading, outlineOf, squeeze } from "./markdown-outline.js";
import { differenceOf } from "./placed-lines.js";
import { sameHash, textOf, tooManyLines } from "./plans.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "./refusal.js";
import type { Asked, UpdateSectionRequest } from "./requests.js";
import type { Session } from "./session.js";
import { endingAt } from "./text-places.js";

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
  const before = textOf(session, request.encoding, current);
  if (isRefusal(before)) return before;
  const { text, format } = before;
  const next = await withSection(text, request, current.kind === "absent");
  if (isRefusal(next)) return next;
  const tooLong = tooManyLines(session, next.text);
  if (tooLong !== undefined) return tooLong;
  const bytes = encodeFile(next.text, () => addedLines(text, next.text), format, session.ports.codec);
  if ("kind" in bytes) return bytes;
  if (current.kind === "file" && sameHash(session, bytes, current.sha256))
    return { kind: "unchanged", code: "no_change", message: "The section already holds this content." };
  const report = splicedReport(current.kind === "absent" ? null : text, next.text, [
    differenceOf(text, next.text),
  ]);
  return { kind: "write", bytes, text: next.text, message: next.message, report };
}

/** The same on the present state, if the section reads there as it did in its base. */
export async function rebaseSection(
  session: Session,
  request: Asked<UpdateSectionRequest>,
  then: Current,
  now: Current,
): Promise<Plan> {
  const [old, present] = [textOf(session, request.encoding, then), textOf(session, request.encoding, now)];
  if (isRefusal(old)) return old;
  if (isRefusal(present)) return present;
  const [one, other] = [await sectionText(old.text, request), await sectionText(present.text, request)];
  if (one === undefined || one !== other)
    return refuse("section_missing", "The section is not the same in both states.");
  return planSection(session, request, now);
}

async function sectionText(
  text: string,
  { sectionHeader }: Asked<UpdateSectionRequest>,
): Promise<string | undefined> {
  const outline = await outlineOf(text);
  const found = findSection(outline, readHeader(sectionHeader));
  const [at, ...more] = found;
  if (at === undefined || more.length > 0) return undefined;
  return text.slice(outline[at]?.from, sectionEnd(text, outline, at));
}

interface NewText {
  readonly kind: "new_text";
  readonly text: string;
  readonly message: string;
}

async function withSection(
  text: string,
  request: Asked<UpdateSectionRequest>,
  isNew: boolean,
): Promise<NewText | Refusal> {
  const header = readHeader(request.sectionHeader);
  if (header.text === "")
    return refuseIn(
      "invalid_arguments",
      "{sectionHeader} is empty; give the heading as it stands in the file.",
    );
  const content = withoutBlankEnds(request.newContent);
  const outline = await outlineOf(text);
  const [at, ...others] = findSection(outline, header);
  const heading = at === undefined ? undefined : outline[at];
  const within = await refuseContent(content, heading?.level ?? header.level ?? 6);
  if (within !== undefined) return within;
  if (others.length > 0 && at !== undefined) return ambiguous(request, outline, [at, ...others]);
  if (at === undefined || heading === undefined)
    return request.create === true
      ? createSection(text, outline, header, content)
      : missing(request, outline, isNew);
  const omission = omissionIn(text.slice(heading.to, sectionEnd(text, outline, at)), content);
  return omission ?? replaceSection(text, outline, at, content, request);
}

/** Tries it as the file is spaced, then with a blank line before what follows: some blocks end only there. */
async function replaceSection(
  text: string,
  outline: readonly Heading[],
  at: number,
  content: string,
  request: Asked<UpdateSectionRequest>,
): Promise<NewText | Refusal> {
  const heading = outline[at];
  if (heading === undefined) throw new Error(`no heading ${at}`);
  const end = sectionEnd(text, outline, at);
  const inside = outline.filter((other) => other.from > heading.from && other.from < end).length;
  const next = outline.find((other) => other.from === end);
  // Text right above a line that is underlined could become part of that heading.
  for (const apart of next?.underlined === true ? [true] : [false, true]) {
    const { head, tail } = cutBody(text, heading, end, apart);
    const fresh =
      content === "" ? emptied(text, heading, end) : `${head}${inEndings(content, text, heading.to)}${tail}`;
    const added = (await outlineOf(content, "within")).length;
    if (!(await keepsOutline(outline, fresh, at, inside, added))) continue;
    const message = `Edited ${escapeForDisplay(request.path)}: section "${escapeForDisplay(clip(heading.text, 80))}" (line ${heading.line}) replaced.`;
    return { kind: "new_text", text: fresh, message };
  }
  return refuseIn(
    "invalid_arguments",
    "{newContent} would swallow what follows the section: is a code fence, an HTML comment or a list left open there? Nothing was written.",
  );
}

/** The text before and after the content of a section, with the blank lines that stand around it. */
function cutBody(
  text: string,
  heading: Heading,
  end: number,
  apart: boolean,
): { readonly head: string; readonly tail: string } {
  const ending = endingAt(text, heading.to);
  const body = text.slice(heading.to, end);
  const blankBefore = /^(?:[ \t]*(?:\r\n|\n|\r))*/.exec(body)?.[0] ?? "";
  const isLast = end === text.length;
  const open = /[\n\r]$/.test(text.slice(0, heading.to)) ? "" : ending;
  const head = text.slice(0, heading.to) + open + blankBefore;
  const rest = text.slice(end);
  if (blankBefore.length === body.length) {
    // Nothing stood there: the content ends its own line, and what follows stays a line apart.
    const close = isLast && open !== "" ? "" : ending;
    return { head, tail: isLast ? close : `${close}${ending}${rest}` };
  }
  const blankAfter = body.slice(contentEnd(body));
  const gap = apart && (blankAfter.match(/\r\n|\n|\r/g) ?? []).length < 2 ? ending : "";
  return { head, tail: `${gap}${blankAfter}${rest}` };
}

/** A section without content: what parts it from the next one stays. */
function emptied(text: string, heading: Heading, end: number): string {
  const body = text.slice(heading.to, end);
  if (body.trim() === "") return text;
  const blankAfter = body.slice(contentEnd(body)).replace(/^(?:\r\n|\n|\r)/, "");
  return `${text.slice(0, heading.to)}${blankAfter}${text.slice(end)}`;
}

/** Where the last line that is not blank ends, before its ending. */
function contentEnd(text: string): number {
  let at = text.trimEnd().length;
  while (at < text.length && !/[\r\n]/.test(text.charAt(at))) at += 1;
  return at;
}

function withoutBlankEnds(content: string): string {
  const kept = content.slice(0, contentEnd(content));
  return kept.trim() === "" ? "" : kept.replace(/^(?:[ \t]*(?:\r\n|\n|\r))+/, "");
}

async function keepsOutline(
  outline: readonly Heading[],
  next: string,
  at: number,
  inside: number,
  added: number,
): Promise<boolean> {
  const fresh = await outlineOf(next);
  const outside = [...fresh.slice(0, at + 1), ...fresh.slice(at + 1 + added)];
  const wanted = [...outline.slice(0, at + 1), ...outline.slice(at + 1 + inside)];
  return (
    outside.length === wanted.length &&
    outside.every((one, index) => one.text === wanted[index]?.text && one.level === wanted[index]?.level)
  );
}

async function createSection(
  text: string,
  outline: readonly Heading[],
  header: Header,
  content: string,
): Promise<NewText | Refusal> {
  if (header.level === undefined)
    return refuse(
      "invalid_arguments",
      'To create a section, give its heading with its marks, such as "## Notes".',
    );
  const ending = endingAt(text, text.length);
  const gap =
    text === "" || /(?:^|\n|\r)[ \t]*(?:\r\n|\n|\r)$/.test(text)
      ? ""
      : /[\n\r]$/.test(text)
        ? ending
        : ending + ending;
  const heading = `${"#".repeat(header.level)} ${header.text}${ending}`;
  const body = content === "" ? "" : `${ending}${inEndings(content, text, text.length)}${ending}`;
  const next = `${text}${gap}${heading}${body}`;
  const fresh = await outlineOf(next);
  const made = fresh[outline.length];
  const added = (await outlineOf(content, "within")).length;
  if (
    fresh.length !== outline.length + 1 + added ||
    made?.text !== header.text ||
    made.level !== header.level
  )
    return refuse(
      "invalid_arguments",
      "A heading at the end of this file would not be one: a code fence or an HTML block is left open there. Nothing was written.",
    );
  const message = `Edited: section "${escapeForDisplay(clip(header.text, 80))}" created at the end.`;
  return { kind: "new_text", text: next, message };
}

interface Header {
  /** Undefined where no mark says it: any level fits. */
  readonly level: number | undefined;
  readonly text: string;
}

/** A heading as a caller writes it: `## Name`, `## Name ##` or `Name`. */
function readHeader(given: string): Header {
  const match = /^\s{0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/s.exec(given);
  if (match === null) return { level: undefined, text: squeeze(given) };
  return { level: match[1]?.length, text: squeeze(match[2] ?? "") };
}

function findSection(outline: readonly Heading[], { level, text }: Header): readonly number[] {
  return outline.flatMap((heading, at) =>
    heading.text === text && (level === undefined || heading.level === level) ? [at] : [],
  );
}

function sectionEnd(text: string, outline: readonly Heading[], at: number): number {
  const level = outline[at]?.level ?? 6;
  return outline.slice(at + 1).find((heading) => heading.level <= level)?.from ?? text.length;
}

/** A heading of the section's own level in the content would end the section; most often it is its own. */
async function refuseContent(content: string, level: number): Promise<Refusal | undefined> {
  const heading = (await outlineOf(content, "within")).find((own) => own.level <= level);
  if (heading === undefined) return undefined;
  return refuseIn(
    "invalid_arguments",
    '{newContent} holds a heading of the same or a higher level ("$heading"), which would end the section. ' +
      "Leave the section's own heading out[; for another section use {create}][, or {edit}].",
    { heading: escapeForDisplay(clip(heading.text, 80)) },
  );
}

function omissionIn(before: string, content: string): Refusal | undefined {
  const line = splitLines(content).contents.find((own) => isPlaceholder(own) && !before.includes(own.trim()));
  if (line === undefined) return undefined;
  return refuseIn(
    "placeholder",
    '{newContent} leaves something out: "$line". Write the whole section[, or change a part of it with {edit}].',
    { line: escapeForDisplay(clip(line.trim(), 80)) },
  );
}

function ambiguous(
  { path }: Asked<UpdateSectionRequest>,
  outline: readonly Heading[],
  found: readonly number[],
): Refusal {
  const lines = found.map((at) => `line ${outline[at]?.line} (level ${outline[at]?.level})`).join(", ");
  return refuseIn(
    "ambiguous",
    "The heading stands $times times in $path: $lines. Give it with its marks if the levels differ[; else use {edit}].",
    { times: found.length, path: escapeForDisplay(path), lines },
  );
}

function missing(request: Asked<UpdateSectionRequest>, outline: readonly Heading[], isNew: boolean): Refusal {
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

/** Newlines of the content as the file ends its lines. */
function inEndings(content: string, text: string, place: number): string {
  if (!text.includes("\r") || content.includes("\r")) return content;
  return content.replaceAll("\n", endingAt(text, place));
}

const mostHeadings = 50;
