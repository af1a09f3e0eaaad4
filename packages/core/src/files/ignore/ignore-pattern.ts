/**
 * One line of an ignore file, as gitignore(5) and git itself read it. Texts are byte strings (`bytesOf`), since
 * `?` and a class stand for one byte there.
 */
export interface IgnorePattern {
  /** The line begins with `!`: what it matches is not left out. */
  readonly negated: boolean;
  /** The line ends with a slash: it means folders alone. */
  readonly onlyFolders: boolean;
  /** The line has no other slash: it is held against the last name of a path, on every level. */
  readonly byName: boolean;
  /** What every match begins with, letter by letter. */
  readonly head: string;
  /** What every match ends with, letter by letter. */
  readonly tail: string;
  /** What follows the head; none of them: the head is all of it. */
  readonly tokens: readonly Token[];
  /** Bytes that every match has at least. */
  readonly least: number;
}

/** Counts what a match costs: one for each token that is held against a byte. */
export interface Tally {
  steps: number;
}

/**
 * Reads one line of an ignore file, without its terminator.
 *
 * @param foldsCase as git with `core.ignoreCase`: the letters A to Z count as a to z.
 * @returns undefined for a line that can match nothing: empty, a comment, a bracket without its partner.
 */
export function parseIgnoreLine(line: string, foldsCase: boolean): IgnorePattern | undefined {
  if (line.startsWith("#")) return undefined;
  const trimmed = withoutTrailingBlanks(bytesOf(line));
  const negated = trimmed.startsWith("!");
  const given = negated ? trimmed.slice(1) : trimmed;
  const onlyFolders = given.endsWith("/");
  const body = onlyFolders ? given.slice(0, -1) : given;
  const byName = !body.includes("/");
  const whole = body.startsWith("/") ? body.slice(1) : body;
  if (whole === "") return undefined;
  const literal = /^[^*?[\\]*/.exec(whole)?.[0] ?? "";
  // What follows the letters counts as a beginning of its own: in git `a**/b` is `a`, then `**/b`.
  const tokens = readTokens(whole.slice(literal.length), foldsCase);
  if (tokens === undefined) return undefined;
  const head = foldsCase ? foldCase(literal) : literal;
  const tail = tokens.length === 0 ? head : tailOf(tokens);
  const least = head.length + leastBytes(tokens);
  return { negated, onlyFolders, byName, head, tail, tokens, least };
}

/**
 * Whether a pattern matches, in steps at most the product of both lengths: all positions of the pattern that a byte
 * may stand at are carried along together, so that nothing is ever tried again.
 *
 * @param subject a name or a path as bytes, folded as the pattern.
 */
export function matchesIgnore(pattern: IgnorePattern, subject: string, tally: Tally): boolean {
  const { head, tail, tokens, least } = pattern;
  tally.steps += 1;
  if (subject.length < least || !subject.startsWith(head) || !subject.endsWith(tail)) return false;
  if (tokens.length === 0) return subject.length === head.length;
  let positions = new Positions(tokens);
  let next = new Positions(tokens);
  positions.add(0);
  for (let at = head.length; at < subject.length; at++) {
    tally.steps += positions.count;
    positions.step(subject.charCodeAt(at), next);
    if (next.count === 0) return false;
    [positions, next] = [next, positions];
    next.clear();
  }
  return positions.has(tokens.length);
}

/** A text as its UTF-8 bytes, one character each; ASCII is itself. */
export function bytesOf(text: string): string {
  if (isAscii.test(text)) return text;
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/** The letters A to Z as a to z, no others: so git folds case. */
export function foldCase(bytes: string): string {
  return bytes.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** One thing that a pattern asks of the bytes at a place. */
type Token =
  | { readonly kind: "byte"; readonly code: number }
  /** `?`: any byte but a slash. */
  | { readonly kind: "any" }
  /** `[a-z]`: one entry a byte, 1 for those that are in it. A slash never is. */
  | { readonly kind: "class"; readonly bytes: Uint8Array }
  /** `*`: any bytes but slashes, or none. */
  | { readonly kind: "star" }
  /** `**` between slashes: any bytes, or none. */
  | { readonly kind: "deep" }
  /** `**` and a slash: nothing at all, or what the two tokens behind it say (`deep` and the slash). */
  | { readonly kind: "folders" };

const isAscii = /^[\0-\x7f]*$/;
const slash = 0x2f;

/** Blanks at the end do not count, unless a backslash stands before them. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end -= 1;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes += 1;
  const keepsOne = end < line.length && backslashes % 2 === 1;
  return line.slice(0, keepsOne ? end + 1 : end);
}

function readTokens(glob: string, foldsCase: boolean): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < glob.length; ) {
    const char = glob.charAt(at);
    if (char === "*") {
      const end = starsEnd(glob, at);
      const stars = starTokens(glob, at, end);
      // Once more is no more: `**/**/a` is `**/a`.
      const isAgain = stars.length === 2 && tokens.at(-3)?.kind === "folders";
      if (!isAgain) tokens.push(...stars);
      at = isAgain ? end + 1 : end;
    } else if (char === "[") {
      const found = readClass(glob, at + 1, foldsCase);
      if (found === undefined) return undefined;
      tokens.push({ kind: "class", bytes: found.bytes });
      at = found.end;
    } else if (char === "?") {
      tokens.push({ kind: "any" });
      at += 1;
    } else {
      const isEscaped = char === "\\";
      const own = isEscaped ? glob.charAt(at + 1) : char;
      if (own === "") return undefined;
      // Git folds no letter behind a backslash, so that `\A` matches nothing where the names are folded.
      tokens.push({ kind: "byte", code: (foldsCase && !isEscaped ? foldCase(own) : own).charCodeAt(0) });
      at += isEscaped ? 2 : 1;
    }
  }
  return tokens;
}

function starsEnd(glob: string, from: number): number {
  let end = from;
  while (glob[end] === "*") end += 1;
  return end;
}

/** Stars in a row; the slash behind `**` is read on its own. */
function starTokens(glob: string, from: number, end: number): readonly Token[] {
  const isFirst = from === 0 || glob[from - 1] === "/";
  const isLast = end === glob.length || glob[end] === "/" || glob.startsWith("\\/", end);
  if (end - from < 2 || !isFirst || !isLast) return [{ kind: "star" }];
  return glob[end] === "/" ? [{ kind: "folders" }, { kind: "deep" }] : [{ kind: "deep" }];
}

interface FoundClass {
  readonly bytes: Uint8Array;
  /** Behind the closing bracket. */
  readonly end: number;
}

/** What stands in brackets, from behind the first one on; undefined where it has no end or names an unknown class. */
function readClass(glob: string, from: number, foldsCase: boolean): FoundClass | undefined {
  const negated = glob[from] === "!" || glob[from] === "^";
  const found = new Uint8Array(256);
  let at = negated ? from + 1 : from;
  let before = "";
  for (let isFirst = true; isFirst || glob[at] !== "]"; isFirst = false) {
    const item = readClassItem(glob, at, before);
    if (item === undefined) return undefined;
    for (let code = 0; code < 256; code++) if (isIn(item, code, foldsCase)) found[code] = 1;
    at = item.end;
    before = item.before;
  }
  const bytes = negated ? found.map((is) => 1 - is) : found;
  bytes[slash] = 0;
  return { bytes, end: at + 1 };
}

interface ClassItem {
  readonly end: number;
  /** The letter with which a dash behind it makes a range; "" for none. */
  readonly before: string;
  has(code: number): boolean;
  /** A range or a class holds a small letter if it holds the large one; a single letter does not (so in git). */
  readonly folds: boolean;
}

function isIn(item: ClassItem, code: number, foldsCase: boolean): boolean {
  if (item.has(code)) return true;
  return foldsCase && item.folds && code >= 0x61 && code <= 0x7a && item.has(code - 32);
}

function readClassItem(glob: string, at: number, before: string): ClassItem | undefined {
  const char = glob.charAt(at);
  if (char === "") return undefined;
  const next = glob.charAt(at + 1);
  if (char === "-" && before !== "" && next !== "" && next !== "]") return readRange(glob, at + 1, before);
  if (char === "[" && next === ":") {
    const close = glob.indexOf("]", at + 2);
    if (close < 0) return undefined;
    if (close > at + 2 && glob[close - 1] === ":") {
      const has = namedClasses[glob.slice(at + 2, close - 1)];
      return has === undefined ? undefined : { end: close + 1, before: "", has, folds: true };
    }
  }
  const escaped = char === "\\";
  const own = escaped ? next : char;
  if (own === "") return undefined;
  const only = own.charCodeAt(0);
  return { end: at + (escaped ? 2 : 1), before: own, has: (code) => code === only, folds: false };
}

function readRange(glob: string, at: number, before: string): ClassItem | undefined {
  const escaped = glob[at] === "\\";
  const last = glob.charAt(escaped ? at + 1 : at);
  if (last === "") return undefined;
  const [from, to] = [before.charCodeAt(0), last.charCodeAt(0)];
  const has = (code: number) => from <= code && code <= to;
  return { end: at + (escaped ? 2 : 1), before: "", has, folds: true };
}

const isUpper = (code: number) => code >= 0x41 && code <= 0x5a;
const isLower = (code: number) => code >= 0x61 && code <= 0x7a;
const isDigit = (code: number) => code >= 0x30 && code <= 0x39;
const isAlpha = (code: number) => isUpper(code) || isLower(code);
const isGraph = (code: number) => code > 0x20 && code < 0x7f;
const isHexLetter = (code: number) => (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);

/** The classes by name, of ASCII alone. Blank space is what git takes for it: no form feed, no vertical tab. */
const namedClasses: Readonly<Record<string, (code: number) => boolean>> = {
  __proto__: null as never, // Without inherited names: `[[:constructor:]]` is unknown.
  alnum: (code) => isAlpha(code) || isDigit(code),
  alpha: isAlpha,
  blank: (code) => code === 0x20 || code === 0x09,
  cntrl: (code) => code < 0x20 || code === 0x7f,
  digit: isDigit,
  graph: isGraph,
  lower: isLower,
  print: (code) => isGraph(code) || code === 0x20,
  punct: (code) => isGraph(code) && !isAlpha(code) && !isDigit(code),
  space: (code) => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d,
  upper: isUpper,
  xdigit: (code) => isDigit(code) || isHexLetter(code),
};

function tailOf(tokens: readonly Token[]): string {
  const codes: number[] = [];
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at];
    if (token?.kind !== "byte" || isOptional(tokens, at)) break;
    codes.push(token.code);
  }
  return codes
    .reverse()
    .map((code) => String.fromCharCode(code))
    .join("");
}

/** The slash of `**` and a slash. */
function isOptional(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 2]?.kind === "folders";
}

function leastBytes(tokens: readonly Token[]): number {
  let least = 0;
  for (const [at, { kind }] of tokens.entries()) {
    if ((kind === "byte" || kind === "any" || kind === "class") && !isOptional(tokens, at)) least += 1;
  }
  return least;
}

/** The positions in the tokens that are possible after some bytes; the last one stands for a match. */
class Positions {
  private readonly list: Int32Array;
  private readonly marks: Uint8Array;
  count = 0;

  constructor(private readonly tokens: readonly Token[]) {
    this.list = new Int32Array(tokens.length + 1);
    this.marks = new Uint8Array(tokens.length + 1);
  }

  has(position: number): boolean {
    return this.marks[position] === 1;
  }

  clear(): void {
    for (let at = 0; at < this.count; at++) this.marks[this.list[at] ?? 0] = 0;
    this.count = 0;
  }

  /** With those behind it that no byte needs to stand for. */
  add(position: number): void {
    for (let at = position; !this.has(at); at++) {
      this.marks[at] = 1;
      this.list[this.count] = at;
      this.count += 1;
      const kind = this.tokens[at]?.kind;
      if (kind === "folders") this.add(at + 3);
      else if (kind !== "star" && kind !== "deep") return;
    }
  }

  /** Where one more byte leads to. */
  step(code: number, next: Positions): void {
    for (let index = 0; index < this.count; index++) {
      const at = this.list[index] ?? 0;
      const token = this.tokens[at];
      if (token === undefined) continue;
      switch (token.kind) {
        case "byte":
          if (token.code === code) next.add(at + 1);
          break;
        case "any":
          if (code !== slash) next.add(at + 1);
          break;
        case "class":
          if (token.bytes[code] === 1) next.add(at + 1);
          break;
        case "star":
          if (code !== slash) next.add(at);
          break;
        case "deep":
          next.add(at);
          break;
        case "folders":
          break;
        default:
          token satisfies never;
      }
    }
  }
}
