/**
 * One line and its own terminator ("" only for a last line without one).
 * @typedef {{ readonly text: string, readonly eol: string }} Line
 */

/** @param {string} text @returns {Line[]} */
export function splitLines(text) {
  const lines = [];
  for (const [whole] of text.matchAll(/[^\n]*\n|[^\n]+$/g)) {
    const eol = whole.endsWith("\r\n") ? "\r\n" : whole.endsWith("\n") ? "\n" : "";
    lines.push({ text: whole.slice(0, whole.length - eol.length), eol });
  }
  return lines;
}

/** @param {readonly Line[]} lines */
export function joinLines(lines) {
  return lines.map(({ text, eol }) => text + eol).join("");
}

/** @param {string} text */
export function isBlank(text) {
  return text.trim() === "";
}

/** @param {string} text */
export function indentOf(text) {
  return /^[ \t]*/.exec(text)?.[0] ?? "";
}

/** What is left of a line when blanks at its ends and the kind of its punctuation do not count. @param {string} text */
export function loosen(text) {
  return text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2013\u2014]/g, "-")
    .replace(/\u00a0/g, " ")
    .replace(/\u2026/g, "...")
    .trim();
}
