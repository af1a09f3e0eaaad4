import { splitLines } from "../../text/index.js";
import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";

/**
 * Finds an added line that stands for code it leaves out, such as `// ... existing code ...`, and that the
 * file does not have.
 *
 * @param diff the whole diff, a quick test that excludes most.
 */
export function findPlaceholder(
  { text: base }: BaseText,
  diff: string,
  hunks: readonly ShapedHunk[],
): { readonly hunk: number; readonly text: string } | undefined {
  if (!hasEllipsis(diff)) return undefined;
  for (const { hunk } of hunks) {
    const without = (kind: "added" | "removed") =>
      hunk.lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join("\n");
    const old = without("added");
    const text = omissionIn(`${base}\n${old}`, without("removed"), old);
    if (text !== undefined) return { hunk: hunk.number, text };
  }
  return undefined;
}

/**
 * The first line of a new text that stands for text left out, such as `// ... rest unchanged ...`: what it
 * stands for would be gone.
 *
 * @param before a line that stands in it is meant as it is.
 * @param old the text that is replaced: where all its lines are kept, a fenced code block may show such a line.
 * @returns the line without blanks around it; undefined where nothing is left out.
 */
export function omissionIn(before: string, fresh: string, old = before): string | undefined {
  if (!hasEllipsis(fresh)) return undefined;
  const { contents } = splitLines(fresh);
  let [isFenced, keepsAll]: [boolean, boolean | undefined] = [false, undefined];
  for (const line of contents) {
    if (fence.test(line)) isFenced = !isFenced;
    if (!isPlaceholder(line) || before.includes(line.trim())) continue;
    if (!isFenced) return line.trim();
    keepsAll ??= holdsLines(contents, old);
    if (!keepsAll) return line.trim();
  }
  return undefined;
}

/** Whether all lines of a text stand among others, in their order; blank ones do not count. */
function holdsLines(lines: readonly string[], text: string): boolean {
  const wanted = splitLines(text).contents.filter((line) => line.trim() !== "");
  let next = 0;
  for (const line of lines) if (line === wanted[next]) next += 1;
  return next === wanted.length;
}

/** What a refusal says of who means the words themselves. */
export const inFence =
  " If these words are meant, show them in a fenced code block (```), in a call that takes nothing away.";

const fence = /^\s*(?:`{3}|~{3})/;

/** Whether a line has an ellipsis and, besides, nothing but the words of an omission. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 120 || !hasEllipsis(text) || spread.test(text)) return false;
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return (
    words.some((word) => omissionWords.has(word)) &&
    words.every((word) => omissionWords.has(word) || fillerWords.has(word))
  );
}

/** One name right behind three dots, as JavaScript spreads it: code, whatever the name. */
const spread = /^[\s[({]*\.{3}[\p{L}_$][\w$.]*[\s\])},;]*$/u;

function hasEllipsis(text: string): boolean {
  return text.includes("...") || text.includes("…");
}

const omissionWords = new Set("rest remaining remains existing unchanged omitted previous same".split(" "));
const fillerWords = new Set(
  (
    "of the this your is are as and for in to above below before here code codes file files function functions " +
    "method methods class classes content contents implementation implementations line lines logic import " +
    "imports body test tests other others all stays stay brevity original no changes keep everything else " +
    "component components definition definitions module section part parts html css"
  ).split(" "),
);
