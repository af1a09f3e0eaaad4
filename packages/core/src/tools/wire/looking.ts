import { type MatchedFile, type SearchMatch, say, type Vocabulary } from "../../files/values/index.js";
import { counted, quoteForDisplay, showText } from "../../text/index.js";
import type { ListCut, MatchesBlock } from "./reply.js";

/** The file's path on a line of its own, then `12: text` for a match and `11- text` for its context. */
export function matchesToText(matches: readonly SearchMatch[]): readonly string[] {
  const lines: string[] = [];
  let before: SearchMatch | undefined;
  for (const match of matches) {
    if (match.path !== before?.path) lines.push("", quoteForDisplay(match.path));
    else if (!adjoins(before, match)) lines.push("…");
    lines.push(...matchLines(match));
    before = match;
  }
  return lines;
}

/** One file a line, with the number of its lines where that was asked for. */
export function filesToText(files: readonly MatchedFile[]): readonly string[] {
  return files.map(({ path, lines }) => quoteForDisplay(path) + (lines === undefined ? "" : `: ${lines}`));
}

function adjoins(before: SearchMatch, match: SearchMatch): boolean {
  const gap = match.line - match.before.length - (before.line + before.after.length);
  return gap === 1 || before.after.length + match.before.length === 0;
}

function matchLines({ line, text, before, after }: SearchMatch): readonly string[] {
  return [
    ...before.map((one, at) => `${line - before.length + at}- ${showText(one)}`),
    `${line}: ${showText(text)}`,
    ...after.map((one, at) => `${line + 1 + at}- ${showText(one)}`),
  ];
}

/** What a listing or a search for names came by without looking in, as a sentence. */
export function closedNote(folders: number | undefined): readonly string[] {
  return folders === undefined ? [] : [`Not looked in: ${closed(folders)}.`];
}

function closed(folders: number): string {
  return `${counted(folders, "folder")} that may not be entered`;
}

/** How much is there that the ignore rules leave out. @param all how a call asks for it as well. */
export function ignoredNote(entries: number | undefined, all?: string): readonly string[] {
  const see = all === undefined ? "" : `; see ${all}`;
  return entries === undefined ? [] : [`Left out as ignored: ${counted(entries, "entry", "entries")}${see}.`];
}

/** What was not searched, a sentence each. */
export function searchNotes({ skips }: Pick<MatchesBlock, "skips">): readonly string[] {
  const { binary, secret, unreadable, longLines, closedFolders, acrossLines } = skips;
  const files = (count: number) => counted(count, "file");
  return [
    ...(binary === 0 ? [] : [`Not searched: ${files(binary)} that ${binary === 1 ? "is" : "are"} not text.`]),
    ...(secret === 0
      ? []
      : [
          `Not searched: ${files(secret)} that ${secret === 1 ? "holds" : "hold"} secrets by their names; name one to search it.`,
        ]),
    ...(unreadable === 0 ? [] : [`Not searched: ${files(unreadable)} that cannot be read.`]),
    ...(closedFolders === undefined ? [] : [`Not searched: ${closed(closedFolders)}.`]),
    ...(acrossLines === undefined ? [] : ["Searched line by line: nothing matches across a line break."]),
    ...(longLines === 0
      ? []
      : [`Only the beginning was searched of ${counted(longLines, "very long line")}.`]),
  ];
}

/** Unless `after` is given, nobody knows where the call goes on, and a smaller one is named. */
export function cutAt(
  { more, after }: { readonly more?: ListCut["more"] | undefined; readonly after?: string | undefined },
  words: Vocabulary,
): ListCut | Record<string, never> {
  if (more === undefined) return {};
  const { goOn: _, ...others } = words;
  const facts = { why: whyMore[more], after: quoteForDisplay(after ?? "") };
  const sentence = { template: goOnSentence, facts };
  return { more, omission: say(sentence, after === undefined ? others : words), after };
}

const goOnSentence = "$why: [repeat the call with {goOn} $after|look in a folder below, or ask for less].";
const whyMore = {
  limit: "There may be more",
  answer: "There may be more than one answer holds",
  time: "The time is up, so that not all was looked at",
} as const;
