import type { LineEnding } from "../../text/index.js";

/** Lines `from` to `to` (after the last, 0-based) of the file give way to `lines`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly NewLine[];
}

/** A line of an edit, with its terminator; "" for a last line without one. */
interface NewLine {
  readonly text: string;
  readonly ending: LineEnding;
}
