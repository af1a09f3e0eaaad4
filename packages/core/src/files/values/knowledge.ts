import { type LineEdit, type LinePart, type LineSpan, outsideSpans } from "../lines/line-spans.js";

/**
 * What the caller of one call was shown of files (page "state-verified files", Knowledge). It enters with
 * each call, so that one workspace serves many conversations and many paths of one. It knows states by hash,
 * never by time. Two implementations: of a session (`SessionKnowledge`), and of a path of the conversation.
 */
export interface Knowledge {
  /** One state of a file, as far as the caller knows it; undefined where it was never told of it. */
  find(file: FileName, sha256: string): KnownState | undefined;
  /** The state of a file that the caller was told of last. */
  latest(file: FileName): KnownState | undefined;
  /** The hashes of all states of a file that the caller was told of, the newest first. */
  states(file: FileName): readonly string[];
  /**
   * What the caller's own calls made of a file, of all states that are still known: the newest states first, and
   * of one state the last change that led to it. Without it no change is moved past them.
   */
  ownChanges?(file: FileName): readonly OwnChange[];
  /**
   * The hash of the newest state that was shown before the answer that holds the call: the base of its edits that
   * name none. Left out where nobody can tell which calls are of one answer.
   */
  shownBeforeAnswer?(file: FileName): string | undefined;
  /**
   * Takes in what this call has just found out or done. Called inside the path's lock, so that the next call
   * about the path knows it. Must not throw.
   */
  learn(event: KnowledgeEvent): void;
}

/** A file by both of its names: a session goes by the real one, a conversation by the caller's. */
export interface FileName {
  /** As the caller named it, lexically tidied. */
  readonly path: string;
  /** Absolute, all links resolved. */
  readonly realPath: string;
}

/** What is known of one state of one file. */
export interface KnownState {
  readonly sha256: string;
  /** The latest version under which the state was handed out; 0 where that is not known. */
  readonly version: number;
  /** The encoding that the caller insisted on when it was shown the lines. */
  readonly encoding?: string;
  /** How many lines the state has, where that is known. */
  readonly total?: number;
  /** Something was shown of this state, or of one that it came from, or the caller wrote all of it. */
  readonly isSeen: boolean;
  /** The lines that the caller knows: shown, written by it, or carried over from a state where they were. */
  readonly lines: readonly LineSpan[];
  /**
   * Those of them that it knew when it wrote the call: shown before the answer that holds the call, or
   * written since by an earlier call; where the host has a prompt of ours, only what stood in that prompt.
   */
  readonly beforeCall: readonly LineSpan[];
  /** Lines that will stand, under this very hash, in the next prompt; none where nobody can tell. */
  readonly inPrompt: readonly LineSpan[];
}

/** A fact from which knowledge is folded; conclusions are never stored. */
export type KnowledgeEvent = StateMet | LinesShown | StateChanged;

/** A state was handed out by its hash; nothing of its text was shown by that. */
export interface StateMet {
  readonly kind: "met";
  readonly file: FileName;
  readonly sha256: string;
  readonly version: number;
  /** How many lines it has; left out where it is no text. */
  readonly total?: number;
}

/** Lines of a state were put before the caller, verbatim. */
export interface LinesShown {
  readonly kind: "shown";
  readonly file: FileName;
  readonly sha256: string;
  readonly lines: readonly LineSpan[];
  /** Parts of long lines; a line is known when its parts together are all of it. */
  readonly parts?: readonly LinePart[];
  /** Something of the text was shown beside them, and nobody can say which lines. */
  readonly someText?: boolean;
  readonly total?: number;
  readonly encoding?: string;
}

/** One state became another: by a write of ours, or by a difference that was shown to the caller. */
export interface StateChanged {
  readonly kind: "changed";
  readonly file: FileName;
  /** `null`: there was no file; undefined where it is not known. */
  readonly before?: string | null;
  /** `null`: the file is gone. */
  readonly after: string | null;
  readonly version: number;
  readonly total?: number;
  /** From `before` to `after`; where they are not known, no line is carried over. */
  readonly changes?: readonly LineEdit[];
  /** Lines of `after` that stood wholly in the call. */
  readonly authored?: readonly LineSpan[];
  /** The added lines follow from the call and the lines they replaced: who knew these knows those. */
  readonly derived?: boolean;
  /** For a move: the name under which `before` was known. */
  readonly from?: FileName;
  readonly encoding?: string;
  /** The change was made by a call of this caller; left out of what others did and was only shown. */
  readonly own?: OwnWrite;
}

/** What is kept of a call that wrote, for later calls on the same base (docs/edits.md, on mismatch). */
export interface OwnWrite {
  /** The hash of the state that the call named; of a call that named none, of the one that it replaced. */
  readonly base: string;
  /** A digest of all that was asked but the base; empty where the same request is told by what it comes to. */
  readonly request: string;
  /** It changed lines one by one: an edit, a patch, an addition, a section. Not a whole write, an undo or a move. */
  readonly byLines?: true;
}

/** How one state became another by a call of the caller. */
export interface OwnChange extends OwnWrite {
  readonly before: string;
  readonly after: string;
  /** Left out where they are not known. */
  readonly changes?: readonly LineEdit[];
}

/** Whether anything of a state's text was shown. */
export function isSeen(state: KnownState | undefined): state is KnownState {
  return state?.isSeen === true;
}

/** The newest state of a file of which anything was shown. */
export function latestSeen(knowledge: Knowledge, file: FileName): KnownState | undefined {
  const states = knowledge.states(file).map((sha256) => knowledge.find(file, sha256));
  return states.filter(isSeen).toSorted((one, other) => other.version - one.version)[0];
}

/** Whether all of a state's text is known. */
export function isKnownWhole(state: Pick<KnownState, "total" | "lines"> | undefined): boolean {
  if (state?.total === undefined) return false;
  return outsideSpans({ from: 1, to: state.total }, state.lines).length === 0;
}
