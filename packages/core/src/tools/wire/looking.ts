import type { FindOutcome, SearchMatch, SearchOutcome } from "../../files/index.js";
import { quoteForDisplay } from "../../text/index.js";
import { entryToJson, refusalToJson } from "./json.js";
import type { WireFindResult, WireSearchResult } from "./schemas.js";
import { entryLine, harmless, refusalToText, statusLine } from "./text.js";

/** The answers of those who only look around, as JSON and as text. They hold neither version nor hash. */
export function findToJson(outcome: FindOutcome): WireFindResult {
  if (outcome.kind === "refusal") return refusalToJson(outcome);
  const { path, files, more } = outcome;
  return { path, files: files.map(entryToJson), ...(more === undefined ? {} : { more }) };
}

/** One file a line, as in a listing. */
export function findToText(outcome: FindOutcome): string {
  if (outcome.kind === "refusal") return refusalToText(outcome);
  const { files, more } = outcome;
  const head = statusLine(true, "ok", `${files.length} files found in ${quoteForDisplay(outcome.path)}.`);
  const end = more === undefined ? [] : ["", moreSentence[more]];
  return [head, ...files.map(entryLine), ...end].join("\n");
}

export function searchToJson(outcome: SearchOutcome): WireSearchResult {
  if (outcome.kind === "refusal") return refusalToJson(outcome);
  const { longLines, ...skips } = outcome.skips;
  return {
    path: outcome.path,
    matches: outcome.matches.map(({ path, line, column, text, before, after }) => ({
      file_path: path,
      line,
      column,
      text,
      ...(before.length === 0 ? {} : { before: [...before] }),
      ...(after.length === 0 ? {} : { after: [...after] }),
    })),
    searched_files: outcome.searchedFiles,
    searched_bytes: outcome.searchedBytes,
    skipped: { ...skips, long_lines: longLines },
    ...(outcome.more === undefined ? {} : { more: outcome.more }),
  };
}

/** The file's path on a line of its own, then `12: text` for a match and `11- text` for its context. */
export function searchToText(outcome: SearchOutcome): string {
  if (outcome.kind === "refusal") return refusalToText(outcome);
  const { matches, searchedFiles, more } = outcome;
  const files = new Set(matches.map(({ path }) => path)).size;
  const found = `${matches.length} matches in ${files} of ${searchedFiles} files.`;
  const lines = [statusLine(true, "ok", found)];
  let before: SearchMatch | undefined;
  for (const match of matches) {
    if (match.path !== before?.path) lines.push("", quoteForDisplay(match.path));
    else if (!adjoins(before, match)) lines.push("…");
    lines.push(...matchLines(match));
    before = match;
  }
  const notes = describeSearch(outcome);
  return [
    ...lines,
    ...(notes.length === 0 ? [] : ["", ...notes]),
    ...(more === undefined ? [] : [moreSentence[more]]),
  ].join("\n");
}

function adjoins(before: SearchMatch, match: SearchMatch): boolean {
  const gap = match.line - match.before.length - (before.line + before.after.length);
  return gap === 1 || before.after.length + match.before.length === 0;
}

function matchLines({ line, text, before, after }: SearchMatch): readonly string[] {
  return [
    ...before.map((one, at) => `${line - before.length + at}- ${harmless(one)}`),
    `${line}: ${harmless(text)}`,
    ...after.map((one, at) => `${line + 1 + at}- ${harmless(one)}`),
  ];
}

/** What was not searched, a sentence each. */
function describeSearch({ skips }: Extract<SearchOutcome, { kind: "searched" }>): readonly string[] {
  const { binary, secret, unreadable, longLines } = skips;
  return [
    ...(binary === 0 ? [] : [`Not searched: ${binary} files that are not text.`]),
    ...(secret === 0
      ? []
      : [`Not searched: ${secret} files that hold secrets by their names; name one to search it.`]),
    ...(unreadable === 0 ? [] : [`Not searched: ${unreadable} files that cannot be read.`]),
    ...(longLines === 0 ? [] : [`Of ${longLines} very long lines only the beginning was searched.`]),
  ];
}

const moreSentence = {
  limit: "There may be more; raise limit, or look in a folder below.",
  answer: "There may be more than one answer holds: look in a folder below, or make the pattern narrower.",
  time: "The time is up, so that not all was looked at: look in a folder below, or give a glob.",
} as const;
