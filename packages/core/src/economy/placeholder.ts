import { escapeForDisplay } from "../text/index.js";
import type { PromptBlock } from "./blocks.js";
import type { ClearingClass } from "./types.js";

/** What stands in the place of a cleared result: the words of the settings, what it was, how to get it back. */
export function placeholderFor(block: PromptBlock, reason: ClearingClass, words: string): string {
  const what = block.name === undefined ? "A file" : escapeForDisplay(block.name);
  return `${words}\n${what}${shownWords(block)}${reasonWords(reason)}`;
}

/** Short, since it is sent with every request from then on. */
function shownWords({ shows, paths }: PromptBlock): string {
  if (shows.length === 0) return paths.length === 0 ? "" : `: ${listOf(paths)}`;
  const spans = shows.map(({ path, from, to }) => `${path}${to < from ? "" : ` lines ${from}-${to}`}`);
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
      return "; it had failed.";
    case "superseded":
      return "; shown again further down, or gone.";
    case "large_output":
    case "output":
      return ".";
    case "file":
      return "; read it again.";
    default:
      return reason satisfies never;
  }
}

/** What stands in the place of the arguments of a cleared call. */
export const inputPlaceholder = "[Arguments cleared to save context.]";
