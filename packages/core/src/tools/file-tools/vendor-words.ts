import { isRefusal } from "../../files/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";

/** What a vendor's words are chosen by: what became of the call. */
export type Outcome = Extract<ToolResult, { readonly outcome: unknown }>["outcome"];

/** What became of a call; undefined where nothing could: it was refused before, or was a dry run. */
export function outcomeOf(result: ToolResult): Outcome | undefined {
  return "outcome" in result ? result.outcome : undefined;
}

/** The code of a refusal; undefined for a success. */
export function codeOf(outcome: Outcome): string | undefined {
  return isRefusal(outcome) ? outcome.code : undefined;
}

/** A fact of a refusal's sentence by its name; "" where it has none of it. */
export function factOf(outcome: Outcome, name: string): string {
  return isRefusal(outcome) ? String(outcome.sentence?.facts[name] ?? "") : "";
}

/** A sentence alone. */
export function quiet(head: string): Spoken {
  return { head, lines: "left_out" };
}

/** A sentence before lines with their numbers. */
export function numbered(head: string): Spoken {
  return { head, lines: "numbered" };
}

/** A sentence before what our answer shows besides. */
export function framed(head: string): Spoken {
  return { head, lines: "framed" };
}
