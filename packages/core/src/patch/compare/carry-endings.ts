import { countEndings, eachLine, type LineEnding, mostOften } from "../../text/index.js";
import type { Steps } from "../model/steps.js";
import { boundedRuns } from "./bounded-runs.js";
import { type KeptLines, keptLines } from "./kept-lines.js";

/**
 * Gives a new text the line endings of the one it replaces. Models write `\n`; a file that has others keeps
 * them: a kept line its own, a new line that of the line it replaces or stands beside. Whether the text ends with a newline is as
 * `content` says.
 *
 * @returns `content` as it is where it has a `\r` itself, or where the old text has only `\n`.
 */
export function* carryEndings(before: string, content: string): Steps<string> {
  if (content.includes("\r") || !before.includes("\r")) return content;
  const counts = countEndings(before);
  const kinds = [...counts.keys()].filter((ending) => ending !== "");
  const common = mostOften(counts);
  // A text without any newline whose lone `\r` are content has no endings to carry.
  if (kinds.length <= 1) return common === "\n" ? content : content.replaceAll("\n", common);
  const carried = carriedEndings(before, yield* matchLines(before, content));
  let beside: LineEnding = carried.find((ending) => ending !== undefined) ?? common;
  const parts: string[] = [];
  let at = 0;
  for (const line of eachLine(content)) {
    beside = carried[at] ?? beside;
    parts.push(line.content, line.ending === "" ? "" : beside);
    at += 1;
  }
  return parts.join("");
}

/**
 * Of each new line the ending of the old one that it was kept from or stands in the place of, if there is one and that
 * has an ending. Between two kept lines the first new one stands in the place of the first old one, and so on.
 */
function carriedEndings(before: string, kept: KeptLines): readonly (LineEnding | undefined)[] {
  const carried = new Array<LineEnding | undefined>(kept.newCount).fill(undefined);
  let [line, next, place] = [0, 0, 0];
  for (const { ending } of eachLine(before)) {
    const nextKept = kept.fresh[next] ?? kept.newCount;
    if (line === kept.old[next]) {
      place = nextKept;
      next += 1;
    }
    if (place < (kept.fresh[next] ?? kept.newCount)) carried[place++] = ending || undefined;
    line += 1;
  }
  return carried;
}

/** The lines without their terminators that the new text kept from the old one. */
function matchLines(before: string, content: string): Steps<KeptLines> {
  const smaller = before.length < content.length ? "old" : "new";
  return keptLines(contentsOf(before), contentsOf(content), { smaller, search: boundedRuns });
}

function* contentsOf(text: string): Generator<string, void, void> {
  for (const { content } of eachLine(text)) yield content;
}
