/** What the frameworks share whose tools have no argument for a hash (Genkit's and deepagents'). */
import { escapeForDisplay, type OutcomeCode, tidyPath, type WriteOutcome } from "@holdfast/core";

/**
 * The state of each file that a conversation was last shown, for the frameworks whose tools have no
 * argument for a hash: what a change is made against is stated for the model, never by it. Bounded: the
 * entry that was noted longest ago goes first, and its file has to be read again.
 */
export class SeenStates {
  private readonly states = new Map<string, SeenState>();
  private readonly queues = new Map<string, Promise<unknown>>();

  /** @param root the folder from which relative paths count, absolute: both spellings are one entry. */
  constructor(
    private readonly root: string,
    private readonly mostEntries = 200,
  ) {}

  /** An older version never replaces a newer one: the answers of parallel calls come in any order. */
  note(path: string, state: SeenState): void {
    const key = this.keyOf(path);
    const known = this.states.get(key);
    if (known !== undefined && known.version > state.version) return;
    this.states.delete(key);
    this.states.set(key, state);
    const [oldest] = this.states.keys();
    if (this.states.size > this.mostEntries && oldest !== undefined) this.states.delete(oldest);
  }

  /** As a request wants it: without the key where the file was not seen. */
  baseOf(path: string): { readonly base?: string } {
    const state = this.states.get(this.keyOf(path));
    return state === undefined ? {} : { base: state.sha256 };
  }

  forget(path: string): void {
    this.states.delete(this.keyOf(path));
  }

  /**
   * Lets the calls about one path pass one after the other, so that what one of them noted is known to the
   * next: frameworks run the calls of one turn at once.
   */
  async inTurn<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const key = this.keyOf(path);
    const before = this.queues.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.queues.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.queues.get(key) === turn) this.queues.delete(key);
    }
  }

  private keyOf(path: string): string {
    const tidy = tidyPath(path);
    const name = tidy.kind === "path" ? tidy.path : path;
    return name.startsWith(`${this.root}/`) ? name.slice(this.root.length + 1) : name;
  }
}

export interface SeenState {
  readonly sha256: string;
  /** Orders the states of one session. */
  readonly version: number;
}

/** How a framework calls its tools and their arguments. */
export interface ToolWords {
  readonly read: string;
  readonly write: string;
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: string;
}

/** A refusal as one text, in the framework's words. The text of a file in it stays as it is. */
export function tellRefusal(
  path: string,
  { code, message }: { readonly code: OutcomeCode; readonly message: string },
  words: ToolWords,
): string {
  const own = sentences[code]?.(escapeForDisplay(path), words);
  const shown = own ?? inWords(message, words) + (hints[code]?.(words) ?? "");
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
  "exists",
]);

type Sentence = (path: string, words: ToolWords) => string;

const notRead: Sentence = (path, { read }) =>
  `${path} exists and was not read in this conversation; nothing was changed. Read it with ${read} before you change it.`;

/** Where the workspace's own sentence speaks of hashes, which these tools do not take. */
const sentences: Partial<Record<OutcomeCode, Sentence>> = {
  missing_base: notRead,
  not_read: notRead,
  empty_old_string: (_path, { write, oldString }) =>
    `${oldString} is empty; nothing was changed. It must be the exact text to replace; to replace a whole file, use ${write}.`,
  unknown_base: () =>
    "State Mismatch: File has changed on disk since it was last read. Nothing was changed; make the change again from its present state.",
  file_missing: (path, { write }) =>
    `There is no file ${path} (any more); nothing was changed. ${write} creates it.`,
};

const hints: Partial<Record<OutcomeCode, (words: ToolWords) => string>> = {
  occurrence_mismatch: ({ replaceAll }) => `\nSet ${replaceAll} if every one of them is meant.`,
};

/** The workspace's sentences name the arguments as its own tools do; a second line may be text of the file. */
function inWords(message: string, { oldString, newString }: ToolWords): string {
  const end = message.indexOf("\n");
  const sentence = end < 0 ? message : message.slice(0, end);
  const told = sentence
    .replaceAll("old_string", oldString)
    .replaceAll("new_string", newString)
    .replace(/ Your base is version \d+ \([0-9a-f]+\)\./, "")
    .replace(", or say how many there are", "");
  return end < 0
    ? told
    : `${told}${message.slice(end).replace(" Or set replace_all, if every one of them is meant.", "")}`;
}
