/**
 * @typedef {import("../contract.mjs").Draft} Draft
 * @typedef {import("../true-diff.mjs").Change} Change
 */

/** @param {Change} change @param {string} diff @param {string} [base] @returns {Draft} */
export function oneRight(change, diff, base = change.base) {
  return { base, diff, expect: { kind: "one_right_text", text: change.truth } };
}

/** @param {Change} change @param {string} diff @returns {Draft} */
export function mustRefuse(change, diff) {
  return { base: change.base, diff, expect: { kind: "must_refuse" } };
}
