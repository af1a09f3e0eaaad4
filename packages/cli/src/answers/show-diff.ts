import { diffLines, type LineChange } from "@holdfast/core/patch";
import { cutVisibly, escapeText } from "@holdfast/core/text";
import type { Paint } from "../shell/terminal.js";

/** What changed, for the eye: at most 60 lines. Nothing where a text is too long to be worth it. */
export function showDiff(before: string | null, after: string | null, paint: Paint): readonly string[] {
  const [old, now] = [linesOfText(before ?? ""), linesOfText(after ?? "")];
  if (old.length + now.length > longestShown) return [];
  const groups = groupsOf(diffLines(old, now, compareMs));
  const shown = groups.flatMap((group) => showGroup(old, now, group, paint));
  if (shown.length <= mostLines) return shown;
  return [...shown.slice(0, mostLines), paint.dim(`… ${shown.length - mostLines} more lines`)];
}

const mostLines = 60;
const mostLineChars = 2_000;
const longestShown = 40_000;
const compareMs = 500;
/** Unchanged lines above and below a change. */
const context = 2;

/** The lines of a text; a last line that nothing ends says so, since that can be all that changed. */
function linesOfText(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}  (no newline at the end)`];
}

type ChangeGroup = readonly [LineChange, ...LineChange[]];

/** Changes whose context touches are shown together. */
function groupsOf(changes: readonly LineChange[]): readonly ChangeGroup[] {
  const groups: [LineChange, ...LineChange[]][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const gap = change.oldFrom - (group?.at(-1)?.oldTo ?? 0);
    if (group !== undefined && gap <= 2 * context) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function showGroup(
  old: readonly string[],
  now: readonly string[],
  group: ChangeGroup,
  paint: Paint,
): readonly string[] {
  const [first] = group;
  const from = Math.max(0, first.oldFrom - context);
  const same = (at: number, to: number) => old.slice(at, to).map((line) => ` ${showLine(line)}`);
  const shown = [paint.cyan(`@@ line ${from + first.newFrom - first.oldFrom + 1} @@`)];
  let done = from;
  for (const { oldFrom, oldTo, newFrom, newTo } of group) {
    shown.push(...same(done, oldFrom));
    shown.push(...old.slice(oldFrom, oldTo).map((line) => paint.red(`-${showLine(line)}`)));
    shown.push(...now.slice(newFrom, newTo).map((line) => paint.green(`+${showLine(line)}`)));
    done = oldTo;
  }
  return [...shown, ...same(done, done + context)];
}

function showLine(line: string): string {
  return cutVisibly(escapeText(line.replace(/\r$/, "")), mostLineChars);
}
