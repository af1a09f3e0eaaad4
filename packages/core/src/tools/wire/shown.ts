import {
  type ChangeReport,
  carriesContent,
  type FileState,
  hasTrait,
  isRefusal,
  say,
  type Unchanged,
  type Vocabulary,
  type WriteOutcome,
  type WriteRefusal,
  type Written,
} from "../../files/values/index.js";
import type { Repair } from "../../patch/index.js";
import { clip, countLines, cutVisibly, LineFinder, showText } from "../../text/index.js";
import {
  fullContentLimitBytes,
  type ResultContent,
  windowContextLines,
  windowsLimitUnits,
} from "./options.js";
import type { ChangeSetResult, WriteResult } from "./result.js";

/** How much of the latest state an answer carries. */
export type Shown =
  | { readonly kind: "full"; readonly content: string }
  | {
      readonly kind: "windows";
      readonly windows: readonly LineWindow[];
      readonly omitted: number;
      /** The beginning of the first place that was too long to show, its lines cut visibly. */
      readonly excerpt?: string;
    }
  | { readonly kind: "none" }
  /** The change from a state that the caller was shown is told elsewhere in the answer; the rest is as it was. */
  | { readonly kind: "told" }
  /** It should be shown and is larger than an answer may be. */
  | { readonly kind: "too_large" };

/** Lines of the latest state with their own terminators; 1-based, both included. */
export interface LineWindow {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Decides what of the latest state a write's answer shows (page "state-verified files", what goes on the
 * wire): the changed lines after a success, the whole where the model cannot know it, else nothing.
 */
export function chooseShown(result: WriteResult, { resultContent, isQuoted = false }: ShownOptions): Shown {
  const { outcome } = result;
  if (result.quiet === true && outcome.success) return { kind: "none" };
  switch (resultContent) {
    case "none":
      return { kind: "none" };
    case "full":
      return showFull(outcome);
    case "changed":
      return isSent(outcome) ? { kind: "none" } : showWindows(outcome);
    case "auto":
      if (!isRefusal(outcome)) return showSuccess(outcome, isQuoted);
      if (outcome.difference !== undefined) return { kind: "told" };
      return isNews(outcome) ? showFull(outcome) : { kind: "none" };
    default:
      return resultContent satisfies never;
  }
}

/** What decides it. */
interface ShownOptions {
  readonly resultContent: ResultContent;
  /** Changed lines are shown even where they are no news: a vendor's words quote them. */
  readonly isQuoted?: boolean;
}

/**
 * The same for each file of a change set; together they show no more than one answer may. What does not
 * fit any more is left out and says so.
 */
export function chooseShownOfSet(
  { outcome }: ChangeSetResult,
  resultContent: ResultContent,
): readonly Shown[] {
  let left = fullContentLimitBytes;
  return outcome.files.map((file) => {
    const shown = chooseShown(
      { kind: "write", outcome: file.outcome },
      // One of several files: the lines say which is which.
      { resultContent, isQuoted: true },
    );
    const units = unitsOf(shown);
    if (units > left) return { kind: "too_large" };
    left -= units;
    return shown;
  });
}

function unitsOf(shown: Shown): number {
  switch (shown.kind) {
    case "full":
      return new TextEncoder().encode(shown.content).length;
    case "windows":
      return shown.windows.reduce((sum, { text }) => sum + text.length, 0);
    case "none":
    case "told":
    case "too_large":
      return 0;
    default:
      return shown satisfies never;
  }
}

/** Whether the caller cannot know the content: it changed behind its back, or was never shown. */
function isNews({ code, shownBefore }: WriteRefusal): boolean {
  return hasTrait(code, "news") || (carriesContent(code) && !shownBefore);
}

/** Whether the caller sent the whole new text, so that a success need not show it again. */
function isSent(outcome: WriteOutcome): boolean {
  return outcome.kind === "written" ? outcome.change.sentWhole : outcome.kind === "unchanged";
}

/** Exact text in the place of exact text is no news; what others changed is. */
function showSuccess(outcome: Written | Unchanged, isQuoted: boolean): Shown {
  const isKnown = !isQuoted && outcome.kind === "written" && outcome.change.literal === true;
  if (isSent(outcome) || (isKnown && outcome.change.others === undefined)) return { kind: "none" };
  return showWindows(outcome, isKnown);
}

function showFull(outcome: WriteOutcome): Shown {
  const content = outcome.state?.content ?? null;
  if (content === null) return { kind: "none" };
  if (fits(content)) return { kind: "full", content };
  return changeOf(outcome) === undefined ? { kind: "too_large" } : showWindows(outcome);
}

function fits(content: string): boolean {
  if (content.length > fullContentLimitBytes) return false;
  return new TextEncoder().encode(content).length <= fullContentLimitBytes;
}

function changeOf(outcome: WriteOutcome): ChangeReport | undefined {
  return outcome.kind === "unchanged" ? undefined : outcome.change;
}

function showWindows(outcome: WriteOutcome, ofOthersOnly = false): Shown {
  const { state } = outcome;
  const change = changeOf(outcome);
  if (state === null || state.content === null || change === undefined) return { kind: "none" };
  const { ranges, others = [] } = change;
  if (ofOthersOnly) return cutWindows(state, state.content, others, 1);
  return cutWindows(state, state.content, [...ranges, ...others], windowContextLines);
}

function cutWindows(state: FileState, content: string, ranges: readonly ShownRange[], by: number): Shown {
  const lines = new LineFinder(content);
  const first = state.lines?.from ?? 1;
  const windows: LineWindow[] = [];
  let omitted = 0;
  let excerpt: string | undefined;
  let units = 0;
  // Known of a whole file and of a window: counting the lines of a large text would hold the thread.
  const last = state.lines?.to ?? state.facts?.totalLines ?? countLines(content);
  for (const range of widen(ranges, first, last, by)) {
    const text = lines.lines(range.from - first + 1, range.to - first + 1);
    if (text.length > windowsLimitUnits - units) {
      omitted += 1;
      excerpt ??= excerptOf(lines, range, first);
    } else {
      windows.push({ ...range, text });
      units += text.length;
    }
  }
  return { kind: "windows", windows, omitted, ...(excerpt === undefined ? {} : { excerpt }) };
}

function excerptOf(lines: LineFinder, { from, to }: ShownRange, first: number): string {
  const last = Math.min(to, from + mostExcerptLines - 1);
  const shown = lines.contents(from - first + 1, last - first + 1);
  return shown.map((line, at) => `${from + at}: ${cutVisibly(line, mostExcerptChars)}`).join("\n");
}

const mostExcerptLines = 8;
const mostExcerptChars = 500;

/** Puts the context around each range and joins those that then touch. */
function widen(ranges: readonly ShownRange[], first: number, last: number, by: number): ShownRange[] {
  const widened: { from: number; to: number }[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const from = Math.max(first, range.from - by);
    const to = Math.min(last, range.to + by);
    const before = widened.at(-1);
    if (before !== undefined && from <= before.to + 1) before.to = Math.max(before.to, to);
    else if (from <= to) widened.push({ from, to });
  }
  return widened;
}

interface ShownRange {
  readonly from: number;
  readonly to: number;
}

/** One repair in words, bounded: its detail may quote lines of the file. */
export function describeRepair({ kind, hunk, detail }: Repair): string {
  const what = kind.replaceAll("_", " ");
  const where = hunk === undefined ? "" : `hunk ${hunk}, `;
  return detail === "" ? `${where}${what}` : `${where}${what} (${clip(showText(detail), 200)})`;
}

const readIt = "[; read it with {read}, {window}|; read a part of it].";

/** Why something that should be shown is not, or undefined. */
export function describeOmission(shown: Shown, words: Vocabulary): string | undefined {
  switch (shown.kind) {
    case "too_large":
      return say({ template: `The content is larger than an answer may be${readIt}`, facts: {} }, words);
    case "windows":
      if (shown.omitted === 0) return undefined;
      return say(
        {
          template: `$omitted more changed places are too long to show${readIt}$excerpt`,
          facts: {
            omitted: shown.omitted,
            excerpt: shown.excerpt === undefined ? "" : ` The first begins:\n${harmlessLines(shown.excerpt)}`,
          },
        },
        words,
      );
    case "told":
      return say(
        {
          template:
            "The other lines are as you know them[; read them with {read} if you have them no longer].",
          facts: {},
        },
        words,
      );
    case "full":
    case "none":
      return undefined;
    default:
      return shown satisfies never;
  }
}

function harmlessLines(text: string): string {
  return text.split("\n").map(showText).join("\n");
}
