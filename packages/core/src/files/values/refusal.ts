import type { PatchRefusal } from "../../patch/index.js";
import { type AnyRefusalCode, hasTrait, type OutcomeCode, type RefusalCode } from "./codes.js";
import { libraryWords, type Sentence, say } from "./vocabulary.js";

/** An expected refusal: a code, one sentence that says what to do, and nothing changed. */
export interface Refusal<Code extends AnyRefusalCode = RefusalCode> {
  readonly kind: "refusal";
  readonly code: Code;
  /** In the library's words. */
  readonly message: string;
  /** The message, or a part of it, as a door puts it into its own words (`inWords`). */
  readonly sentence?: Sentence;
}

/** A refusal that names tools or arguments: each door says it in its own words. */
export function refuseIn<Code extends RefusalCode>(
  code: Code,
  template: string,
  facts: Sentence["facts"] = {},
): Refusal<Code> {
  const sentence = { template, facts };
  return { kind: "refusal", code, message: say(sentence, libraryWords), sentence };
}

/**
 * A refusal in words that hold at every door. Use `refuseIn` where the sentence names a tool or an argument.
 *
 * @param message one sentence that says what is wrong, what was left as it is, and what to do.
 */
export function refuse<Code extends AnyRefusalCode>(code: Code, message: string): Refusal<Code> {
  return { kind: "refusal", code, message };
}

/** Whether an answer is a refusal; every other answer of this package has another `kind`, or none. */
export function isRefusal(answer: object): answer is Refusal<AnyRefusalCode> {
  return "kind" in answer && answer.kind === "refusal";
}

/**
 * Whether the answer to this refusal carries the file's content for the caller to look at: where it is
 * other than believed, or was never shown. After the others the caller knows as much as before.
 */
export function carriesContent(code: OutcomeCode): boolean {
  return hasTrait(code, "news") || hasTrait(code, "unseen");
}

const beyondOneFile = {
  deletion: "[ To delete it, use {delete}.| To delete it, use {changes}.]",
  rename: "[ To rename it, use {move}; the lines are another call.| To rename it, use {changes}.]",
  packed: "[ To apply it, use {changes}.]",
  several_files: "[ To change them together, use {changes}.]",
} as const;

/** A refusal of the patch engine as one of the tools; it names the tool that does what a patch cannot. */
export function fromPatch({ code, message, asks }: PatchRefusal): Refusal {
  if (asks === undefined) return refuse(code, message);
  const other = refuseIn(code, beyondOneFile[asks]);
  return { ...other, message: message + other.message };
}
