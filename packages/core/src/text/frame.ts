/** What distinguishes the markers of one reply: "" or `-1`, `-2`, … */
export type FrameSuffix = "" | `-${number}`;

/**
 * The first suffix whose markers stand nowhere in the texts, whatever their case.
 *
 * @param texts everything of the reply that was not written by us.
 */
export function chooseSuffix(texts: readonly string[]): FrameSuffix {
  const taken = new Set<number>();
  for (const text of texts) {
    for (const [, digits] of text.matchAll(marker)) taken.add(digits === undefined ? 0 : Number(digits));
  }
  let free = 0;
  while (taken.has(free)) free += 1;
  return free === 0 ? "" : `-${free}`;
}

/** A framed text, and where the raw text begins in it (UTF-16). */
interface FramedText {
  readonly text: string;
  readonly start: number;
}

/**
 * Puts a frame round a file's text: one header line that names the closing marker, the raw text, and the
 * marker glued to its end, so that no newline is invented.
 *
 * @param attributes begins with a blank; its values are quoted already.
 * @param suffix from `chooseSuffix` over all texts of the reply, so that none of them can close the frame.
 */
export function frameText(attributes: string, content: string, suffix: FrameSuffix): FramedText {
  const closing = `</file${suffix}>`;
  const header = `<file${suffix}${attributes} end="${closing}">\n`;
  return { text: header + content + closing, start: header.length };
}

const marker = /<\/?(?:file|lines)(?:-(\d+))?/gi;
