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
export interface PlainWords {
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
  let words = "";
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("\\@", at)) {
      words += "@";
      at += 2;
      continue;
    }
    const mention = text[at] === "@" && beginsWord(text[at - 1]) ? mentionAt(text, at) : undefined;
    if (mention === undefined) {
      words += text[at] ?? "";
      at += 1;
      continue;
    }
    if (words !== "") parts.push({ kind: "words", text: words });
    words = "";
    parts.push(mention);
    at += mention.written.length;
  }
  if (words !== "") parts.push({ kind: "words", text: words });
  return parts;
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
