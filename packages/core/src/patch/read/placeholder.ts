import type { BaseText } from "../model/base-text.js";
import type { ShapedHunk } from "../model/hunk.js";

/**
 * Finds an added line that stands for code it leaves out, such as `// ... existing code ...`, and that the
 * file does not have.
 *
 * @param diff the whole diff, a quick test that excludes most.
 */
export function findPlaceholder(
  base: BaseText,
  diff: string,
  hunks: readonly ShapedHunk[],
): { readonly hunk: number; readonly text: string } | undefined {
  if (!hasEllipsis(diff)) return undefined;
  const found: { readonly hunk: number; readonly text: string }[] = [];
  for (const { hunk } of hunks) {
    for (let at = 0; at < hunk.count; at++) {
      if (hunk.kindOf(at) !== "added" || !isPlaceholder(hunk.textOf(at))) continue;
      found.push({ hunk: hunk.number, text: hunk.textOf(at).trim() });
    }
  }
  if (found.length === 0) return undefined;
  base.expect(found.map(({ text }) => text));
  return found.find(({ text }) => base.index("trimmed").idOf(text) < 0);
}

/** Whether a line has an ellipsis and, besides, nothing but the words of an omission. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 120 || !hasEllipsis(text)) return false;
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return (
    words.some((word) => omissionWords.has(word)) &&
    words.every((word) => omissionWords.has(word) || fillerWords.has(word))
  );
}

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
