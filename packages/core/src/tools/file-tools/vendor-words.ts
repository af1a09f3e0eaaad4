import type { RefusalCode } from "../../files/values/index.js";
import { isRefusal } from "../../files/values/index.js";
import type { Spoken } from "../wire/options.js";
import type { ToolResult } from "../wire/result.js";

/** What a vendor's words are chosen by: what became of the call. */
export type Outcome = Extract<ToolResult, { readonly outcome: unknown }>["outcome"];

/** A vendor's words by what became of a call: its refusal's code, or `done`. What has no words is said in ours. */
export type WordsByCode = Readonly<Partial<Record<RefusalCode | "done", Spoken>>>;

/** The words for a result; none where the call was refused before anything could become of it, or was a dry run. */
export function spokenOf(result: ToolResult, words: (outcome: Outcome) => WordsByCode): Spoken | undefined {
  if (!("outcome" in result)) return undefined;
  const { outcome } = result;
  return words(outcome)[isRefusal(outcome) ? outcome.code : "done"];
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
