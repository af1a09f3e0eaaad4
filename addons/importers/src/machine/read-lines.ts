import type { UnreadLine } from "@holdfast/core/conversation/import";
import type { Refusal } from "@holdfast/core/files/values";

/**
 * Reads a file of lines within limits; the caller of the add-on has it. A line that is too long or no text is left out
 * and named.
 */
export type ReadLines = (
  place: string,
  limits: { readonly bytes: number; readonly lineBytes: number },
) => Promise<ReadText | Refusal>;

/** The text, with an empty line for each that was left out. */
export interface ReadText {
  readonly text: string;
  readonly unread: readonly UnreadLine[];
  readonly problems: readonly { readonly line?: number; readonly message: string }[];
}
