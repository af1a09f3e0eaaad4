import { countEndingsInSteps, eachLineInSteps, type LineEnding, mostOften } from "../../text/index.js";
import type { Steps } from "../model/steps.js";
import { boundedRuns } from "./bounded-runs.js";
import { type KeptLines, keptLines, type LinesInSteps } from "./kept-lines.js";

/**
 * Gives a new text the line endings of the one it replaces. Models write `\n`; a file that has others keeps
 * them: a kept line its own, a new line that of the line it replaces or stands beside. Whether the text ends with a newline is as
 * `content` says. In steps.
 *
 * @returns `content` as it is where it has a `\r` itself, or where the old text has only `\n`.
 */
export function* carryEndingsInSteps(before: string, content: string): Steps<string> {
  if (content.includes("\r") || !before.includes("\r")) return content;
  const counts = yield* countEndingsInSteps(before);
  const kinds = [...counts.keys()].filter((ending) => ending !== "");
  const common = mostOften(counts);
  // A text without any newline whose lone `\r` are content has no endings to carry.
  if (kinds.length <= 1) return common === "\n" ? content : yield* endedWith(content, common);
  const carried = yield* carriedEndings(before, yield* matchLines(before, content));
  let beside: LineEnding = carried.find((ending) => ending !== undefined) ?? common;
  const parts: string[] = [];
  let at = 0;
  yield* eachLineInSteps(content, (text, ending) => {
    beside = carried[at] ?? beside;
    parts.push(text, ending === "" ? "" : beside);
    at += 1;
  });
  return parts.join("");
}

/**
 * Of each new line the ending of the old one that it was kept from or stands in the place of, if there is one and that
 * has an ending. Between two kept lines the first new one stands in the place of the first old one, and so on.
 */
function* carriedEndings(before: string, kept: KeptLines): Steps<readonly (LineEnding | undefined)[]> {
  const carried = new Array<LineEnding | undefined>(kept.newCount).fill(undefined);
  let [line, next, place] = [0, 0, 0];
  yield* eachLineInSteps(before, (_, ending) => {
    const nextKept = kept.fresh[next] ?? kept.newCount;
    if (line === kept.old[next]) {
      place = nextKept;
      next += 1;
    }
    if (place < (kept.fresh[next] ?? kept.newCount)) carried[place++] = ending || undefined;
    line += 1;
  });
  return carried;
}

function* endedWith(content: string, ending: LineEnding): Steps<string> {
  const parts: string[] = [];
  for (let at = 0; at < content.length; at += stepUnits) {
    parts.push(content.slice(at, at + stepUnits).replaceAll("\n", ending));
    yield;
  }
  return parts.join("");
}

/** In UTF-16 units: gone through in a millisecond or two. */
const stepUnits = 1 << 20;

/** The lines without their terminators that the new text kept from the old one. */
function matchLines(before: string, content: string): Steps<KeptLines> {
  const linesOf =
    (text: string): LinesInSteps =>
    (take) =>
      eachLineInSteps(text, take);
  const smaller = before.length < content.length ? "old" : "new";
  return keptLines(linesOf(before), linesOf(content), { smaller, search: boundedRuns });
}
