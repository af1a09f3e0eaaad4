import { counted } from "./counted.js";
/**
 * Makes a name or a short quote safe to show to a model or in a terminal: controls, bidirectional
 * overrides, zero-width characters, line separators, lone surrogates, combining marks behind sixteen others and the characters
 * that could close an envelope stand there as `\u....`, above U+FFFF as `\u{.....}`, so that nothing in it can act.
 */
export function escapeForDisplay(text: string): string {
  return text.replace(unsafe, escapeOf);
}

function escapeOf(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
}

/** The same for quoted text, which may spell an escape itself: as `[U+200B]`; of letters that spell that, the bracket. */
export function showText(text: string): string {
  return showUnsafe(text.replace(/\[(?=U\+[\dA-F]{4,6}\])/g, "[U+005B]"));
}

/** The same for a message that quotes such texts. Tabs and angle brackets are let through. */
export function showUnsafe(message: string): string {
  return message.replace(unsafe, (char) => {
    if (char !== "\n" && seen.has(char)) return char;
    return `[U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
  });
}

/**
 * The same as `escapeForDisplay` for what only people read: angle brackets, which close no envelope there, are let through,
 * and so are emoji of several characters, and joiners within the words of scripts that are written with them.
 */
export function escapeForPeople(text: string): string {
  return escapeExcept(bracket, text);
}

/** A quoted attribute value: `"` and `\` are escaped, and what `safe` escapes. */
export function quoteForDisplay(text: string, safe = escapeForDisplay): string {
  return `"${safe(text.replace(/["\\]/g, (char) => `\\${char}`))}"`;
}

/** The same for whole texts: tabs and line feeds are let through, too. */
export function escapeUnseen(text: string): string {
  return escapeExcept(seen, text);
}

/** The same for a terminal: a return before a line feed goes. */
export function escapeText(text: string): string {
  return escapeUnseen(text.replace(/\r(?=\n)/g, ""));
}

/** The name of a file for people, and of a link with where it leads. */
export function nameWithLink(file: { readonly path: string; readonly leadsTo?: string }): string {
  const { path, leadsTo } = file;
  return [path, ...(leadsTo === undefined ? [] : [leadsTo])].map(escapeForPeople).join(" -> ");
}

/** One of these for a text that comes in parts: marks are counted on from part to part. */
export function escapeInParts(safe: (text: string) => string): (part: string) => string {
  let before = "";
  return (part) => {
    const marks = /\p{M}{1,16}$/u.exec(before)?.[0] ?? "";
    before = `${marks}${part}`.slice(-64);
    return safe(`${marks}${part}`).slice(safe(marks).length);
  };
}

/** An emoji is seen as one picture, although its parts are joined by characters that are not seen. */
function escapeExcept(safe: ReadonlySet<string>, text: string): string {
  const escaped = (part: string) => part.replace(unsafe, (char) => (safe.has(char) ? char : escapeOf(char)));
  if (!joints.test(text)) return escaped(text);
  const parts = text.split(joinedPattern());
  return parts.map((part, at) => (at % 2 === 1 ? part : escaped(part))).join("");
}

/**
 * The same for JSON as it is written down: what acts on a terminal or is not seen stands only within strings there,
 * where the escape means the very same character.
 */
export function escapeInJson(json: string): string {
  if (!/[^\n -~]/.test(json)) return json;
  return json.replace(unseenInJson, (char) =>
    Array.from({ length: char.length }, (_, at) => {
      return `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }).join(""),
  );
}

/** Whether a text holds anything that `escapeUnseen` would escape. */
export function hasUnseen(text: string): boolean {
  return (text.match(unsafe) ?? []).some((char) => !seen.has(char));
}

/** Shortens to at most `limit` UTF-16 units, never in the middle of a surrogate pair. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 2)) ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}

const bracket: ReadonlySet<string> = new Set(["<", ">"]);
const seen: ReadonlySet<string> = new Set(["\t", "\n", ...bracket]);
const joints = /\u200c|\u200d|\ufe0f|\u{e007f}/u;
const scripts = "Arab Beng Deva Gujr Guru Khmr Knda Mlym Mong Mymr Orya Sinh Syrc Taml Telu".split(" ");
/**
 * Unicode's closed list of emoji (UTS 51): nothing else can be hidden in one. A joiner between two letters of these scripts
 * is a part of how a word is spelt (UAX 31, 2.3); between two marks it would only hide how many there are. Made when a
 * text asks for it: V8 takes 17 ms, which every start would pay.
 */
function joinedPattern(): RegExp {
  const letter = `[${scripts.map((script) => `\\p{scx=${script}}`).join("")}]`;
  const base = `[${letter}--\\p{M}]`;
  joined ??= new RegExp(
    `(\\p{RGI_Emoji}|(?<=${letter})[\\u200c\\u200d](?=${base})|(?<=${base})[\\u200c\\u200d](?=${letter}))`,
    "v",
  );
  return joined;
}

let joined: RegExp | undefined;

/**
 * What no eye sees: a name that holds it looks like another one. `Default_Ignorable_Code_Point` is Unicode's own list
 * (UAX 44); beside it the blank of Braille and the marks of interlinear annotation.
 */
const invisible = "\\p{Default_Ignorable_Code_Point}\\u2800\\ufff9-\\ufffb";

/** A text without what no eye sees: two names that differ only by that are one to a reader. */
export function withoutInvisible(text: string): string {
  return text.replace(new RegExp(`[${invisible}]`, "gu"), "");
}

/**
 * A combining mark behind so many others, which would be drawn over the lines around it. No script stacks half as many on one
 * letter: Tibetan has eight.
 */
const stacked = "\\p{M}(?<=\\p{M}{17})";
const directing = "\\u007f-\\u009f\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069";
const unseenInJson = new RegExp(`[${directing}${invisible}]|${stacked}`, "gu");
// Of surrogates the halves alone: in this mode a pair is one character.
const unsafe = new RegExp(`[\\u0000-\\u001f<>${directing}\\ud800-\\udfff${invisible}]|${stacked}`, "gu");

/**
 * A hash as people and models read it: 16 digits. Two states that begin alike in 12 were found in 42 seconds; what a
 * caller gives back is held against all known states all the same (`resolveBase`).
 */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 16);
}

/** The beginning of a text, and how much of it is missing; the text itself where it is not longer. */
export function cutVisibly(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const unit = text.charCodeAt(limit - 1);
  const end = unit >= 0xd800 && unit <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, Math.max(0, end))}… ${(text.length - end).toLocaleString("en-US")} more characters`;
}

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
 * @param attributes from `fileAttributes`.
 * @param suffix from `chooseSuffix` over all texts of the reply, so that none of them can close the frame.
 */
export function frameText(attributes: string, content: string, suffix: FrameSuffix): FramedText {
  const closing = `</file${suffix}>`;
  const header = `<file${suffix}${attributes} end="${closing}">\n`;
  return { text: header + content + closing, start: header.length };
}

/**
 * The attributes of a file's header: its name, then the pairs.
 *
 * @param leads where the name leads, of a link.
 */
export function fileAttributes(
  path: string,
  pairs: readonly (readonly [name: string, value: string])[],
  leads?: string,
): string {
  const name = [path, ...(leads === undefined ? [] : [leads])]
    .map((one) => quoteForDisplay(one))
    .join(" -> ");
  return ` path=${name}${pairs.map(([key, value]) => ` ${key}=${quoteForDisplay(value)}`).join("")}`;
}

const marker = /<\/?(?:file|lines)(?:-(\d+))?/gi;

/** How a text looks but for its blanks, with all that looks alike as one. For what a refusal says, never for a match. */
export function looksOf(text: string): string {
  const read = text
    .replace(escaped, (_, four, many, two, named) => {
      const point = Number.parseInt(four ?? many ?? two ?? named, 16);
      return point > 0x10ffff ? "" : String.fromCodePoint(point);
    })
    .replace(/[\s\\\p{Cc}]+/gu, "");
  const lower = (
    /^[ -~]*$/.test(read) ? read : withoutInvisible(read.normalize("NFKC")).replace(/[\s\\]+/g, "")
  ).toLowerCase();
  return lower.replace(/[^a-hjkmnp-z2-9]/gu, (char) => first.get(char) ?? char);
}

/**
 * The first character, by code point and name, in which a text differs from a line that looks like it, or has a part that
 * does; undefined where the line holds the text, and where it looks different.
 *
 * @param isWhole the line has to begin with the text.
 */
export function firstDifference(given: string, line: string, isWhole = false): string | undefined {
  const looks = looksOf(given);
  const isHeld = isWhole ? line.startsWith(given) : line.includes(given);
  if (looks === "" || isHeld || given.length + line.length > longest) return undefined;
  const standsAt = (at: number) => looksOf(line.slice(at)).startsWith(looks);
  let from = 0;
  while (!isWhole && from < line.length && !standsAt(from)) from += 1;
  if (!standsAt(from)) return undefined;
  while (!isWhole && /^\S/.test(given) && line[from] !== given[0] && standsAt(from + 1)) from += 1;
  const [mine, theirs] = [[...given], [...line.slice(from)]];
  const differs = mine.findIndex((char, at) => char !== theirs[at]);
  const at = [...line.slice(0, from)].length + differs + 1;
  return `at character ${at} the call has ${nameOf(mine.slice(differs))}, the file has ${nameOf(theirs.slice(differs))}`;
}

/** The same of the first of several lines, with its number, as the last line of a message; "" where none differs so. */
export function firstDifferenceIn(given: readonly string[], lines: readonly string[], number: number) {
  const found = given.map((line, at) => {
    const end = at < given.length - 1 ? "\n" : "";
    return firstDifference(line + end, (lines[at] ?? "").replace(/\r$/, "") + end, at > 0);
  });
  const at = found.findIndex((difference) => difference !== undefined);
  return at < 0 ? "" : `\nThe first difference in line ${number + at}: ${found[at]}.`;
}

/**
 * Whether a new text says what the old one says in other characters: composed otherwise, of full width, look-alikes, other
 * blanks, with or without what nobody sees. Of two characters of ASCII none is a form of the other, but for `\r`.
 *
 * @returns a sentence for the end of a message, with the first such character; "" where more changes, or nothing.
 */
export function formChange(before: string, after: string): string {
  if (before.length + after.length > 100 * longest) return "";
  let [at, next, count, named] = [0, 0, 0, ""];
  while (at < before.length || next < after.length) {
    const same = sameLength(before, at, after, next);
    const [old, fresh] = [clustersFrom(before, at + same), clustersFrom(after, next + same)];
    const isForm = ({ from, to }: (typeof pairs)[number]) =>
      from <= old.length && to <= fresh.length && isOtherForm(old.slice(0, from), fresh.slice(0, to));
    const isOver = old.length + fresh.length === 0;
    const { from, to } = pairs.find(isForm) ?? { from: 0, to: 0 };
    if (from + to === 0 && !isOver) return "";
    const [one, other] = [old.slice(0, from), fresh.slice(0, to)];
    if (one.join("") !== other.join("")) {
      count += 1;
      named ||= `${nameOf(one)} is now ${nameOf(other)}`;
    }
    [at, next] = [at + same + one.join("").length, next + same + other.join("").length];
  }
  return count === 0 ? "" : ` Only the form of ${counted(count, "character")} changes: ${named}.`;
}

/** How many units are the same in both from there on, up to where a cluster of either begins. */
function sameLength(one: string, at: number, other: string, next: number): number {
  const most = Math.min(one.length - at, other.length - next);
  let length = 0;
  while (length < most && one.charCodeAt(at + length) === other.charCodeAt(next + length)) length += 1;
  while (length > 0 && (isWithin(one, at + length) || isWithin(other, next + length))) length -= 1;
  return length;
}

/** Whether what stands there belongs to the character before. */
function isWithin(text: string, at: number): boolean {
  return /^[\p{M}\u{dc00}-\u{dfff}]/u.test(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

/** The next few of a text, as many as a form has. */
function clustersFrom(text: string, at: number): readonly string[] {
  clusters.lastIndex = at;
  return [1, 2, 3].flatMap(() => (clusters.lastIndex < text.length ? (clusters.exec(text) ?? []) : []));
}

const clusters = /\P{M}\p{M}*|\p{M}+/gsu;
/** So many characters of the old text in the place of so many of the new one, the likeliest first. */
const pairs = "11 10 01 12 21 13 31".split(" ").map(([from, to]) => ({ from: Number(from), to: Number(to) }));

function isOtherForm(old: readonly string[], fresh: readonly string[]): boolean {
  const [one, other] = [old.join(""), fresh.join("")];
  return one === other || (formOf(one) === formOf(other) && !/^[\t\n -~]+$/.test(one + other));
}

function formOf(text: string): string {
  const seen = withoutInvisible(text.normalize("NFKC")).replace(/\r/g, "");
  return [...seen].map((char) => first.get(char) ?? char).join("");
}

/** What stands at the beginning: letters that spell an escape, or a character with the marks that belong to it. */
function nameOf(chars: readonly string[]): string {
  const text = chars.join("");
  const [letters] = spelt.exec(text) ?? [];
  if (letters !== undefined) return `the letters ${letters}`;
  const [cluster] = /^.\p{M}*/su.exec(text) ?? [];
  if (cluster === undefined) return "nothing more";
  const hexOf = (char: string) => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const points = [...cluster].map(hexOf);
  const kind = names.get(points.join(" ")) ?? kinds.find(([pattern]) => pattern.test(cluster))?.[1];
  return `U+${points.join(" U+")} (${kind ?? `"${cluster}"`})`;
}

const spelt = /^(?:\\u[\da-f]{4}|\\u\{[\da-f]+\}|\\x[\da-f]{2}|\[U\+[\da-f]+\]|\\)/i;
const escaped = /\\u([\da-f]{4})|\\u\{([\da-f]{1,6})\}|\\x([\da-f]{2})|\[U\+([\dA-F]{4,6})\]/gi;

/** Each row: characters that look alike. Latin, Cyrillic and Greek letters, signs, digits. */
const alike =
  "-‐‑‒–—―−﹣ '‘’‚‛′`´ʼ \"“”„‟″ aаα bв cсϲ eеε hнһ jј kкκ li1|іιı mм nпη oο0о pрρ sѕ tтτ uυ vν xхχ yуγ *∗∙· /∕⁄ :ː∶ .․";
const first: ReadonlyMap<string, string> = new Map(
  alike.split(" ").flatMap((row) => [...row].map((char) => [char, [...row][0] ?? char])),
);

/** In UTF-16 units: a longer pair of lines is not compared. */
const longest = 2_000;
const names: ReadonlyMap<string, string> = new Map(
  "0009 tab|000A line feed|000D carriage return|001B escape|0085 next line|2028 line separator|0020 space|0022 quotation mark|00A0 no-break space|00AD soft hyphen|200B zero width space|200C zero width non-joiner|200D zero width joiner|2011 non-breaking hyphen|2013 en dash|2014 em dash|2018 left single quotation mark|2019 right single quotation mark|201C left double quotation mark|201D right double quotation mark|2026 horizontal ellipsis|202F narrow no-break space|2060 word joiner|2212 minus sign|3000 ideographic space|FEFF zero width no-break space"
    .split("|")
    .map((row) => [row.slice(0, 4), row.slice(5)]),
);

const kinds: readonly (readonly [RegExp, string])[] = [
  [/^.\p{M}/su, "a letter and a combining mark"],
  [/^\p{M}/u, "a combining mark"],
  [/^\p{Cc}/u, "a control character"],
  [/^\p{Zs}/u, "a space"],
  [/^\p{Default_Ignorable_Code_Point}/u, "a character that nobody sees"],
  [/^\p{Script=Cyrillic}/u, "a Cyrillic letter"],
  [/^\p{Script=Greek}/u, "a Greek letter"],
];
