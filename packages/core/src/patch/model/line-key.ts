/**
 * How two lines are compared: byte for byte, without trailing blanks, without any blanks around, with
 * typographic punctuation (and trailing blanks) normalized, or loosely: without letter case, quotes, brackets,
 * stops and blanks around. Endings never count.
 */
export type LineKey = "exact" | "trailing" | "trimmed" | "punctuation" | "loose";

/** The text of a line as `key` compares it. */
export function normalize(text: string, key: LineKey): string {
  switch (key) {
    case "exact":
      return text;
    case "trailing":
      return withoutTrailingBlanks(text);
    case "trimmed":
      return withoutTrailingBlanks(text).slice(indentOf(text).length);
    case "punctuation":
      return normalizePunctuation(withoutTrailingBlanks(text));
    case "loose":
      return fold(normalize(text, "trimmed"));
    default:
      return key satisfies never;
  }
}

/** The blanks that a line begins with; a line of blanks only is all indent. */
export function indentOf(text: string): string {
  let end = 0;
  while (end < text.length && isBlank(text.charCodeAt(end))) end += 1;
  return text.slice(0, end);
}

/** Whether a line has blanks only, or nothing. */
export function isBlankLine(text: string): boolean {
  return indentOf(text).length === text.length;
}

// A loop, since the regular expression for it is quadratic on long runs of blanks.
function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/**
 * Space, tab, vertical tab, form feed. A carriage return within a line is none: where endings are mixed it
 * ends a line in the eyes of others, and normalized it would be lost with the line that is replaced.
 */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 11 || code === 12;
}

/** Operators stay, since `!a` is not `a`; a line of brackets alone has nothing else to be known by. */
function fold(text: string): string {
  const plain = normalizePunctuation(text);
  const folded = plain.toLowerCase().replace(/["'`;,.:(){}[\]]/g, "");
  return folded.trim() || plain;
}

/** Whether a text has quotes, dashes or blanks that programs do not write by themselves. */
export function hasTypography(text: string): boolean {
  return typography.test(text);
}

const typography =
  /[\u2018-\u201b\u2032\u201c-\u201f\u2033\u2010-\u2015\u2212\u00a0\u2002-\u200a\u202f\u205f\u3000\u2026]/;

function normalizePunctuation(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a quick test for "all ASCII"
  if (/^[\u0000-\u007f]*$/.test(text)) return text;
  return text
    .replace(/[\u2018-\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/\u2026/g, "...");
}
