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
