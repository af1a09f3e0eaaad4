import type { BaseText } from "./base-text.js";
import type { ShapedHunk } from "./hunk.js";

/**
 * Finds an added line that stands for code it leaves out, such as `// ... existing code ...`, and that the
 * file does not have.
 *
 * @param diff the whole diff, which tells at once that most hold none.
 */
export function findPlaceholder(
  base: BaseText,
  diff: string,
  hunks: readonly ShapedHunk[],
): { readonly hunk: number; readonly text: string } | undefined {
  if (!holdsEllipsis(diff)) return undefined;
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

/** Whether a line holds an ellipsis and, besides, nothing but the words of an omission. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 120 || !holdsEllipsis(text)) return false;
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return (
    words.some((word) => telling.has(word)) && words.every((word) => telling.has(word) || filling.has(word))
  );
}

function holdsEllipsis(text: string): boolean {
  return text.includes("...") || text.includes("…");
}

const telling = new Set("rest remaining remains existing unchanged omitted previous same".split(" "));
const filling = new Set(
  (
    "of the this your is are as and for in to above below before here code codes file files function functions " +
    "method methods class classes content contents implementation implementations line lines logic import " +
    "imports body test tests other others all stays stay brevity original no changes keep everything else " +
    "component components definition definitions module section part parts html css"
  ).split(" "),
);
