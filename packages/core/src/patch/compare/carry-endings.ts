import { commonEnding, type LineEnding, splitLinesInSteps } from "../../text/index.js";
import { finish, type Steps } from "../model/steps.js";
import { diffLinesInSteps } from "./line-diff.js";

/**
 * Gives a new text the line endings of the one it replaces. Models write `\n`; a file that has others keeps
 * them: a kept line its own, a new line its neighbour's. Whether the text ends with a newline is as
 * `content` says.
 *
 * @returns `content` as it is where it has a `\r` itself, or where the old text has only `\n`.
 */
export function carryEndings(before: string, content: string): string {
  return finish(carryEndingsInSteps(before, content));
}

/** The same in steps. */
export function* carryEndingsInSteps(before: string, content: string): Steps<string> {
  if (content.includes("\r") || !before.includes("\r")) return content;
  const old = yield* splitLinesInSteps(before);
  // A text without any newline whose lone `\r` are content has no endings to carry.
  if (old.endings.every((ending) => ending === "\n" || ending === "")) return content;
  const common = commonEnding(old);
  if (old.endings.every((ending) => ending === common || ending === ""))
    return content.replaceAll("\n", common);
  const fresh = yield* splitLinesInSteps(content);
  const carried = (yield* matchLines(old.contents, fresh.contents)).map(
    (at) => old.endings[at ?? -1] || undefined,
  );
  let beside: LineEnding = carried.find((ending) => ending !== undefined) ?? common;
  const parts: string[] = [];
  for (const [at, text] of fresh.contents.entries()) {
    beside = carried[at] ?? beside;
    parts.push(text, fresh.endings[at] === "" ? "" : beside);
  }
  return parts.join("");
}

/** The lines of `content` that are not kept from `before`, as one text; in steps. */
export function* addedLinesInSteps(before: string, content: string): Steps<string> {
  const { contents: old } = yield* splitLinesInSteps(before);
  const { contents: fresh } = yield* splitLinesInSteps(content);
  const kept = yield* matchLines(old, fresh);
  return fresh.filter((_, at) => kept[at] === undefined).join("\n");
}

/** For each new line the old line it was kept from, if it was. */
function* matchLines(
  old: readonly string[],
  fresh: readonly string[],
): Steps<readonly (number | undefined)[]> {
  const kept: (number | undefined)[] = [];
  let oldAt = 0;
  const end = { oldFrom: old.length, oldTo: old.length, newFrom: fresh.length, newTo: fresh.length };
  for (const change of [...(yield* diffLinesInSteps(old, fresh, 500)), end]) {
    while (kept.length < change.newFrom) kept.push(oldAt++);
    while (kept.length < change.newTo) kept.push(undefined);
    oldAt = change.oldTo;
  }
  return kept;
}
