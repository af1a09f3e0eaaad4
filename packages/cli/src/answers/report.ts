import type { ApplyChangesOutcome, OutcomeCode, Refusal, WriteOutcome } from "@holdfast/core";
import { escapeName, escapeText, exitCodeOf, type Paint, type Terminal } from "../shell/index.js";
import { type DiffLine, diffLines, hunksOf } from "./line-diff.js";

/** Tells a person what a write did, or why it was refused. @returns the exit code. */
export async function reportWrite(outcome: WriteOutcome, terminal: Terminal): Promise<number> {
  const { state, change } = outcome;
  if (!outcome.success) {
    reportRefusal({ kind: "refusal", code: asRefusal(outcome), message: outcome.message }, terminal);
    if (state !== null) terminal.err(`${terminal.errPaint.dim(stateLine(state.path, state.sha256))}\n`);
    return exitCodeOf[outcome.code];
  }
  const paint = terminal.outPaint;
  const lines = [paint.green(escapeText(outcome.message))];
  for (const repair of change?.repairs ?? []) {
    const where = repair.hunk === undefined ? "" : `hunk ${repair.hunk}, `;
    lines.push(
      paint.yellow(escapeText(`  repaired: ${where}${repair.kind.replaceAll("_", " ")}: ${repair.detail}`)),
    );
  }
  if (change !== undefined) lines.push(...showDiff(change.beforeText, state?.content ?? null, paint));
  if (state !== null) lines.push(paint.dim(stateLine(state.path, state.sha256)));
  await terminal.out(`${lines.join("\n")}\n`);
  return exitCodeOf[outcome.code];
}

/**
 * Tells a person what became of each file of a change set. Of a refused set those files that are the
 * reason are reported, and how many of the others would have fitted.
 *
 * @returns the exit code of the set.
 */
export async function reportChangeSet(outcome: ApplyChangesOutcome, terminal: Terminal): Promise<number> {
  const { code, message, files } = outcome;
  if (outcome.success) {
    for (const { outcome: written } of files) await reportWrite(written, terminal);
    await terminal.out(`${terminal.outPaint.green(escapeText(message))}\n`);
    return exitCodeOf[code];
  }
  if (files.length === 0)
    return reportRefusal({ kind: "refusal", code: asRefusal(outcome), message }, terminal);
  const reasons = files.filter((file) => file.outcome.code !== "not_applied");
  for (const { path, outcome: refused } of reasons) {
    if (refused.success) continue;
    terminal.err(`${terminal.errPaint.bold(escapeName(path))}\n`);
    await reportWrite(refused, terminal);
  }
  const [first] = reasons.length === 0 ? files : [];
  if (first !== undefined) await reportWrite(first.outcome, terminal);
  const all = files.length === 1 ? "the file stays as it is" : `all ${files.length} files stay as they are`;
  terminal.err(`Nothing was written: ${all}.\n`);
  return exitCodeOf[code];
}

/** One refusal on standard error: its code for searching, its sentence for acting. @returns the exit code. */
export function reportRefusal(refusal: Refusal, terminal: Terminal): number {
  const { bold, red } = terminal.errPaint;
  terminal.err(`${red("holdfast:")} ${bold(refusal.code)}: ${escapeText(refusal.message)}\n`);
  const hint = hints[refusal.code];
  if (hint !== undefined) terminal.err(`${hint}\n`);
  return exitCodeOf[refusal.code];
}

/** What changed, for the eye: at most 60 lines. Nothing where a text is too long to be worth it. */
export function showDiff(before: string | null, after: string | null, paint: Paint): readonly string[] {
  const [old, now] = [linesOfText(before ?? ""), linesOfText(after ?? "")];
  if (old.length + now.length > longestShown) return [];
  const shown: string[] = [];
  for (const hunk of hunksOf(diffLines(old, now), 2)) {
    shown.push(paint.cyan(`@@ line ${firstLine(hunk)} @@`), ...hunk.map((line) => showLine(line, paint)));
  }
  if (shown.length <= mostLines) return shown;
  return [...shown.slice(0, mostLines), paint.dim(`… ${shown.length - mostLines} more lines`)];
}

/** How a state is named wherever one is printed; `sha256sum FILE` agrees with it. */
export function stateLine(path: string, sha256: string | null): string {
  return `${escapeName(path)}  ${sha256 === null ? "does not exist" : `sha256 ${sha256}`}`;
}

/** What the flags of the commands offer; the messages themselves speak to every caller. */
const hints: Partial<Record<Refusal["code"], string>> = {
  missing_base:
    "Here: --base SHA256 (apply: FILE=SHA256), as `holdfast read FILE` prints it, or --atomic for whatever is there.",
  not_read: "Here: --base SHA256, as `holdfast read FILE` prints it, or --atomic for whatever is there.",
  section_missing: "Here: --create adds the section at the end.",
  outside_workspace: "Here: name the folder that holds it with --root DIR.",
  protected_path: "Here: --allow-protected GLOB approves of it for this one call.",
  bytes_gone: "Here: `holdfast log FILE` lists the states that are kept.",
  cannot_preserve: "Here: --in-place.",
};

const mostLines = 60;
const longestShown = 40_000;

function firstLine(hunk: readonly DiffLine[]): number {
  for (const line of hunk) if (line.kind !== "removed") return line.new;
  return 1;
}

/** The lines of a text; a last line that nothing ends says so, since that can be all that changed. */
function linesOfText(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return last === "" ? lines : [...lines, `${last}  (no newline at the end)`];
}

function showLine(line: DiffLine, paint: Paint): string {
  const text = escapeText(line.text.replace(/\r$/, ""));
  switch (line.kind) {
    case "same":
      return ` ${text}`;
    case "removed":
      return paint.red(`-${text}`);
    case "added":
      return paint.green(`+${text}`);
  }
}

function asRefusal(outcome: { readonly code: OutcomeCode }): Refusal["code"] {
  switch (outcome.code) {
    case "ok":
    case "applied":
    case "already_applied":
    case "no_change":
      throw new Error(`a failed write cannot be ${outcome.code}`);
    default:
      return outcome.code;
  }
}
