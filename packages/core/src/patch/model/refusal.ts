import { clip } from "../../text/index.js";
import type { PatchRefusal, PatchRefusalCode } from "./types.js";

/** The words of seed 1, section 5.5. */
export const invalidDiff =
  "Invalid Diff: The provided diff content does not match the file's content. The context or lines to be removed may be incorrect.";
/** The words of seed 1 for a corrected diff that fails to apply. */
export const internalError =
  "Internal Error: The corrected patch failed to apply. Please review the diff for subtle errors.";

/** A diff that asks for what is not done, or not understood: what the file holds plays no part. */
export function refuseDiff(text: string, more: Parameters<typeof refusePatch>[2] = {}): PatchRefusal {
  return refusePatch("invalid_diff", `Invalid Diff: ${text}`, more);
}

/** A refusal of the engine; the message is cut at 8 KiB. */
export function refusePatch(
  code: PatchRefusalCode,
  message: string,
  more: Pick<PatchRefusal, "hunk" | "places" | "asks"> = {},
): PatchRefusal {
  return { kind: "refusal", code, message: clipBytes(message), ...more };
}

function clipBytes(message: string): string {
  let text = clip(message, messageLimit);
  while (bytesOf(text) > messageLimit) text = clip(text, Math.floor(text.length * 0.9));
  return text;
}

/** The bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Bytes of a message at most. */
export const messageLimit = 8_192;
