/** A piece of a line that holds more than one record, or the end of one behind the beginning of another. */
interface LinePiece {
  readonly text: string;
  /** It is the beginning of a record that was cut. */
  readonly isCut: boolean;
}

/**
 * Parts a line that is no JSON where the line end between two records was lost, or where one was written behind
 * another that had been cut, as after a kill. Where a second record begins is certain: it is the bracket at which, or
 * right before which, the grammar of JSON breaks, and all behind it is whole.
 *
 * `{"a":1}{"b":2}` breaks at the second bracket. `{"a":"on{"b":2}` breaks at the `b`, since the quote before it ended
 * the text that had begun with `on`.
 *
 * @param isWhole whether a text is a record.
 * @returns undefined where no record is whole.
 */
export function partsOfJoined(
  raw: string,
  isWhole: (text: string) => boolean,
): readonly LinePiece[] | undefined {
  // What a file system had not written yet when the power went is zeros.
  const zeros = zerosOf(raw);
  const pieces: LinePiece[] = zeros === 0 ? [] : [{ text: raw.slice(0, zeros), isCut: true }];
  let rest = raw.slice(zeros);
  if (zeros > 0 && isWhole(rest)) return [...pieces, { text: rest, isCut: false }];
  // A line of thousands of records would be broken at each of them, and parsed to its end each time.
  for (let tries = 0; tries < mostPieces; tries += 1) {
    const at = breakIn(rest);
    const begin = at === undefined ? -1 : rest.lastIndexOf("{", at);
    if (begin <= 0) return undefined;
    const first = rest.slice(0, begin);
    pieces.push({ text: first, isCut: !isWhole(first) });
    rest = rest.slice(begin);
    if (isWhole(rest)) return [...pieces, { text: rest, isCut: false }];
  }
  return undefined;
}

const mostPieces = 64;

function zerosOf(raw: string): number {
  let at = 0;
  while (raw.charCodeAt(at) === 0) at += 1;
  return at;
}

/** Where a text stops to be JSON; undefined where it only ends too early. */
function breakIn(text: string): number | undefined {
  const open: string[] = [];
  let awaits: "value" | "key" | "colon" | "next" = "value";
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    if (/\s/u.test(sign)) at += 1;
    else if (sign === '"' && (awaits === "value" || awaits === "key")) {
      const end = endOfText(text, at);
      if (end.isBroken) return end.at;
      at = end.at;
      awaits = awaits === "key" ? "colon" : "next";
    } else if ((sign === "{" || sign === "[") && awaits === "value") {
      open.push(sign);
      awaits = sign === "{" ? "key" : "value";
      at += 1;
    } else if (sign === "}" || sign === "]") {
      if (open.pop() !== (sign === "}" ? "{" : "[") || awaits === "colon") return at;
      awaits = "next";
      at += 1;
    } else if (sign === ":" && awaits === "colon") {
      awaits = "value";
      at += 1;
    } else if (sign === "," && awaits === "next" && open.length > 0) {
      awaits = open.at(-1) === "{" ? "key" : "value";
      at += 1;
    } else if (awaits === "value" && /[-\w]/.test(sign)) {
      at = endOfWord(text, at);
      awaits = "next";
    } else return at;
  }
  return undefined;
}

function endOfText(text: string, from: number): { readonly at: number; readonly isBroken: boolean } {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"') return { at: at + 1, isBroken: false };
    if (sign !== "\\") continue;
    at += 1;
    const hex = text.charAt(at) === "u" ? /[\da-f]{0,4}/iy : undefined;
    if (hex === undefined && !/["\\/bfnrt]/.test(text.charAt(at))) return { at, isBroken: true };
    if (hex === undefined) continue;
    hex.lastIndex = at + 1;
    const digits = hex.exec(text)?.[0].length ?? 0;
    if (digits < 4) return { at: at + 1 + digits, isBroken: true };
    at += 4;
  }
  return { at: text.length, isBroken: false };
}

/** Of a number or a word such as `true`. */
function endOfWord(text: string, from: number): number {
  let at = from;
  while (/[-+.\w]/.test(text.charAt(at))) at += 1;
  return at;
}
