/*
 * Scans of JSON by hand. A regular expression that repeats over a text of tens of millions of characters runs out of
 * stack.
 */

/** The first place from here on that is no blank, as `\s` knows them; the length of the text where none is. */
export function endOfBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  if (code < 128) return code === 32 || (code >= 9 && code <= 13);
  return /\s/u.test(String.fromCharCode(code));
}

/** Behind the quote that closes the string which begins here; undefined where none does. */
export function endOfString(text: string, from: number): number | undefined {
  for (let at = from + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    let slashes = 0;
    while (text[quote - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}
