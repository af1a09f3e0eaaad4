/** One word of a line, and where it stands. */
export interface Word {
  readonly text: string;
  /** Whether it stood in quotes or had an escape: then it is no option. */
  readonly isQuoted: boolean;
  /** Offsets in the line, UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

/**
 * The words of a line. A word that begins with `"` goes to the next `"` that a blank or the end follows, with `\"`
 * and `\\` in it; a blank after `\` belongs to the word. Every other sign stands for itself, an apostrophe too, so
 * that free text needs no care.
 */
export function wordsOf(line: string): readonly Word[] {
  const words: Word[] = [];
  let at = 0;
  while (at < line.length) {
    if (isBlank(line[at])) {
      at += 1;
      continue;
    }
    const word = quotedAt(line, at) ?? plainAt(line, at);
    words.push(word);
    at = word.to;
  }
  return words;
}

/** A word as it has to be typed. */
export function writtenWord(text: string): string {
  const isPlain = text !== "" && !/[\s"\\]/u.test(text) && !text.startsWith("--");
  return isPlain ? text : `"${text.replace(/[\\"]/g, (sign) => `\\${sign}`)}"`;
}

function quotedAt(line: string, from: number): Word | undefined {
  if (line[from] !== '"') return undefined;
  let text = "";
  for (let at = from + 1; at < line.length; at += 1) {
    const sign = line[at];
    const next = line[at + 1];
    if (sign === "\\" && (next === '"' || next === "\\")) {
      text += next;
      at += 1;
    } else if (sign === '"' && (next === undefined || isBlank(next)))
      return { text, isQuoted: true, from, to: at + 1 };
    else text += sign;
  }
  return undefined;
}

function plainAt(line: string, from: number): Word {
  let text = "";
  let isQuoted = false;
  let at = from;
  for (; at < line.length && !isBlank(line[at]); at += 1) {
    if (line[at] === "\\" && isBlank(line[at + 1])) {
      isQuoted = true;
      at += 1;
    }
    text += line[at];
  }
  return { text, isQuoted, from, to: at };
}

function isBlank(sign: string | undefined): boolean {
  return sign !== undefined && /\s/u.test(sign);
}
