import type { JournalProblem, JournalRecord } from "@holdfast/core/conversation";

/**
 * What the page is given: the journal itself, which it folds and renders with the code that the program
 * uses. Its size grows with the session's, since no state of it is written out.
 */
export interface PageData {
  readonly format: "holdfast-page";
  readonly v: 1;
  /** Of the program that wrote it. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly exportedMs: number;
  readonly id: string;
  readonly records: readonly JournalRecord[];
  readonly problems: readonly JournalProblem[];
  /** Texts of file states, by SHA-256: those that the session names and that are still kept. */
  readonly states: Readonly<Record<string, string>>;
}

/** The id of the element that holds it. */
export const dataId = "holdfast-session";
