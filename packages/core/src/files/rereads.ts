import type { LedgerRecord } from "./ledger.js";
import { type LineSpan, outsideSpans } from "./line-spans.js";

/**
 * When a read may be answered by "unchanged" instead of the text. Only who knows the model's prompt can
 * say that the text still stands there; without an answer the text is sent again.
 */
export interface Rereads {
  /** Asked for lines of a state that a read of this session handed out before. Must not throw. */
  readonly isVisible?: IsVisible | undefined;
  /** Answers so without asking: for hosts that know that nothing is ever cleared from the prompt. */
  readonly stub?: boolean | undefined;
}

export type IsVisible = (shown: ShownLines) => boolean | Promise<boolean>;

/** Lines of one state of one file. */
export interface ShownLines extends LineSpan {
  readonly path: string;
  readonly sha256: string;
  /** The version under which the state was handed out last. */
  readonly version: number;
}

/** The words of seed 2, to the letter. */
export const unchangedStub =
  "File unchanged since last read. The content from the earlier read_file result in this conversation is " +
  "still current — refer to that instead of re-reading.";

/**
 * Whether these lines were handed out by an earlier read, the state being the last one of its file that the
 * session met, and are still before the model's eyes.
 */
export async function isStillShown(
  rereads: Rereads,
  path: string,
  latest: LedgerRecord | undefined,
  wanted: LineSpan & { readonly sha256: string },
): Promise<boolean> {
  if (rereads.stub !== true && rereads.isVisible === undefined) return false;
  if (latest === undefined || latest.sha256 !== wanted.sha256) return false;
  if (!latest.readWhole && outsideSpans(wanted, latest.readLines).length > 0) return false;
  const { sha256, version } = latest;
  if (rereads.stub === true) return true;
  return (await rereads.isVisible?.({ path, sha256, version, from: wanted.from, to: wanted.to })) === true;
}
