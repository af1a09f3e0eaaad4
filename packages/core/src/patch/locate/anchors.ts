import type { BaseText } from "../model/base-text.js";
import { indentOf } from "../model/line-key.js";

/** Lines `from` to `to` (after the last), 0-based, below a heading. */
interface AnchoredLines {
  readonly from: number;
  readonly to: number;
}

/** The sections that anchors name; none where they name nothing, or too many lines to decide anything. */
export class SectionFinder {
  private readonly known = new Map<string, readonly AnchoredLines[]>();

  constructor(private readonly base: BaseText) {}

  find(anchors: readonly string[]): readonly AnchoredLines[] {
    if (anchors.length === 0) return [];
    const name = anchors.join("\n");
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const lines = findAnchorLines(this.base, anchors);
    const sections = lines.map((at) => ({ from: at + 1, to: sectionEnd(this.base, at) }));
    this.known.set(name, sections);
    return sections;
  }
}

/** Whether a 0-based line is in one of the sections. */
export function isInside(sections: readonly AnchoredLines[], line: number): boolean {
  return sections.some((section) => line >= section.from && line < section.to);
}

/**
 * The lines that the innermost of several anchors names. Each is looked for below the one before it, in its section.
 *
 *     file           diff          result
 *     1 class A:     @@ class B:   1 class A:
 *     2   def f():   @@ def f():   2   def f():
 *     3     p        -    p        3     p
 *     4 class B:     +    q        4 class B:
 *     5   def f():                 5   def f():
 *     6     p                      6     q
 *
 * `class B:` is line 4, and its section reaches to the end of the file. Of the two lines `def f():` only line 5 is
 * in it. Of the two copies of `p` only line 6 is in the section of that one.
 *
 *     file         diff          result
 *     1 class A:   @@ class A:   1 class A:
 *     2   p        +  q          2   q
 *     3 class B:                 3   p
 *     4   p                      4 class B:
 *                                5   p
 *
 * Added lines without context go right below the line that the anchor names.
 */
export function findAnchorLines(base: BaseText, anchors: readonly string[]): readonly number[] {
  let lines: readonly number[] = [];
  for (const [at, anchor] of anchors.entries()) {
    const found = findHeading(base, anchor);
    lines =
      at === 0
        ? found
        : found.filter((line) => lines.some((outer) => line > outer && line < sectionEnd(base, outer)));
  }
  return lines;
}

function findHeading(base: BaseText, anchor: string): readonly number[] {
  const index = base.index("trimmed");
  const exact = index.positionsOf(index.idOf(anchor));
  if (exact.length > 0) return exact.length > headingLimit ? [] : [...exact];
  if (anchor.length < 3) return [];
  const begun: number[] = [];
  for (let at = 0; at < base.count && begun.length <= headingLimit; at++) {
    if (base.line(at).trimStart().startsWith(anchor)) begun.push(at);
  }
  return begun.length > headingLimit ? [] : begun;
}

/**
 * The line after the section under a heading: the next one that is not deeper and begins a word, or begins as the
 * heading does; under a heading of Markdown the next one of its rank. Taken widely on purpose (a closing brace or a comment does not end it): too
 * large a section leaves a tie a tie.
 */
function sectionEnd(base: BaseText, heading: number): number {
  const text = base.line(heading);
  const depth = indentOf(text).length;
  const rank = headingRank(text);
  // Some headings begin with no word, but with a quote, a bracket of markup or a dash.
  const sign = /^["'<-]/.exec(text.slice(depth))?.[0] ?? "";
  for (let at = heading + 1; at < base.count; at++) {
    const line = base.line(at);
    const indent = indentOf(line).length;
    const first = line.slice(indent, indent + 2);
    const ends =
      rank > 0
        ? headingRank(line) > 0 && headingRank(line) <= rank
        : indent <= depth && (word.test(first) || (sign !== "" && first[0] === sign && first[1] !== "/"));
    if (ends) return at;
  }
  return base.count;
}

const word = /^[\p{L}_$]/u;

/** The rank of a heading of Markdown, 1 to 6; 0 of another line. */
export function headingRank(text: string): number {
  return /^(#{1,6})\s/.exec(text)?.[1]?.length ?? 0;
}

/** A heading with more copies than this names nothing. */
const headingLimit = 100;
