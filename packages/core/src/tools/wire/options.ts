import type { Vocabulary } from "../../files/values/index.js";

/** `text`: a header line and raw content; `json`: the JSON objects of seed 1. */
export type WireForm = "text" | "json";

/**
 * How much of a file a write's answer shows. `full`: the whole state in every exit (seed 1 to the letter);
 * `auto`: the changed lines unless the call named them to the letter, and the whole content only where the
 * model cannot know it; `changed`: never more than changed lines; `none`: no content.
 */
export type ResultContent = "full" | "auto" | "changed" | "none";

/** How answers are written for one door: their form, how much of a file they show, and how long they may be. */
export interface WireOptions {
  readonly wire: WireForm;
  readonly resultContent: ResultContent;
  /** Characters (UTF-16 units) that an answer has at most, with everything in it; 262,144 unless given. */
  readonly budgetChars?: number;
  /** What the door's host lets through besides: it counts otherwise than in characters. */
  readonly within?: HostLimits;
  /** The answer is sent as JSON where it holds no content of a file: then the budget holds for that, too. */
  readonly isStructured?: boolean;
  /** How the door calls its tools and their arguments; the library's words unless given. */
  readonly vocabulary?: Vocabulary;
  /** What the tool did not take of the call's arguments, as a sentence. */
  readonly ignored?: string;
  /** A vendor's words for this answer; the wire form `json` has none. */
  readonly spoken?: Spoken;
}

/** An answer in the words that a vendor documents for its own tool; the text form says them in place of ours. */
export interface Spoken {
  /** In place of the status line; may have several lines. */
  readonly head: string;
  /** Lines of the file: each behind its number and a tab; in our frame; or left out, since the vendor shows none. */
  readonly lines: "numbered" | "framed" | "left_out";
  /** Names in a folder stand behind their sizes, and begin with the folder as the caller named it. */
  readonly entriesUnder?: { readonly folder: string; readonly named: string };
}

/** Limits of a host on the text of one answer; none unless given. */
export interface HostLimits {
  /** Bytes of UTF-8. */
  readonly bytes?: number;
  readonly lines?: number;
  /** Bytes of the text and of the facts in the JSON form together, as a script prints them: each written as JSON. */
  readonly printedBytes?: number;
}

/** Room that the answers of several calls share: it is asked as one is written, and told of it at once. */
export interface SharedRoom {
  left(): Pick<WireOptions, "budgetChars" | "within">;
  take(printedBytes: number): void;
  /** Whether an answer is printed is known when its script is over: what it shows counts from when `end` is called. */
  hold(end: () => void): void;
}

/** How an answer goes on the wire where nobody says otherwise. */
export const defaultWireOptions: WireOptions = { wire: "text", resultContent: "auto" };

/** What an answer has at most unless the door's host lets less through, in characters. */
export const answerBudgetChars = 262_144;

/** The most of a read's answer that named no number of lines: more than a model reads at once, and it stays in the prompt. */
export const pageChars = 50_000;

/** The most content that an answer to a write carries in full, in bytes of UTF-8. */
export const fullContentLimitBytes = 256 * 1024;

/** The most that the changed windows of one answer hold together, in UTF-16 units. */
export const windowsLimitUnits = 24 * 1024;

/** Unchanged lines shown on each side of a change. */
export const windowContextLines = 3;
