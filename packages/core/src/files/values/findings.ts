/** What an answer to a search holds: the lines, the names of the files that have any, or how many each has. */
export type SearchOutput = "lines" | "files" | "counts";

/** A line in which the pattern was found, with its neighbours as far as they were asked for. */
export interface FoundLine {
  /** 1-based, as `read` counts. */
  readonly line: number;
  /** 1-based, in UTF-16 units, of the first match in the line. */
  readonly column: number;
  /** The line, or the part of a long one around the match. */
  readonly text: string;
  /** Lines that no other match shows, in the order of the file. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What was found in one file. */
export interface FileFindings {
  readonly matches: readonly FoundLine[];
  /** Lines that match. */
  readonly lines: number;
  readonly bytes: number;
  readonly longLines: number;
  /** The time was up before all of it was looked at. */
  readonly isCut?: true;
  /** `binary` where it is no text, `unreadable` where it could not be read. */
  readonly skipped?: "binary" | "unreadable";
}
