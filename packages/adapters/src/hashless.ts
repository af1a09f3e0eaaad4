// Shared by the frameworks whose tools have no argument for a hash (Genkit's and deepagents').
import {
  escapeForDisplay,
  inWords,
  type OutcomeCode,
  type Sentence,
  say,
  type Vocabulary,
  type WriteOutcome,
} from "@holdfast/core";

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
  return `Error (${code === "missing_base" ? "not_read" : code}): ${shown}`;
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
