// Shared by the frameworks whose tools have no argument for a hash (Genkit's and deepagents').

import { allOf, type ShownLines } from "@holdfast/core/files/seen";
import type { OutcomeCode } from "@holdfast/core/files/values";
import {
  type FileState,
  inWords,
  type Sentence,
  say,
  type Vocabulary,
  type WriteOutcome,
} from "@holdfast/core/files/values";
import { cutVisibly, escapeForDisplay } from "@holdfast/core/text";
import { answerBudgetChars, pageWithin } from "@holdfast/core/tools";

/** A refusal as one text, in the framework's words. File text in it stays as it is. */
export function phraseRefusal(
  path: string,
  refusal: { readonly code: OutcomeCode; readonly message: string; readonly sentence?: Sentence },
  words: Vocabulary,
): string {
  const { code } = refusal;
  const own = sentences[code];
  const shown =
    own === undefined
      ? inWords(refusal, words)
      : say({ template: own, facts: { path: escapeForDisplay(path) } }, words);
  return cutVisibly(`Error (${code === "missing_base" ? "not_read" : code}): ${shown}`, mostToldUnits);
}

/** In UTF-16 units: a sentence leaves room for what stands round it. */
export const mostToldUnits = answerBudgetChars - 1_000;

/** A text with a file's content in it, and the lines that it shows. */
interface TextOfFile {
  readonly text: string;
  readonly state: FileState;
  readonly shown: readonly ShownLines[];
}

/**
 * Puts a file's content into an answer, or the first page of it, where one answer does not hold more; what was
 * cut says so, and is not shown.
 *
 * @param frame what stands round a content; as long for a page as for the whole.
 * @returns the sentence alone as `omission`, where there is room for no line.
 */
export function fitContent(
  state: FileState,
  content: string,
  frame: (state: FileState, content: string) => string,
  words: Vocabulary,
): TextOfFile | { readonly omission: string } {
  const whole = frame(state, content);
  const most = answerBudgetChars - fieldUnits;
  if (whole.length <= most) return { text: whole, state, shown: allOf(state) };
  const roomChars = most - (whole.length - content.length) - noteUnits;
  const page = pageWithin(state, content, { roomChars, words });
  if (page.kind === "none") return { omission: page.omission };
  const text = `${frame(page.state, page.state.content)}\n${page.omission}`;
  return { text, state: page.state, shown: allOf(page.state) };
}

/** For the sentence that says what was cut, and for what stands beside the text in an answer of fields. */
const noteUnits = 400;
const fieldUnits = 200;

/** As many of the items as one answer holds as JSON. */
export function fitItems<Item>(items: readonly Item[]): { readonly items: Item[]; readonly isCut: boolean } {
  let left = answerBudgetChars - noteUnits;
  const kept: Item[] = [];
  for (const item of items) {
    left -= JSON.stringify(item).length + 1;
    if (left < 0) return { items: kept, isCut: true };
    kept.push(item);
  }
  return { items: kept, isCut: false };
}

/**
 * The content that a refusal brings along: where the file is other than the model believes, or the model
 * never saw it, and it is small enough for one answer. Showing it counts as a read.
 */
export function contentToShow({ code, state }: WriteOutcome): string | undefined {
  const content = state?.content ?? undefined;
  if (content === undefined || !carriesState.has(code)) return undefined;
  return content.length <= mostShownUnits ? content : undefined;
}

/** UTF-16 units. */
const mostShownUnits = 256 * 1024;

const carriesState: ReadonlySet<OutcomeCode> = new Set<OutcomeCode>([
  "state_mismatch",
  "unknown_base",
  "missing_base",
  "not_read",
  "unseen_lines",
  "exists",
]);

const notRead =
  "$path exists and was not read in this conversation; nothing was changed. Read it with {read} before you change it.";

/** Where the workspace's own sentence speaks of hashes, which these tools do not take, or names no file. */
const sentences: Partial<Record<OutcomeCode, string>> = {
  file_missing: "There is no file $path (any more); nothing was changed.[ {write} creates it.]",
  missing_base: notRead,
  not_read: notRead,
  unknown_base:
    "State Mismatch: File has changed on disk since it was last read. Nothing was changed; make the change again from its present state.",
};
