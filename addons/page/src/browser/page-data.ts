import type { JournalProblem, JournalRecord, TurnUsage } from "@holdfast/core/conversation/values";

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
  /** The number of the last record that there was, read or lost. */
  readonly lastSeq?: number;
  /** Texts of file states, by SHA-256: those that the session names and that are still kept. */
  readonly states: Readonly<Record<string, string>>;
  readonly spent: Spent;
}

/** What a server answers: the whole of a session, or what came behind the records that the page has. */
export interface LiveAnswer extends PageData {
  /** How far the session is with these; another one after each change. */
  readonly mark: string;
  /** How many records stand before the first of these. */
  readonly from: number;
  /** Of a large session: long texts end early, enough for its tree and its overview. The whole is asked for later. */
  readonly isCut: boolean;
  /** Why the session cannot be read now. */
  readonly trouble?: string;
}

/** What the answers of a session cost. */
export interface Spent {
  /** US dollars, by the prices of the models that are known. */
  readonly costUsd: number;
  /** Answers of models whose prices are not known: they are not in `costUsd`. */
  readonly unpriced: number;
}

/** What a page and its server are told of the program that makes them. */
export interface PageOptions {
  /** Where states of files are kept. */
  readonly stateDir: string | undefined;
  readonly now: number;
  readonly version: string;
  /** US dollars; undefined of a model without known prices. */
  readonly costOf?: (model: string, usage: TurnUsage) => number | undefined;
}

/** The id of the element that holds what the page is given: JSON, packed by gzip, in Base64. Of a live page it is empty. */
export const dataId = "holdfast-session";
