/** How many Unicode code points a text has; half a surrogate pair counts as one. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at = next(text, at)) count += 1;
  return count;
}

/** The UTF-16 unit at which a code point begins, counted from 0; the length where there are not so many. */
export function unitOfCodePoint(text: string, point: number): number {
  let at = 0;
  for (let count = 0; count < point && at < text.length; count++) at = next(text, at);
  return at;
}

function next(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}
