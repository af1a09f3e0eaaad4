import type { Since } from "../access/change.js";

/** The sentence that follows the words of a change that was made on a newer state than its base. */
export function rebasedWords({ by }: Pick<Since, "by">): string {
  return by === "own"
    ? "Rebased: since your base only calls of this session had changed the file, and none of them these lines; the change was made on the present state."
    : "Rebased: the file had changed since your base, but not these lines; the change was made on the present state.";
}
