import { escapeForDisplay } from "../text/index.js";
import type { PromptBlock } from "./blocks.js";
import type { ClearingClass } from "./types.js";

/** What stands in the place of a cleared result: the words of the settings, what it was, how to get it back. */
export function placeholderFor(block: PromptBlock, reason: ClearingClass, words: string): string {
  const { name, measured } = block;
  const what = name === undefined ? "A file stood here" : `It was the result of ${escapeForDisplay(name)}`;
  return `${words}\n${what}${shownWords(block)}, ${measured.chars} characters${reasonWords(reason)}.`;
}

function shownWords({ shows, paths }: PromptBlock): string {
  if (shows.length === 0) return paths.length === 0 ? "" : ` on ${listOf(paths)}`;
  const spans = shows.map(({ path, from, to, sha256 }) => {
    const lines = to < from ? "empty" : `lines ${from}-${to}`;
    return `${escapeForDisplay(path)} ${lines} (sha256 ${sha256.slice(0, 12)})`;
  });
  return `: ${listOf(spans)}`;
}

/** The first few; a placeholder is to be short. */
function listOf(items: readonly string[]): string {
  const shown = items.slice(0, 3).map((item) => escapeForDisplay(item));
  return items.length > 3 ? `${shown.join(", ")} and ${items.length - 3} more` : shown.join(", ");
}

function reasonWords(reason: ClearingClass): string {
  switch (reason) {
    case "failed":
      return "; the call had failed";
    case "superseded":
      return "; what it showed is shown again further down, or is gone";
    case "large_output":
    case "output":
      return "; its output can be had again by the same call";
    case "file":
      return "; read the file again for its present text";
    default:
      return reason satisfies never;
  }
}

/** What stands in the place of the arguments of a cleared call. */
export const inputPlaceholder = "[Arguments cleared to save context.]";
