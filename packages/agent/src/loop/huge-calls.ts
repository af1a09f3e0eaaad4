import type { FormChange } from "@holdfast/core/conversation/values";
import type { CarriedCall } from "./carry-calls.js";

/**
 * Calls whose arguments alone would fill a prompt, as one line from now on: what they wrote stands in the files. Else the
 * next request is refused for its length, and a summary reads all of it in pieces.
 *
 * @param mostChars of arguments, as JSON; undefined where no window is known.
 */
export function shortenedCalls(
  carried: readonly CarriedCall[],
  mostChars = Number.POSITIVE_INFINITY,
): readonly FormChange[] {
  return carried.flatMap(({ nodeId, call: { args } }) => {
    const { length } = JSON.stringify(args);
    if (length <= mostChars) return [];
    const text = `[${length} characters of arguments, which arrived whole, are left out. The result says what became of them.]`;
    return [{ targetId: nodeId, form: { form: "replaced", by: "cleared", text } }];
  });
}
