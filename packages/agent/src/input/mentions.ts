/** A file or a folder that the user's words name with `@`. */
export interface Mention {
  readonly kind: "mention";
  /** As it stands in the words, with its `@`. */
  readonly written: string;
  readonly path: string;
  /** Lines from 1, both included; `to` is missing where one line is named. */
  readonly range?: { readonly from: number; readonly to: number };
}

/** Words between mentions; a `\@` stands there as `@`. */
interface PlainWords {
  readonly kind: "words";
  readonly text: string;
}

/**
 * Cuts the user's words at what `@` names: `@path`, `@"a path"`, `@'a path'`, `\ ` for a blank, `@f:20-50` and `@f:20`
 * for lines, `\@` for the sign itself. An `@` inside a word is none (an address of mail), nor is a sign of punctuation
 * behind a path part of it. Pure.
 */
export function parseMentions(text: string): readonly (Mention | PlainWords)[] {
  const parts: (Mention | PlainWords)[] = [];
  const addWords = (words: string) => {
    if (words !== "") parts.push({ kind: "words", text: words.replaceAll("\\@", "@") });
  };
  let done = 0;
  for (const { at, mention } of signsIn(text)) {
    if (mention === undefined) continue;
    addWords(text.slice(done, at));
    parts.push(mention);
    done = at + mention.written.length;
  }
  addWords(text.slice(done));
  return parts;
}

/** Each `@` that may begin a mention, and the mention where it does. */
function* signsIn(text: string): Generator<{ readonly at: number; readonly mention: Mention | undefined }> {
  for (let at = 0; at < text.length; ) {
    const isSign = text[at] === "@" && beginsWord(text[at - 1]);
    const mention = isSign ? mentionAt(text, at) : undefined;
    if (isSign) yield { at, mention };
    at += mention?.written.length ?? (text.startsWith("\\@", at) ? 2 : 1);
  }
}

/** A mention that the end of a text is still being typed of. */
interface BegunMention {
  /** Where its `@` stands, UTF-16 units. */
  readonly from: number;
  /** What was typed of the path, without quote and backslashes. */
  readonly path: string;
  /** The quote that it began with, which is open. */
  readonly quote?: '"' | "'";
}

/** The mention that the end of the text is a part of, or may become one; undefined where the end is plain words. Pure. */
export function begunMention(text: string): BegunMention | undefined {
  for (const { at } of signsIn(text)) {
    const begun = openAt(text, at);
    if (begun !== undefined) return begun;
  }
  return undefined;
}

/** The mention at `at`, where it goes on to the end of the text. */
function openAt(text: string, at: number): BegunMention | undefined {
  const rest = text.slice(at + 1);
  const [quote] = rest;
  if (quote === '"' || quote === "'") {
    const path = rest.slice(1);
    return path.includes(quote) || path.includes("\n") ? undefined : { from: at, path, quote };
  }
  // As `mentionAt` goes on: no blank, quote, bracket or bar, unless behind a backslash.
  if (!/^(?:[^\s"'`<>|\\]|\\[^\n])*\\?$/u.test(rest)) return undefined;
  return { from: at, path: rest.replace(/\\(.?)/gu, "$1") };
}

/**
 * A name behind `@` in the way that a mention was begun, so that it is read as the same name.
 *
 * @param isOpen whether more is to follow, such as the names in a folder: then a quote stays open.
 */
export function mentionLike(path: string, { quote }: Pick<BegunMention, "quote">, isOpen: boolean): string {
  if (quote !== undefined && !path.includes(quote)) return `@${quote}${path}${isOpen ? "" : quote}`;
  // Digits behind a colon would be lines.
  if (/:\d/.test(path) && !path.includes('"')) return isOpen ? `@"${path}` : `@"${path}"`;
  return `@${path.replace(/[^\p{L}\p{N}_./-]|[.](?=\.*$)/gu, "\\$&")}`;
}

/** A name as it can be written behind `@`, so that it is read as the same name. */
export function writtenMention(path: string): string {
  const needsNone = /^[\p{L}\p{N}_./-]+$/u.test(path) && !/[.]$/.test(path);
  if (needsNone) return `@${path}`;
  if (!path.includes('"')) return `@"${path}"`;
  return path.includes("'") ? `@${path.replace(/[^\p{L}\p{N}_/-]/gu, "\\$&")}` : `@'${path}'`;
}

function beginsWord(before: string | undefined): boolean {
  return before === undefined || /[\s([{"'`,;:<]/u.test(before);
}

function mentionAt(text: string, at: number): Mention | undefined {
  const quote = text[at + 1];
  if (quote === '"' || quote === "'") return quotedAt(text, at, quote);
  let path = "";
  let end = at + 1;
  /** Where the path would end without the punctuation behind it. */
  let kept = { path, end };
  while (end < text.length) {
    const sign = text[end] ?? "";
    if (/[\s"'`<>|]/u.test(sign)) break;
    if (sign === "\\" && end + 1 < text.length && text[end + 1] !== "\n") {
      path += text[end + 1] ?? "";
      end += 2;
      kept = { path, end };
      continue;
    }
    path += sign;
    end += 1;
    if (!/[.,;:!?)\]}]/u.test(sign)) kept = { path, end };
  }
  // The folder itself, and the one above.
  if (kept.path === "" && /^\.{1,2}$/u.test(path)) kept = { path, end };
  // `@@` is no name of a file: a line of a diff begins so.
  if (kept.path === "" || /^@+$/u.test(kept.path)) return undefined;
  const [, name = kept.path, from, to] = /^(.+?):([1-9]\d{0,8})(?:-(\d{1,9}))?$/su.exec(kept.path) ?? [];
  return made(text.slice(at, kept.end), name, from, to);
}

function quotedAt(text: string, at: number, quote: string): Mention | undefined {
  const close = text.indexOf(quote, at + 2);
  if (close < 0 || close === at + 2 || text.slice(at, close).includes("\n")) return undefined;
  const [range = "", from, to] = /^:(\d{1,9})(?:-(\d{1,9}))?/u.exec(text.slice(close + 1)) ?? [];
  return made(text.slice(at, close + 1 + range.length), text.slice(at + 2, close), from, to);
}

function made(written: string, path: string, from: string | undefined, to: string | undefined): Mention {
  const first = Number(from ?? 0);
  if (first < 1) return { kind: "mention", written, path };
  return { kind: "mention", written, path, range: { from: first, to: Math.max(first, Number(to ?? first)) } };
}
