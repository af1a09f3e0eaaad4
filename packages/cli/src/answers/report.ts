import {
  type AnyRefusalCode,
  type ApplyChangesOutcome,
  type FileState,
  inWords,
  isRefusal,
  type Refusal,
  type Vocabulary,
  type WriteOutcome,
} from "@holdfast/core/files/values";
import { diffLines, type LineChange } from "@holdfast/core/patch";
import { cappedLines, cutVisibly, escapeForPeople, escapeText, nameWithLink } from "@holdfast/core/text";
import { cutAt } from "@holdfast/core/tools";
import { exitCodeOf } from "../shell/exit-code-of.js";
import type { Paint, Terminal } from "../shell/terminal.js";
import { applyWords, commandWords } from "./command-words.js";

/** Tells a person what a write did, or why it was refused. @returns the exit code. */
export async function reportWrite(
  outcome: WriteOutcome,
  terminal: Terminal,
  words = commandWords,
): Promise<number> {
  const { state } = outcome;
  if (isRefusal(outcome)) {
    reportRefusal(outcome, terminal, words);
    if (state !== null) terminal.err(`${terminal.errPaint.dim(stateLine(state))}\n`);
    return exitCodeOf[outcome.code];
  }
  const paint = terminal.outPaint;
  const change = outcome.kind === "written" ? outcome.change : undefined;
  const lines = [paint.green(escapeText(outcome.message))];
  for (const repair of change?.repairs ?? []) {
    const where = repair.hunk === undefined ? "" : `hunk ${repair.hunk}, `;
    const detail = repair.detail === "" ? "" : `: ${repair.detail}`;
    lines.push(paint.yellow(escapeText(`  repaired: ${where}${repair.kind.replaceAll("_", " ")}${detail}`)));
  }
  if (change !== undefined && outcome.kind === "written" && outcome.isSecret === true)
    lines.push(paint.dim("  (what changed is not shown: the file may hold secrets)"));
  else if (change !== undefined) lines.push(...showDiff(change.beforeText, outcome.state.content, paint));
  lines.push(paint.dim(stateLine(outcome.state)));
  await terminal.out(`${lines.join("\n")}\n`);
  return exitCodeOf[outcome.code];
}

/** Tells a person, a line each, what was found out beside an answer, and how the call goes on where it was cut. */
export function reportNotes(
  notes: readonly string[],
  cut: Parameters<typeof cutAt>[0],
  terminal: Terminal,
): void {
  const { omission } = cutAt(cut, commandWords);
  for (const note of omission === undefined ? notes : [...notes, omission]) terminal.err(`${note}\n`);
}

/**
 * Tells a person what became of each file of a change set. Of a refused set those files that are the
 * reason are reported, and how many of the others would have fitted.
 *
 * @returns the exit code of the set.
 */
export async function reportChangeSet(outcome: ApplyChangesOutcome, terminal: Terminal): Promise<number> {
  const { code, message, files } = outcome;
  if (!isRefusal(outcome)) {
    for (const { outcome: written } of files) await reportWrite(written, terminal);
    await terminal.out(`${terminal.outPaint.green(escapeText(message))}\n`);
    return exitCodeOf[code];
  }
  if (files.length === 0) return reportRefusal(outcome, terminal);
  const reasons = files.filter((file) => file.outcome.code !== "not_applied");
  for (const { path, outcome: refused } of reasons) {
    if (refused.success) continue;
    terminal.err(`${terminal.errPaint.bold(escapeForPeople(path))}\n`);
    await reportWrite(refused, terminal, applyWords);
  }
  const [first] = reasons.length === 0 ? files : [];
  if (first !== undefined) await reportWrite(first.outcome, terminal, applyWords);
  const all = files.length === 1 ? "the file stays as it is" : `the ${files.length} files stay as they are`;
  terminal.err(`Nothing was written: ${all}.\n`);
  return exitCodeOf[code];
}

/** What a person should know beside the answer; `--json` has all of it. */
export function noteProblems(terminal: Terminal, problems: readonly string[], margin = ""): void {
  for (const problem of cappedLines(problems, "; --json tells all"))
    terminal.err(`${margin}${terminal.errPaint.yellow("note:")} ${escapeForPeople(problem)}\n`);
}

/** One refusal on standard error: its code for searching, its sentence for acting. @returns the exit code. */
export function reportRefusal(
  refusal: Refusal<AnyRefusalCode>,
  terminal: Terminal,
  words: Vocabulary = commandWords,
): number {
  const { bold, red } = terminal.errPaint;
  terminal.err(`${red("holdfast:")} ${bold(refusal.code)}: ${escapeText(inWords(refusal, words))}\n`);
  return exitCodeOf[refusal.code];
}

/** How a state is named wherever one is printed; `sha256sum FILE` agrees with it. */
export function stateLine({ sha256, ...file }: Pick<FileState, "path" | "leadsTo" | "sha256">): string {
  return `${nameWithLink(file)}  ${sha256 === null ? "does not exist" : `sha256 ${sha256}`}`;
}

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
