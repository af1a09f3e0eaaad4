import { looksOf } from "../../text/index.js";
import { omissionIn } from "../read/open-hunk.js";
import { endingAt, inEndingsAt } from "../replace/text-places.js";
import { type Heading, outlineOf, squeeze } from "./outline.js";

/** New content for one section of a Markdown document. */
interface SectionEdit {
  /** The heading as a caller writes it: `## Name`, `## Name ##` or `Name`. */
  readonly header: string;
  readonly content: string;
  /** A section that is missing is added at the end. */
  readonly create: boolean;
}

/** What new content made of a document. */
export type SectionOutcome =
  | {
      readonly kind: "replaced";
      readonly text: string;
      readonly heading: Heading;
      /** Headings in the old content of which the new one has none of the same words. */
      readonly dropped: readonly Heading[];
    }
  | { readonly kind: "created"; readonly text: string; readonly heading: string }
  | UnfitSection;

/** The document stays as it is. */
interface UnfitSection {
  readonly kind: "unfit";
  readonly why: SectionMisfit;
}

/** Why new content cannot be put into a section. */
export type SectionMisfit =
  | { readonly kind: "empty_header" }
  /** A heading in the content that would end the section. */
  | { readonly kind: "heading_in_content"; readonly heading: string }
  | { readonly kind: "ambiguous"; readonly found: readonly Heading[] }
  /** `near`: the heading that looks the same, which a new one would be a twin of. */
  | { readonly kind: "missing"; readonly outline: readonly Heading[]; readonly near?: Heading }
  /** The rest of the document needs what the old content defines or ends. */
  | { readonly kind: "rest_needs"; readonly parts: readonly string[] }
  /** The content leaves something out by this line. */
  | { readonly kind: "placeholder"; readonly line: string }
  /** What follows the section would become part of it. */
  | { readonly kind: "swallows_rest" }
  /** To create a section its level has to be given. */
  | { readonly kind: "level_missing" }
  /** A heading at the document's end would be none. */
  | { readonly kind: "end_is_open" }
  /** Lists or quotes are nested so deep that the headings behind them cannot be told. */
  | { readonly kind: "nested_too_deep" };

/** Work on one section, as data: it can be sent to another thread. */
export type SectionJob =
  | { readonly kind: "update"; readonly text: string; readonly edit: SectionEdit }
  /** The text of the section with its heading. */
  | { readonly kind: "text"; readonly text: string; readonly header: string };

/** What became of it; of a `text` job undefined where there is not exactly one section of this name. */
export type SectionAnswer =
  | { readonly kind: "update"; readonly outcome: SectionOutcome }
  | { readonly kind: "text"; readonly text: string | undefined };

/** Parses documents as a whole, so that nobody else has a turn meanwhile. */
export async function answerSection(job: SectionJob): Promise<SectionAnswer> {
  switch (job.kind) {
    case "update":
      return { kind: "update", outcome: await updateSection(job.text, job.edit) };
    case "text":
      return { kind: "text", text: await sectionText(job.text, job.header) };
    default:
      return job satisfies never;
  }
}

/**
 * Puts new content into a section, which reaches from its heading to the next one of the same or a higher
 * level. The heading, the blank lines around the content and everything outside keep their bytes. The result
 * is parsed again: its other headings must be the same ones.
 *
 * With `## A` and the content `new`, `# T\n## A\n\nold\n\n## B\n` becomes `# T\n## A\n\nnew\n\n## B\n`.
 */
export async function updateSection(text: string, edit: SectionEdit): Promise<SectionOutcome> {
  const header = readHeader(edit.header);
  if (header.text === "") return unfit({ kind: "empty_header" });
  const content = withoutBlankEnds(edit.content);
  const outline = await outlineOf(text);
  const own = await outlineOf(content, "within");
  if (outline === undefined || own === undefined) return unfit({ kind: "nested_too_deep" });
  const found = findSection(outline, header);
  const [at] = found;
  const heading = at === undefined ? undefined : outline[at];
  // A heading of the section's own level in the content would end the section; most often it is its own.
  const ending = own.find(({ level }) => level <= (heading?.level ?? header.level ?? 6));
  if (ending !== undefined) return unfit({ kind: "heading_in_content", heading: ending.text });
  if (found.length > 1)
    return unfit({ kind: "ambiguous", found: outline.filter((_, index) => found.includes(index)) });
  const looks = looksOf(header.text);
  const near = outline.find(
    (one) => looksOf(one.text) === looks && one.level === (header.level ?? one.level),
  );
  if (at === undefined || heading === undefined)
    return edit.create && near === undefined
      ? createSection(text, { outline, added: own.length }, header, content)
      : unfit({ kind: "missing", outline, ...(near === undefined ? {} : { near }) });
  const end = sectionEnd(text, outline, at);
  const old = text.slice(heading.to, end);
  const above = text.slice(0, heading.to);
  const labels = lostLabels(old, `${above}\n${text.slice(end)}\n${content}`);
  const parts = [...labels, ...lostEnds(above, old, content)];
  if (parts.length > 0) return unfit({ kind: "rest_needs", parts });
  const line = omissionIn(old, content);
  return line === undefined
    ? replaceSection(text, { outline, at, heading, own }, content)
    : unfit({ kind: "placeholder", line });
}

/** The links, footnotes and abbreviations that old content defines, and that nothing defines any more and the rest uses. */
function lostLabels(old: string, rest: string): readonly string[] {
  const keyOf = (label: string) => squeeze(label).toLowerCase();
  const still = labelsIn(rest).map(keyOf);
  // Fenced code and the boxes of a list of tasks use no definition.
  const words = keyOf(proseOf(rest).replace(/^[ \t>]*[-*+] \[[ x]\]/gim, ""));
  const isUsed = (key: string) => words.includes(key.startsWith("*") ? key.slice(2, -1) : key);
  return labelsIn(old).filter((label) => !still.includes(keyOf(label)) && isUsed(keyOf(label)));
}

function labelsIn(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/^[ \t>]{0,3}(\*?\[[^\]]+\]):/gm)].map(([, label = ""]) => label);
}

/** The ends in old content of blocks that are open above it, which new content does not end. */
function lostEnds(above: string, old: string, content: string): readonly string[] {
  const openWith = (rest: string) => new Set(openBlocks(above + rest).map(({ at }) => at));
  const [before, after] = [openWith(old), openWith(content)];
  const lost = openBlocks(above).filter(({ at }) => after.has(at) && !before.has(at));
  const closing: Readonly<Record<string, string>> = { "<": ">", "{": "…", "\\": "}" };
  return lost.map(({ mark }) => `the end of ${mark}${closing[mark.charAt(0)] ?? ""}`);
}

/** Where a text begins blocks, by any mark of pages, that it does not end. */
function openBlocks(text: string) {
  const open: { readonly mark: string; readonly at: number; readonly name: string }[] = [];
  for (const { 0: mark, 1: colons, 2: other, index: at } of proseOf(text)
    .replace(/`[^`\n]+`/g, "")
    .matchAll(blockMarks)) {
    const inside = (colons ?? other ?? mark).trim();
    const isEnd = colons === undefined ? /^(\W*\/|(?!<\w).*(end|stop|close))/is.test(inside) : inside === "";
    const name = colons === undefined ? squeeze(inside.toLowerCase().replace(notName, " ")) : ":::";
    const begun = open.findLastIndex((one) => one.name === name);
    if (!isEnd) open.push({ mark, at, name });
    else if (begun >= 0) open.splice(begun, 1);
  }
  return open;
}

const notName = /begin|start|open|end|stop|close|\W+/g;
/** What stands behind the colons of a container; a comment, a tag up to its attributes, the word of a template or of TeX. */
const blockMarks =
  /^:::+[ \t]*(.*)$|(<!--[\s\S]{0,300}?--(?=>)|<\/?[a-z][\w-]*(?=>|\s[^<>]*(?<!\/)>)|\{%-?\s*\w+(?=[^%]*%\})|\{\{[<%]?\s*[#/]?[\w-]+(?=[^{}]*\}\})|\\(?:begin|end)\{\w+)/gim;

/** A document without its fenced code. */
function proseOf(text: string): string {
  return text.replace(/^ {0,3}(```+|~~~+)[\s\S]*?(?:^ {0,3}\1.*$|(?![\s\S]))/gm, "");
}

/** The text of a section with its heading; undefined where there is not exactly one of this name. */
export async function sectionText(text: string, header: string): Promise<string | undefined> {
  const outline = (await outlineOf(text)) ?? [];
  const [at, ...more] = findSection(outline, readHeader(header));
  if (at === undefined || more.length > 0) return undefined;
  return text.slice(outline[at]?.from, sectionEnd(text, outline, at));
}

function unfit(why: SectionMisfit): UnfitSection {
  return { kind: "unfit", why };
}

/** A section of a document. */
interface FoundSection {
  readonly outline: readonly Heading[];
  /** Of its heading in the outline. */
  readonly at: number;
  readonly heading: Heading;
  /** The headings of the new content. */
  readonly own: readonly Heading[];
}

/** Tries it as the file is spaced, then with a blank line before what follows: some blocks end only there. */
async function replaceSection(
  text: string,
  { outline, at, heading, own }: FoundSection,
  content: string,
): Promise<SectionOutcome> {
  const end = sectionEnd(text, outline, at);
  const inside = outline.filter((other) => other.from > heading.from && other.from < end);
  const dropped = inside.filter(({ text: old }) => !own.some((kept) => kept.text === old));
  const next = outline.find((other) => other.from === end);
  // Text right above a line that is underlined could become part of that heading.
  for (const apart of next?.underlined === true ? [true] : [false, true]) {
    const { head, tail } = cutBody(text, heading, end, apart);
    const body = inEndingsAt(text, heading.to, content);
    const fresh = content === "" ? emptied(text, heading, end) : `${head}${body}${tail}`;
    if (await keepsOutline(outline, fresh, at, inside.length, own.length))
      return { kind: "replaced", text: fresh, heading, dropped };
  }
  return unfit({ kind: "swallows_rest" });
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
  if (fresh === undefined) return false;
  const outside = [...fresh.slice(0, at + 1), ...fresh.slice(at + 1 + added)];
  const wanted = [...outline.slice(0, at + 1), ...outline.slice(at + 1 + inside)];
  return (
    outside.length === wanted.length &&
    outside.every((one, index) => one.text === wanted[index]?.text && one.level === wanted[index]?.level)
  );
}

async function createSection(
  text: string,
  { outline, added }: { readonly outline: readonly Heading[]; readonly added: number },
  header: Header,
  content: string,
): Promise<SectionOutcome> {
  if (header.level === undefined) return unfit({ kind: "level_missing" });
  const ending = endingAt(text, text.length);
  const gap =
    text === "" || /(?:^|\n|\r)[ \t]*(?:\r\n|\n|\r)$/.test(text)
      ? ""
      : /[\n\r]$/.test(text)
        ? ending
        : ending + ending;
  const heading = `${"#".repeat(header.level)} ${header.text}${ending}`;
  const body = content === "" ? "" : `${ending}${inEndingsAt(text, text.length, content)}${ending}`;
  const next = `${text}${gap}${heading}${body}`;
  const fresh = (await outlineOf(next)) ?? [];
  const made = fresh[outline.length];
  const isWhole =
    fresh.length === outline.length + 1 + added && made?.text === header.text && made.level === header.level;
  return isWhole ? { kind: "created", text: next, heading: header.text } : unfit({ kind: "end_is_open" });
}

interface Header {
  /** Undefined where no mark says it: any level fits. */
  readonly level: number | undefined;
  readonly text: string;
}

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
