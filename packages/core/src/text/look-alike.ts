import { withoutInvisible } from "./display.js";

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
  const [old, fresh] = [before.match(clusters) ?? [], after.match(clusters) ?? []];
  let [at, next, count, named] = [0, 0, 0, ""];
  while (at < old.length || next < fresh.length) {
    const isForm = ({ from, to }: (typeof pairs)[number]) =>
      at + from <= old.length &&
      next + to <= fresh.length &&
      isOtherForm(old.slice(at, at + from), fresh.slice(next, next + to));
    const { from, to } = pairs.find(isForm) ?? { from: 0, to: 0 };
    if (from + to === 0) return "";
    if (old[at] !== fresh[next]) {
      count += 1;
      named ||= `${nameOf(old.slice(at, at + from))} is now ${nameOf(fresh.slice(next, next + to))}`;
    }
    [at, next] = [at + from, next + to];
  }
  const amount = count === 1 ? "1 character" : `${count} characters`;
  return count === 0 ? "" : ` Only the form of ${amount} changes: ${named}.`;
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
