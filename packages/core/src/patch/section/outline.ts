import type { MarkdownIt } from "markdown-it";

/** A heading that stands in the document itself, not in a quote or a list. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number;
  /** Its source without marks, blanks squeezed: `Current **State**`. */
  readonly text: string;
  /** 1-based line of its beginning. */
  readonly line: number;
  /** Where it begins, and where the line after it begins, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /** Whether it is a line of text that a line of `=` or `-` underlines. */
  readonly underlined: boolean;
}

/**
 * The headings of a Markdown document, as a CommonMark parser finds them: those in fences, quotes, lists,
 * HTML and front matter are none.
 *
 * @param place `within` for a text that stands in the middle of a document: it has no front matter.
 * @returns undefined where lists and quotes are nested deeper than the parser goes: it would leave out what follows.
 */
export async function outlineOf(
  text: string,
  place: "document" | "within" = "document",
): Promise<readonly Heading[] | undefined> {
  const starts = lineStarts(text);
  const skipped = place === "within" ? 0 : frontMatterLines(text, starts);
  const parser = await blockParser();
  const body = skipped === 0 ? text : text.slice(starts[skipped] ?? text.length);
  const headings: Heading[] = [];
  const tokens = tokensOf(parser, body);
  if (tokens === undefined) return undefined;
  for (const [at, token] of tokens.entries()) {
    if (token.type !== "heading_open" || token.level !== 0 || token.map === null) continue;
    const [first, after] = token.map;
    headings.push({
      level: Number(token.tag.slice(1)),
      text: squeeze(tokens[at + 1]?.content ?? ""),
      line: first + skipped + 1,
      from: starts[first + skipped] ?? text.length,
      to: starts[after + skipped] ?? text.length,
      underlined: !token.markup.startsWith("#"),
    });
  }
  return headings;
}

/** Blanks as one, none at the ends: how headings are compared. */
export function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Loaded when a section is first asked for; inline marks are not looked at. */
async function blockParser() {
  if (parser !== undefined) return parser;
  const { default: MarkdownIt } = await import("markdown-it");
  parser = new MarkdownIt("commonmark", { maxNesting: mostLevels });
  parser.core.ruler.enableOnly(["normalize", "block"]);
  return parser;
}

let parser: MarkdownIt | undefined;

/** Levels of blocks, two for each list: more than anybody writes. With twice as many the parser has no stack left. */
const mostLevels = 100;

/** At its limit the parser skips what is nested deeper, and with it, behind a list, the rest of the document. */
function tokensOf(blocks: MarkdownIt, text: string): ReturnType<MarkdownIt["parse"]> | undefined {
  try {
    const tokens = blocks.parse(text, {});
    return tokens.some(({ level }) => level >= mostLevels - 1) ? undefined : tokens;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Whether a line begins with the marks of many lists or quotes: of such lines few take the parser long. */
export function nestsAtOnce(text: string): boolean {
  return /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){8}/m.test(text);
}

/** Where the lines begin, as CommonMark counts them: a lone `\r` ends a line, too. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const { index, 0: ending } of text.matchAll(/\r\n|\r|\n/g)) starts.push(index + ending.length);
  return starts;
}

/** How many lines YAML or TOML front matter takes up, with its fences; 0 where there is none. */
function frontMatterLines(text: string, starts: readonly number[]): number {
  const lineAt = (line: number) => text.slice(starts[line], starts[line + 1]).trimEnd();
  const fence = lineAt(0);
  if (fence !== "---" && fence !== "+++") return 0;
  for (let line = 1; line < starts.length; line++) if (lineAt(line) === fence) return line + 1;
  return 0;
}
