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
 */
export async function outlineOf(
  text: string,
  place: "document" | "within" = "document",
): Promise<readonly Heading[]> {
  const starts = lineStarts(text);
  const skipped = place === "within" ? 0 : frontMatterLines(text, starts);
  const parser = await blockParser();
  const body = skipped === 0 ? text : text.slice(starts[skipped] ?? text.length);
  const headings: Heading[] = [];
  const tokens = parser.parse(body, {});
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
  parser = new MarkdownIt("commonmark");
  parser.core.ruler.enableOnly(["normalize", "block"]);
  return parser;
}

let parser: MarkdownIt | undefined;

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
