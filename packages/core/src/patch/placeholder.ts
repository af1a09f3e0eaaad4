import type { BaseText } from "./base-text.js";
import type { ShapedHunk } from "./hunk.js";

/**
 * Finds an added line that stands for code it leaves out, such as `// ... existing code ...`, and that the
 * file does not have.
 */
export function findPlaceholder(
  base: BaseText,
  hunks: readonly ShapedHunk[],
): { readonly hunk: number; readonly text: string } | undefined {
  for (const { hunk, runs } of hunks) {
    for (const line of runs.flatMap((run) => run.added)) {
      if (isPlaceholder(line.text) && base.index("trimmed").idOf(line.text) < 0) {
        return { hunk: hunk.number, text: line.text.trim() };
      }
    }
  }
  return undefined;
}

/** Whether a line holds an ellipsis and, besides, nothing but the words of an omission. */
export function isPlaceholder(text: string): boolean {
  if (text.length > 120 || !/\.{3}|…/.test(text)) return false;
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  return (
    words.some((word) => telling.has(word)) && words.every((word) => telling.has(word) || filling.has(word))
  );
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
