import type { Since } from "../access/change.js";

/** The sentence that follows the words of a change that was made on a newer state than its base. */
export function rebasedWords({ by }: Pick<Since, "by">): string {
  return by === "own"
    ? "Rebased: this session had changed other lines since your base."
    : "Rebased: other lines had changed since your base.";
}
