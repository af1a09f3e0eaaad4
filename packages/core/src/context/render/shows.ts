import type { ShownText } from "../../conversation/values/index.js";

/** Those that name lines within the text; the others are a tool's mistake and show nothing. */
export function withinText(text: string, shows: readonly ShownText[]): readonly ShownText[] {
  return shows.filter((shown) => isWithin(text, shown) && isPart(text, shown));
}

function isWithin(text: string, { start, end, from, to }: ShownText): boolean {
  return 0 <= start && start <= end && end <= text.length && 0 < from && from <= to;
}

/** A part of a line names the one line and as many of its characters as stand there. */
function isPart(text: string, { chars, from, to, start, end }: ShownText): boolean {
  if (chars === undefined) return true;
  const fits = from === to && chars.from <= chars.to && chars.to <= chars.of;
  return fits && codePoints(text.slice(start, end)) === chars.to - chars.from;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
