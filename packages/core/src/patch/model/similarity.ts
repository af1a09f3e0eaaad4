import { normalize } from "./line-key.js";

/**
 * How alike two lines are, by the words they share: from 0 to 1. It serves to show a position and to doubt one,
 * never to find one.
 */
export function similarity(one: string, other: string): number {
  const words = wordsOf(one);
  const others = wordsOf(other);
  if (words.length + others.length === 0) return one.trim() === other.trim() ? 1 : 0;
  const wanted = new Set(words);
  const shared = others.filter((word) => wanted.has(word)).length;
  return (2 * shared) / (words.length + others.length);
}

/** The words of a line, of its first 400 characters. */
export function wordsOf(text: string): readonly string[] {
  return text.slice(0, 400).match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/**
 * Whether a quoted line is a line of the file that was cut short, or that has one typo: a letter too much, too few, another
 * one, or two swapped, in a word of at least four. Depth, letter case and punctuation do not matter.
 */
export function isAlike(quoted: string, real: string): boolean {
  const [one, other] = [normalize(quoted, "loose"), normalize(real, "loose")];
  if (one.length >= cutLength && other.startsWith(one)) return true;
  const most = Math.min(one.length, other.length);
  let head = 0;
  while (head < most && one[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < most - head && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  const [middle, its] = [one, other].map((text) => text.slice(head, text.length - tail));
  if (middle === undefined || its === undefined || !/^\p{L}*$/u.test(middle + its)) return false;
  const isSwap = middle.length === 2 && its === `${middle[1]}${middle[0]}`;
  const before = /\p{L}*$/u.exec(one.slice(0, head))?.[0] ?? "";
  const after = /^\p{L}*/u.exec(one.slice(one.length - tail))?.[0] ?? "";
  return (isSwap || (middle.length < 2 && its.length < 2)) && before.length + after.length >= 3;
}

/** Fewer letters than these of the beginning of a line could be that of any. */
const cutLength = 5;
