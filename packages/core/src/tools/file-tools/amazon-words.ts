import { clip } from "../../text/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";
import { codeOf, factOf, framed, outcomeOf } from "./vendor-words.js";

/** The arguments that Amazon Q's sentences repeat. */
interface FsWriteArguments {
  readonly command: string;
  readonly old_str?: string | undefined;
}

/**
 * Amazon Q's words for the answer to its `fs_write`: two refusals. Its successes say nothing at all, and ours say
 * which state is there now.
 */
export function fsWriteWords(
  { command, old_str = "" }: FsWriteArguments,
  result: ToolResult,
): Spoken | undefined {
  const outcome = outcomeOf(result);
  if (outcome === undefined || command !== "str_replace") return undefined;
  switch (codeOf(outcome)) {
    case "not_found":
      return framed(`no occurrences of "${clip(old_str, 1_000)}" were found`);
    case "occurrence_mismatch": {
      const count = factOf(outcome, "count");
      return framed(`${count} occurrences of old_str were found when only 1 is expected`);
    }
    default:
      return undefined;
  }
}
