import { joinLines } from "../lines.mjs";
import { applyEdits, countsOf, headOf, printHunk, trueHeader, writeHeader } from "../true-diff.mjs";

/**
 * @typedef {import("../contract.mjs").Draft} Draft
 * @typedef {import("../true-diff.mjs").Change} Change
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 * @typedef {{ readonly path: string, readonly lines: readonly import("../lines.mjs").Line[] }} Text
 */

/** @param {Change} change @param {string} diff @param {string} [base] @returns {Draft} */
export function oneRight(change, diff, base = change.base) {
  return { base, diff, expect: { kind: "one_right_text", text: change.truth } };
}

/** The truth is right, and so is a refusal: a careful reader may know or not. @param {Change} change @param {string} diff @returns {Draft} */
export function rightOrRefused(change, diff) {
  return { base: change.base, diff, expect: { kind: "right_text_or_refusal", text: change.truth } };
}

/** @param {Change} change @param {string} diff @returns {Draft} */
export function mustRefuse(change, diff) {
  return { base: change.base, diff, expect: { kind: "must_refuse" } };
}

/** The header of a hunk with this old number (from 1), true counts, and a new number off by `off`. @param {Hunk} hunk @param {number} number */
export function headerAt(hunk, number, off = 0) {
  const { oldCount, newCount } = countsOf(hunk);
  return writeHeader(number - 1, oldCount, Math.max(0, number - 1 + off), newCount);
}

/** @param {Text} text @param {readonly Hunk[]} hunks */
export function printFor(text, hunks) {
  return [...headOf(text.path), ...hunks.flatMap(printHunk)].map((line) => `${line}\n`).join("");
}

/** @param {Text} text @param {readonly import("../texts.mjs").Edit[]} edits in the order of the text */
export function textAfter(text, edits) {
  return joinLines(applyEdits(text.lines, edits));
}

/** The numbers of the whole hunk, wrong ones or none: the proof needs none. @param {import("../random.mjs").Random} random @param {Hunk} hunk */
export function anyHeader(random, hunk) {
  const any = () => random.between(1, 400);
  return random.pick([
    trueHeader(hunk),
    trueHeader(hunk),
    "@@",
    `@@ -${any()},${any()} +${any()},${any()} @@`,
  ]);
}
